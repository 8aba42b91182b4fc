import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readConfig } from "../config.ts";
import { startService } from "../main.ts";
import { ensureInstallation } from "../storage/installation.ts";
import { type Database, statement } from "../storage/postgres/database.ts";
import { type CommandLine, openCommandLine } from "../testing/command-line.ts";
import { makeDatabase } from "../testing/database.ts";

const FILE = "0062_key_checks.sql";
const REFUSED = "belongs to an installation of prod, and EXCHANGE_ENV is staging";

let database: Database;
let line: CommandLine;
beforeAll(async () => {
  database = await makeDatabase();
  line = await openCommandLine(database);
  Object.assign(line.variables, {
    EXCHANGE_ENV: "staging",
    EXCHANGE_PUBLIC_URL: "https://pay.example.com",
    EXCHANGE_SECRET_KEYS_FILE: join(String(line.variables["EXCHANGE_DATA_DIR"]), "secret-keys"),
    EXCHANGE_LOG_LEVEL: "silent",
    PORT: "0",
    SHOP_PORT: "0",
  });
});
afterAll(async () => {
  await line.close();
  await database.close();
});

const raw = (text: string) => database.query<{ name: string }>(statement(text.slice(0, 50), text));
const readNames = async () =>
  (await raw("select name from migrations order by name")).map(({ name }) => name);

describe("a database of another environment is refused before a migration is applied to it", () => {
  let before: readonly string[];
  beforeAll(async () => {
    await ensureInstallation(database, { environment: "prod", orderIdKey: new Uint8Array(32) });
    // One migration of the service is pending. Those of the sandbox are never applied to `prod`.
    await raw(`delete from migrations where name = '${FILE}' or name like 'sandbox/%'`);
    await raw("drop table key_checks");
    before = await readNames();
  });

  test("by a start of the service", async () => {
    const starting = startService(readConfig(line.variables), { progress: () => {} });
    await expect(starting).rejects.toThrow(REFUSED);
    expect(await readNames()).toEqual(before);
  });

  test.each([["migrate"], ["database grants exchange_worker --for worker"]])(
    "by exchange %s",
    async (words) => {
      const { status, errors } = await line.run(...words.split(" "));
      expect([status, errors]).toEqual([1, expect.stringContaining(REFUSED)]);
      expect(await readNames()).toEqual(before);
    },
  );
});
