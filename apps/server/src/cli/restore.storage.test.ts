import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readConfig } from "../config.ts";
import { findDatabaseServer } from "../start/database-server.ts";
import { HISTORY_FILE, openHistoryFile } from "../start/history-file.ts";
import { runCommand } from "./main.ts";

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "exchange-restore-"));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

const run = async (words: readonly string[], variables: NodeJS.ProcessEnv = {}) => {
  const printed: string[] = [];
  const print = (text: string): void => void printed.push(text);
  const status = await runCommand(words, {
    ...{ print, printError: print },
    variables: { EXCHANGE_DATA_DIR: dataDir, ...variables },
  });
  return { status, text: printed.join("\n") };
};
/** Starts the embedded server as the service does, and stops it again. Returns the words of a refusal. */
const start = async (): Promise<string> => {
  try {
    const config = readConfig({ EXCHANGE_DATA_DIR: dataDir });
    await (await findDatabaseServer(config, () => {})).embedded?.stop();
    return "started";
  } catch (error) {
    return (error as Error).message;
  }
};

test("a start makes no empty database in a data folder that has lost its own", async () => {
  openHistoryFile(dataDir).write("0011223344556677", 7n);
  const refused = await start();
  expect(refused).toBe(
    `${dataDir} has no database, and its history.json is of one that was used before. Put a backup back: exchange restore --from DIR (docs/operating/back-up.md). To begin with an empty database on purpose, move history.json away.`,
  );
  expect(existsSync(join(dataDir, "postgres"))).toBe(false);
  const { text } = await run(["doctor"]);
  expect(text).toMatch(/BAD +database: .* has no database, and its history\.json/);
});

test("a start makes a database in a data folder whose history.json has no mark", async () => {
  writeFileSync(join(dataDir, HISTORY_FILE), "{}");
  expect(await start()).toBe("started");
});

test("a backup is restored into the data folder of the service", async () => {
  mkdirSync(join(dataDir, "postgres"));
  writeFileSync(join(dataDir, "postgres", "PG_VERSION"), "17");
  const restore = ["restore", "--from", join(dataDir, "backup")];
  expect(await run(restore)).toEqual({
    status: 1,
    text: expect.stringContaining(`${join(dataDir, "postgres")} is not empty. A restore replaces`),
  });
  expect(await run(restore, { DATABASE_URL: "postgres://localhost/exchange" })).toEqual({
    status: 1,
    text: expect.stringContaining("DATABASE_URL names another server"),
  });
});
