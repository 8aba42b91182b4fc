import { chmodSync, renameSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Database, statement } from "../storage/postgres/database.ts";
import { type CommandLine, openCommandLine } from "../testing/command-line.ts";
import { makeDatabase } from "../testing/database.ts";
import { COMMANDS } from "./main.ts";

let database: Database;
let line: CommandLine;
let run: CommandLine["run"];
let runJson: CommandLine["runJson"];

beforeAll(async () => {
  database = await makeDatabase();
  line = await openCommandLine(database);
  ({ run, runJson } = line);
});
afterAll(async () => {
  await line.close();
  await database.close();
});

interface Created {
  readonly clientId: string;
  readonly apiKey: string;
  readonly keyId: string;
}
const createMerchant = () => runJson<Created>("merchant", "create", "--name", "CLI shop");

test("a merchant's key is printed when it is made and never again", async () => {
  const { clientId, apiKey } = await createMerchant();
  expect(apiKey).toMatch(/^exk_dev_/);
  const later = [
    await run("merchant", "list", "--json"),
    await run("merchant", "show", "--client", clientId, "--json"),
  ];
  for (const { out } of later) {
    expect(out).toContain(clientId);
    expect(out).not.toContain(apiKey);
  }
});

test("origins and country of a merchant are those it was made with", async () => {
  const words = [
    "--name",
    "Shop",
    "--origin",
    "https://a.example",
    "--origin",
    "https://b.example",
  ];
  const made = await runJson<Created>("merchant", "create", ...words, "--country", "CA");
  expect(made).toMatchObject({
    allowedOrigins: ["https://a.example", "https://b.example"],
    countryCode: "CA",
  });
});

test("merchant create names the command that lets a page open the popup, where no page may", async () => {
  const without = await run("merchant", "create", "--name", "No pages");
  expect(without.out).toContain("--add-origin https://shop.example");
  const made = await run("merchant", "create", "--name", "Shop", "--origin", "https://shop.test");
  expect(made.out).not.toContain("--add-origin");
});

test("a merchant is named by --client, and --merchant still means it", async () => {
  const { clientId } = await createMerchant();
  const span = ["--from", "2026-01-01", "--to", "2026-01-02"];
  for (const words of [
    ["orders", "list"],
    ["payouts", "list"],
    ["reports", "fees", ...span],
  ]) {
    const [now, earlier] = [
      await run(...words, "--client", clientId),
      await run(...words, "--merchant", clientId),
    ];
    expect([now.status, earlier]).toEqual([0, now]);
  }
  expect((await run("reports", "fees", "--help")).out).not.toContain("--merchant");
});

test("a client id that no merchant has is refused where it filters a list", async () => {
  for (const list of ["orders", "payouts"]) {
    const { status, errors } = await run(list, "list", "--client", "client_dev_NOBODY");
    expect([status, errors.trim()]).toEqual([
      1,
      "There is no merchant client_dev_NOBODY. List them: exchange merchant list",
    ]);
  }
});

const RENAME = statement("test_rename", "update merchants set name = $2 where id = $1");

test("a name cannot control the operator's terminal, nor the JSON that programs read", async () => {
  const name = "A\u001b[2J\u009b31m\rB\u202eC";
  expect((await run("merchant", "create", "--name", name)).errors).toContain("control characters");
  // Earlier releases stored such a name.
  const { clientId } = await createMerchant();
  await database.query(RENAME, [clientId, name]);
  const { out } = await run("merchant", "show", "--client", clientId);
  expect(out).toContain("A\\u001b[2J\\u009b31m\\u000dB\\u202eC");
  const json = await run("merchant", "show", "--client", clientId, "--json");
  expect(json.out).not.toMatch(/[\u0080-\u009f\u202e]/);
  expect(JSON.parse(json.out)).toMatchObject({ name });
});

test("a third key is refused until one is revoked", async () => {
  const { clientId, keyId } = await createMerchant();
  await runJson("key", "create", "--client", clientId);
  const third = await run("key", "create", "--client", clientId);
  expect(third.status).toBe(1);
  expect(third.errors).toContain("two active keys");
  await runJson("key", "revoke", "--client", clientId, "--key", keyId);
  await runJson("key", "create", "--client", clientId);
});

test("a webhook's secret is printed when it is added and the endpoint goes when it is removed", async () => {
  const { clientId } = await createMerchant();
  const target = ["--client", clientId, "--url", "http://localhost:9/webhooks"];
  const added = await runJson<{ id: string; secret: string }>("webhook", "add", ...target);
  expect(added.secret).toMatch(/^whsec_/);
  const list = await run("webhook", "list", "--client", clientId, "--json");
  expect(list.out).toContain(added.id);
  expect(list.out).not.toContain(added.secret);
  await runJson("webhook", "remove", "--client", clientId, "--id", added.id);
  expect(await runJson("webhook", "list", "--client", clientId)).toEqual([]);
});

test("a refusal goes to the error stream, with --json also as JSON, and the status is 1", async () => {
  const refused = await run("merchant", "show", "--client", "client_dev_NOBODY", "--json");
  expect(refused.status).toBe(1);
  expect(refused.errors).toContain("client_dev_NOBODY");
  expect(JSON.parse(refused.out)).toMatchObject({ error: { code: "NOT_FOUND" } });
});

test("the id that a command is about may be written without its option", async () => {
  const { clientId } = await createMerchant();
  expect(await runJson("merchant", "show", clientId)).toMatchObject({ clientId });
});

