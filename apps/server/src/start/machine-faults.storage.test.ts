import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Database, unnamedStatement } from "../storage/postgres/database.ts";
import { type CommandLine, openCommandLine } from "../testing/command-line.ts";
import { makeDatabase } from "../testing/database.ts";
import { describeMachineFault } from "./machine-faults.ts";
import { readSecretKeys } from "./secret-keys.ts";

const ROLE = "faults_nobody";

let folder: string;
let database: Database;
let line: CommandLine;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "exchange-faults-"));
  writeFileSync(join(folder, "file"), "");
  database = await makeDatabase();
  line = await openCommandLine(database);
  await database.query(unnamedStatement(`create role ${ROLE} login`));
});
afterAll(async () => {
  await line.close();
  await database.query(unnamedStatement(`drop role ${ROLE}`));
  await database.close();
  rmSync(folder, { recursive: true });
});

const thrownBy = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};
const keysOf = (options: { dataDir?: string; secretKeysFile?: string }) => () =>
  readSecretKeys({
    environment: "dev",
    dataDir: join(folder, "data"),
    secretKeysFile: join(folder, "keys"),
    ...options,
  });

describe("a sentence says what is wrong and what to do, where", () => {
  test.each([
    [
      "the data folder is a file",
      { dataDir: "file" },
      /file cannot be used: .*not a folder \(EEXIST\)/,
    ],
    ["it is below a file", { dataDir: "file/data" }, /cannot be used: .*not a folder \(ENOTDIR\)/],
    ["the keys have no folder", { secretKeysFile: "none/keys" }, /does not exist \(ENOENT\)/],
  ])("%s", (_case, names, expected) => {
    const paths = Object.fromEntries(
      Object.entries(names).map(([key, name]) => [key, join(folder, name)]),
    );
    const words = describeMachineFault(thrownBy(keysOf(paths)));
    expect(words).toMatch(expected);
    expect(words).toContain("EXCHANGE_DATA_DIR");
    expect(words).toContain("EXCHANGE_SECRET_KEYS_FILE");
  });

  test("the user may not use a path", () => {
    const error = Object.assign(new Error("refused"), { code: "EACCES", path: "/srv/data" });
    expect(describeMachineFault(error)).toMatch(/^\/srv\/data cannot be used: this user may not/);
  });

  test("the secret keys are a folder", () => {
    const keys = join(folder, "folder");
    mkdirSync(keys);
    expect(keysOf({ secretKeysFile: keys })).toThrow(`${keys} is a folder`);
  });

  test.each([
    ["has no right to the tables", undefined, "permission denied for table"],
    ["may not use the schema", "revoke usage on schema public from public", "schema"],
  ])("the role of DATABASE_URL %s", async (_case, setup, expected) => {
    if (setup) await database.query(unnamedStatement(setup));
    const owner = String(line.variables["DATABASE_URL"]);
    line.variables["DATABASE_URL"] = owner.replace("postgres@", `${ROLE}@`);
    const { status, errors } = await line.run("migrate").finally(() => {
      line.variables["DATABASE_URL"] = owner;
    });
    expect(status).toBe(1);
    expect(errors).toMatch(/^The role of DATABASE_URL lacks a right: /m);
    expect(errors).toContain(expected);
    expect(errors).toContain("exchange database grants ROLE");
    expect(errors).not.toMatch(/^\s+at /m);
  });
});

test("the data folder of an installation that this user may not see is not called empty", async () => {
  const { DATABASE_URL, ...others } = line.variables;
  Object.assign(line.variables, { EXCHANGE_DATA_DIR: join(folder, "file") });
  delete line.variables["DATABASE_URL"];
  const { errors } = await line.run("status");
  Object.assign(line.variables, { ...others, DATABASE_URL });
  expect(errors).toContain("cannot be used");
});

test("an error of the service itself shows its stack", () => {
  expect(describeMachineFault(new TypeError("broken"))).toBeUndefined();
  const own = thrownBy(() => readFileSync(join(import.meta.dirname, "missing.json")));
  expect(describeMachineFault(own)).toBeUndefined();
  const { error: program } = spawnSync(join(folder, "missing"));
  expect(describeMachineFault(program)).toBeUndefined();
});
