import { mkdtempSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, inject } from "vitest";
import { runCommand } from "../cli/main.ts";
import { type Database, statement } from "../storage/postgres/database.ts";
import { KEY_LINE } from "./world.ts";

const FIND_NAME = statement("test_database_name", "select current_database() as name");

export interface RanCommand {
  readonly status: number;
  readonly out: string;
  readonly errors: string;
}

/** The operator's commands on a test's database, with a data folder of their own. */
export interface CommandLine {
  /** The variables of the environment. A test may change them. */
  readonly variables: NodeJS.ProcessEnv;
  run(...words: string[]): Promise<RanCommand>;
  /** Runs a command that must succeed, and returns what it prints as JSON. */
  runJson<T>(...words: string[]): Promise<T>;
  /** Deletes the data folder. */
  close(): Promise<void>;
}

export async function openCommandLine(database: Database): Promise<CommandLine> {
  const [row] = await database.query<{ name: string }>(FIND_NAME);
  const host = encodeURIComponent(inject("storageServer").host ?? "");
  const dataDir = mkdtempSync(join(tmpdir(), "exchange-cli-"));
  // Commands open what the service of the test has sealed.
  writeFileSync(join(dataDir, "secret-keys"), KEY_LINE, { mode: 0o600 });
  const variables: NodeJS.ProcessEnv = {
    DATABASE_URL: `postgres://postgres@localhost/${row?.name}?host=${host}`,
    EXCHANGE_DATA_DIR: dataDir,
  };
  const run = async (...words: string[]): Promise<RanCommand> => {
    const out: string[] = [];
    const errors: string[] = [];
    const status = await runCommand(words, {
      variables,
      print: (text) => out.push(text),
      printError: (text) => errors.push(text),
    });
    return { status, out: out.join("\n"), errors: errors.join("\n") };
  };
  return {
    variables,
    run,
    runJson: async <T>(...words: string[]): Promise<T> => {
      const { status, out, errors } = await run(...words, "--json");
      expect({ words, status, errors }).toEqual({ words, status: 0, errors: expect.any(String) });
      return JSON.parse(out) as T;
    },
    close: () => rm(dataDir, { recursive: true }),
  };
}
