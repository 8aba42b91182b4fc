import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { statement } from "../storage/postgres/database.ts";
import { makeWorld, type World } from "../testing/world.ts";
import { runCommand } from "./main.ts";

const folder = mkdtempSync(join(tmpdir(), "exchange-chains-"));
const railsFile = join(folder, "rails.json");
const ETHEREUM = {
  kind: "evm",
  chainId: 11_155_111,
  // Nothing listens at this port.
  endpoints: [{ name: "own", url: "http://127.0.0.1:9", trust: "own" }],
  deposits: {
    xpub: "xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt",
  },
};
let world: World;
let variables: NodeJS.ProcessEnv;

beforeAll(async () => {
  writeFileSync(railsFile, JSON.stringify({ chains: { ethereum: ETHEREUM } }));
  world = await makeWorld();
  const name = statement("name_of_database", "select current_database() as name");
  const [row] = await world.database.query<{ name: string }>(name);
  const { host } = inject("storageServer");
  variables = {
    DATABASE_URL: `postgres://postgres@localhost/${row?.name}?host=${encodeURIComponent(host ?? "")}`,
    EXCHANGE_DATA_DIR: folder,
  };
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await world.close();
});

async function command(settings: NodeJS.ProcessEnv, ...words: string[]) {
  const lines: string[] = [];
  const status = await runCommand(words, {
    variables: { ...variables, ...settings },
    print: (text) => lines.push(text),
    printError: (text) => lines.push(text),
    write: async (text) => void lines.push(text),
  });
  return { status, text: lines.join("\n") };
}

test("a network of the rails file that no scanner has read is shown, with the command that says why", async () => {
  const { status, text } = await command({ EXCHANGE_RAILS_FILE: railsFile }, "chains", "show");
  expect(text).toMatch(/^ethereum .* It was never read\. exchange doctor says why\.$/m);
  expect(status).toBe(1);
  const json = await command({ EXCHANGE_RAILS_FILE: railsFile }, ...["chains", "show", "--json"]);
  expect(JSON.parse(json.text)).toMatchObject([
    { networkCode: "ethereum", height: null, problem: expect.stringContaining("never read") },
  ]);
  const none = await command({}, "chains", "show");
  expect(none).toEqual({ status: 0, text: "The rails file names no live network." });
});

test("doctor names the silent endpoints of such a network, and the line to mend first", async () => {
  const { text } = await command({ EXCHANGE_RAILS_FILE: railsFile }, "doctor");
  expect(text).toMatch(/BAD {2}chain ethereum: .*\n +Start the nodes that it names, or correct/);
  expect(text).toMatch(/BAD {2}wallets of ethereum: .*\n +Mend the line of chain ethereum first/);
});
