import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { startJobs } from "../../jobs/worker.ts";
import { makeDatabase } from "../../testing/database.ts";
import { type HttpWorld, makeHttpWorld } from "../../testing/http-world.ts";
import { playOrder } from "../../testing/sandbox-play.ts";
import { checkLedger } from "../ledger/checks.ts";
import { type Database, openDatabase, statement } from "./database.ts";
import { type Grants, GrantsError, grantService } from "./grants.ts";
import { MigrationError, migrate } from "./migrate.ts";

const ROLE = `service_${randomBytes(4).toString("hex")}`;
const run = (database: Database, text: string) => database.query(statement("", text));

let owner: Database;
let service: Database;
let grants: Grants;
let world: HttpWorld;

beforeAll(async () => {
  owner = await makeDatabase();
  await run(owner, `create role ${ROLE} login`);
  grants = await grantService(owner, ROLE);
  const [row] = await owner.query<{ name: string }>(
    statement("", "select current_database() as name"),
  );
  const connection = inject("storageServer");
  service = openDatabase({ ...connection, database: row?.name ?? "", user: ROLE });
  world = await makeHttpWorld({ database: service });
});
afterAll(async () => {
  await world.close();
  await run(owner, `drop owned by ${ROLE}`);
  await run(owner, `drop role ${ROLE}`);
  await owner.close();
});

test("L7: orders of every kind run to their end with the service's grants alone", async () => {
  const jobs = startJobs(world.deps);
  for (const order of ["buy by card", "sell", "swap", "transfer"]) {
    const row = { status: "completed", reason: "", order, told: [], deeds: [], from: "" };
    const played = await playOrder(world, row);
    for (const status of ["processing", "completed"]) await played.advance(status);
    await played.until(({ status }) => status === "completed");
  }
  await jobs.stop();
  expect(await checkLedger(service)).toMatchObject({ problems: [] });
});

const APPEND_ONLY = [
  "public.control_log",
  "public.ledger_entries",
  "public.ledger_postings",
  "public.order_events",
  "public.payout_approvals",
];

test.each(APPEND_ONLY)(
  "L7: the service can neither change nor delete rows of %s",
  async (table) => {
    expect(grants.appendOnly).toContain(table);
    for (const text of [
      `delete from ${table}`,
      `truncate ${table}`,
      `alter table ${table} disable trigger all`,
      `drop table ${table} cascade`,
    ]) {
      await expect(run(service, text)).rejects.toThrow(/permission denied|must be owner/);
    }
    const [column] = await owner.query<{ name: string }>(
      statement(
        "",
        `select attname as name from pg_attribute
       where attrelid = '${table}'::regclass and attnum > 0 and attidentity = '' limit 1`,
      ),
    );
    const update = `update ${table} set ${column?.name} = ${column?.name}`;
    await expect(run(service, update)).rejects.toThrow("permission denied");
  },
);

test("L7: the service can neither create tables nor change functions or the checksums", async () => {
  for (const text of [
    "create table mine (id int)",
    "create or replace function refuse_change() returns trigger language sql as $$ select null $$",
    "update migrations set checksum = ''",
    "delete from orders",
    "set session_replication_role = replica",
  ]) {
    await expect(run(service, text), text).rejects.toThrow(/permission denied|must be owner/);
  }
});

test("L7: the service starts on a migrated database, and says who must migrate another", async () => {
  expect(await migrate(service)).toMatchObject({ applied: [] });
  const [last] = await owner.query<{ name: string; checksum: string }>(
    statement(
      "",
      "select name, checksum from migrations where name !~ '/' order by name desc limit 1",
    ),
  );
  await run(owner, `delete from migrations where name = '${last?.name}'`);
  const refused = migrate(service);
  await expect(refused).rejects.toThrow(MigrationError);
  await expect(refused).rejects.toThrow("exchange database grants");
  const values = `('${last?.name}', '${last?.checksum}')`;
  await run(owner, `insert into migrations (name, checksum) values ${values}`);
});

test("L7: grants are not given to a role that they do not bind, and can be given again", async () => {
  await expect(grantService(owner, "nobody_here")).rejects.toThrow("create role nobody_here");
  await expect(grantService(owner, "postgres")).rejects.toThrow(GrantsError);
  await run(owner, `grant delete on ledger_entries to ${ROLE}`);
  expect(await grantService(owner, ROLE)).toEqual(grants);
  await expect(run(service, "delete from ledger_entries")).rejects.toThrow("permission denied");
});