test("wrong usage is JSON too with --json", async () => {
  const { status, out } = await run("merchant", "create", "--json");
  expect(status).toBe(2);
  expect(JSON.parse(out)).toEqual({ error: { code: "FAILED", message: "--name is missing." } });
});

test("without a command, and with --help or help, every command is listed", async () => {
  for (const words of [[], ["--help"], ["help"]]) {
    const { status, out } = await run(...words);
    expect({ words, status }).toEqual({ words, status: 0 });
    for (const { name } of COMMANDS) expect(out).toContain(`  ${name} `);
  }
});

test("an empty list is a sentence", async () => {
  for (const [words, ...call] of [
    ["No order matches.", "orders", "list", "--status", "failed"],
    ["No payout is under way.", "payouts", "list"],
    ["No payout waits for a person.", "payouts", "list", "--waiting"],
  ] as const) {
    expect((await run(...call)).out).toBe(words);
  }
});

test("an empty ledger is right", async () => {
  expect(await runJson("ledger", "check")).toMatchObject({ ok: true, problems: [] });
});

test("every command has help with an example that the command itself understands", async () => {
  for (const command of COMMANDS) {
    const { status, out } = await run(...command.name.split(" "), "--help");
    expect(status).toBe(0);
    expect(out).toContain(`exchange ${command.example}`);
    for (const name of Object.keys(command.options)) expect(out).toContain(`--${name}`);
  }
});

test("a wrong call says what is wrong, how to see the help, and has status 2", async () => {
  const wrong: [string, ...string[]][] = [
    ["unknown command 'delete'", "merchant", "delete"],
    ["unknown command 'merchnt'\n(Did you mean merchant?)", "merchnt", "list"],
    ["unknown command 'shw'\n(Did you mean show?)", "orders", "shw"],
    ["merchant list", "merchant"],
    ["--name is missing", "merchant", "create"],
    ["unknown option '--nam'\n(Did you mean --name?)", "merchant", "create", "--nam", "x"],
    ["too many arguments", "merchant", "list", "client_dev_A"],
    ["Write the order once", "orders", "show", "1", "--order", "1"],
    ["not an event type", "webhook", "add", "--client", "c", "--url", "u", "--events", "Order"],
  ];
  for (const [words, ...call] of wrong) {
    const { status, errors } = await run(...call);
    expect({ call, status }).toEqual({ call, status: 2 });
    expect(errors).toContain(words);
    expect(errors).toContain("exchange");
  }
});

test("the command refuses a database of another environment", async () => {
  await createMerchant();
  const { variables } = line;
  Object.assign(variables, {
    EXCHANGE_ENV: "staging",
    EXCHANGE_PUBLIC_URL: "https://x.example",
  });
  variables["EXCHANGE_SECRET_KEYS_FILE"] = join(
    String(variables["EXCHANGE_DATA_DIR"]),
    "secret-keys",
  );
  const { status, errors } = await run("merchant", "list");
  variables["EXCHANGE_ENV"] = "dev";
  expect(status).toBe(1);
  expect(errors).toContain("belongs to an installation of dev");
});

const PROBLEM = /^BAD +(.*)\n +(.*)$/gm;
/** Returns what is wrong and the advice of each finding. */
const problemsOf = (out: string) => [...out.matchAll(PROBLEM)].map(([, ...words]) => words);

test("the doctor tells secret keys that others may read from lost ones", async () => {
  const file = join(String(line.variables["EXCHANGE_DATA_DIR"]), "secret-keys");
  chmodSync(file, 0o644);
  const open = problemsOf((await run("doctor")).out);
  chmodSync(file, 0o600);
  expect(open).toContainEqual([
    `secret keys: ${file} is not private`,
    expect.stringContaining(`chmod 600 ${file}`),
  ]);
  await runJson("merchant", "list"); // The command records the keys that the database is used with.
  renameSync(file, `${file}.away`);
  const lost = problemsOf((await run("doctor")).out);
  renameSync(`${file}.away`, file);
  expect(lost).toContainEqual([
    expect.stringMatching(/^secret keys of the database: .*secret-keys cannot be read$/),
    expect.stringContaining("Restore the secret keys file."),
  ]);
});

test("the doctor's advice for a database of the operator's does not name files of an embedded one", async () => {
  const { DATABASE_URL } = line.variables;
  line.variables["DATABASE_URL"] = "postgres://exchange@127.0.0.1:1/exchange";
  const { out } = await run("doctor").finally(() => {
    Object.assign(line.variables, { DATABASE_URL });
  });
  expect(problemsOf(out)).toContainEqual([
    expect.stringContaining("database: The service cannot use"),
    expect.stringContaining("Correct DATABASE_URL"),
  ]);
  expect(out).not.toContain("server.log");
});

test("the doctor finds bad settings, and an empty catalogue, and says how to mend them", async () => {
  const { status, out } = await run("doctor");
  expect(status).toBe(1);
  expect(out).toMatch(/BAD +catalogue: empty\n +Start the service, or a worker/);
  expect(out).toMatch(/ok +database: PostgreSQL 18/);
  line.variables["EXCHANGE_LOG_LEVEL"] = "loud";
  const bad = await run("doctor", "--json");
  expect(JSON.parse(bad.out)).toMatchObject({ ok: false });
  expect(bad.out).toContain("EXCHANGE_LOG_LEVEL");
});
