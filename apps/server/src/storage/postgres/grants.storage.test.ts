import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { startJobs } from "../../jobs/worker.ts";
import { makeDatabase } from "../../testing/database.ts";
import { type HttpWorld, makeHttpWorld } from "../../testing/http-world.ts";
import { playOrder } from "../../testing/sandbox-play.ts";
import { checkLedger } from "../ledger/checks.ts";
import {
  DEFINER_FUNCTIONS,
  SEQUENCE_RIGHTS,
  SERVICE_ROLES,
  TABLE_RIGHTS,
  WORKER_FUNCTIONS,
} from "../role-rights.ts";
import { type Database, openDatabase, statement } from "./database.ts";
import { type Grants, GrantsError, grantService } from "./grants.ts";
import { MigrationError, migrate } from "./migrate.ts";

const ROLE = `service_${randomBytes(4).toString("hex")}`;
const run = <Row>(database: Database, text: string) => database.query<Row>(statement("", text));

let owner: Database;
let service: Database;
let grants: Grants;
let world: HttpWorld;

beforeAll(async () => {
  owner = await makeDatabase();
  await run(owner, `create role ${ROLE} login`);
  grants = await grantService(owner, ROLE, "all");
  const [row] = await run<{ name: string }>(owner, "select current_database() as name");
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

test("orders of every kind run to their end with the service's grants alone", async () => {
  const jobs = startJobs(world.deps);
  for (const order of ["buy by card", "sell", "swap", "transfer"]) {
    const row = { status: "completed", reason: "", order, requestMembers: [], steps: [], from: "" };
    const played = await playOrder(world, row);
    for (const status of ["processing", "completed"]) await played.advance(status);
    await played.until(({ status }) => status === "completed");
  }
  await jobs.stop();
  expect(await checkLedger(service)).toMatchObject({ problems: [] });
});

interface TableRow {
  readonly name: string;
  readonly refuses_update: boolean;
  readonly refuses_delete: boolean;
}
// In tgtype, 8 stands for delete and 16 for update. A trigger with a condition refuses only some changes.
const TABLES = `select c.relname as name,
    coalesce(bool_or(t.tgtype & 16 <> 0), false) as refuses_update,
    coalesce(bool_or(t.tgtype & 8 <> 0), false) as refuses_delete
  from pg_class c left join pg_trigger t on t.tgrelid = c.oid and t.tgqual is null
    and t.tgfoid = to_regproc('public.refuse_change') and t.tgattr = ''
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v')
  group by c.relname order by 1`;

test("every table of the schema has rights for each role, and no other table is named", async () => {
  const tables = await run<TableRow>(owner, TABLES);
  expect(Object.keys(TABLE_RIGHTS).toSorted()).toEqual(tables.map(({ name }) => name).toSorted());
  for (const { name, refuses_update, refuses_delete } of tables) {
    for (const role of SERVICE_ROLES) {
      const rights = TABLE_RIGHTS[name]?.[role] ?? "";
      if (refuses_update) expect(rights, `${role} on ${name}`).not.toMatch("update");
      if (refuses_delete) expect(rights, `${role} on ${name}`).not.toMatch("delete");
    }
  }
});

test("every sequence that no identity column owns has rights for each role", async () => {
  const sequences = await run<{ name: string }>(
    owner,
    `select relname as name from pg_class c where relkind = 'S' and relnamespace = 'public'::regnamespace
       and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'i') order by 1`,
  );
  expect(Object.keys(SEQUENCE_RIGHTS).toSorted()).toEqual(sequences.map(({ name }) => name));
});

test("functions that run with the owner's rights have a fixed search path, and are in the list", async () => {
  const functions = await run<{ name: string; path: string | null; isPublic: boolean }>(
    owner,
    `select p.oid::regprocedure::text as name, p.prorettype = 'trigger'::regtype as is_trigger,
       (select split_part(each, '=', 2) from unnest(p.proconfig) each where each like 'search_path=%') as path,
       has_function_privilege('public', p.oid, 'execute') and p.prorettype <> 'trigger'::regtype as "isPublic"
     from pg_proc p where p.prosecdef and p.pronamespace = 'public'::regnamespace order by 1`,
  );
  // A trigger's function cannot be called.
  const triggers = ["end_refund_address_approvals()", "keep_business_clock()", "resume_receipts()"];
  const callable = functions.filter(({ name }) => !triggers.includes(name));
  expect(callable.map(({ name }) => name.replaceAll(",", ", "))).toEqual(
    [...DEFINER_FUNCTIONS, ...WORKER_FUNCTIONS].toSorted(),
  );
  for (const { name, path, isPublic } of functions) {
    expect([name, path, isPublic]).toEqual([name, "pg_catalog, public, pg_temp", false]);
  }
});

const APPEND_ONLY = [
  "public.control_log",
  "public.ledger_entries",
  "public.ledger_postings",
  "public.order_events",
  "public.payout_approvals",
];

test.each(APPEND_ONLY)("the service can neither change nor delete rows of %s", async (table) => {
  expect(grants.tables[table]).toContain("select, insert");
  for (const text of [
    `delete from ${table}`,
    `truncate ${table}`,
    `alter table ${table} disable trigger all`,
    `drop table ${table} cascade`,
  ]) {
    await expect(run(service, text)).rejects.toThrow(/permission denied|must be owner/);
  }
  const [column] = await run<{ name: string }>(
    owner,
    `select attname as name from pg_attribute
       where attrelid = '${table}'::regclass and attnum > 0 and attidentity = '' limit 1`,
  );
  const update = `update ${table} set ${column?.name} = ${column?.name}`;
  await expect(run(service, update)).rejects.toThrow("permission denied");
});

test("the service can neither create tables nor change functions or the checksums", async () => {
  for (const text of [
    "create table mine (id int)",
    "create temporary table mine (id int)",
    "create or replace function refuse_change() returns trigger language sql as $$ select null $$",
    "update migrations set checksum = ''",
    "delete from orders",
    "set session_replication_role = replica",
  ]) {
    await expect(run(service, text), text).rejects.toThrow(/permission denied|must be owner/);
  }
});

test("the service starts on a migrated database, and says who must migrate another", async () => {
  expect(await migrate(service)).toMatchObject({ applied: [] });
  const [last] = await run<{ name: string; checksum: string }>(
    owner,
    "select name, checksum from migrations where name !~ '/' order by name desc limit 1",
  );
  await run(owner, `delete from migrations where name = '${last?.name}'`);
  const refused = migrate(service);
  await expect(refused).rejects.toThrow(MigrationError);
  await expect(refused).rejects.toThrow("exchange database grants");
  const values = `('${last?.name}', '${last?.checksum}')`;
  await run(owner, `insert into migrations (name, checksum) values ${values}`);
});

test("grants are not given to a role that they do not bind, and can be given again", async () => {
  await expect(grantService(owner, "nobody_here", "all")).rejects.toThrow(
    "create role nobody_here",
  );
  await expect(grantService(owner, "postgres", "all")).rejects.toThrow(GrantsError);
  await run(owner, `grant delete on ledger_entries to ${ROLE}`);
  expect(await grantService(owner, ROLE, "all")).toEqual(grants);
  await expect(run(service, "delete from ledger_entries")).rejects.toThrow("permission denied");
});
