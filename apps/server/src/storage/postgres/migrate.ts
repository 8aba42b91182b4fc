import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { analyzeGrownTables } from "./analyze.ts";
import { type Database, statement, type Tx } from "./database.ts";
import { runExclusively } from "./exclusive.ts";

/** A folder of numbered SQL files. In the database their names begin with the prefix. */
export interface MigrationSet {
  readonly folder: URL;
  readonly prefix: "" | "sandbox/";
}

// The path leads to the folder of the SQL files from dist/storage/postgres and from src/storage/postgres.
const SERVICE: MigrationSet = {
  folder: new URL("../../../src/storage/migrations/", import.meta.url),
  prefix: "",
};
const FILE_NAME = /^\d{4}_[a-z_]+\.sql$/;
const PREPARE = statement(
  "migrate_prepare",
  `create table if not exists migrations (
     name text primary key, applied_at timestamptz not null default clock_timestamp())`,
);
// The service's role may not create tables, even one that exists.
const HAS_TABLE = statement(
  "migrate_has_table",
  "select to_regclass('migrations') is not null as exists",
);
const HAS_CHECKSUMS = statement(
  "migrate_has_checksums",
  `select from pg_attribute
   where attrelid = 'migrations'::regclass and attname = 'checksum' and not attisdropped`,
);
// Versions without checksums left none; the next start records them.
const ADD_CHECKSUMS = statement(
  "migrate_add_checksums",
  "alter table migrations add column checksum text",
);
// A migration of a large table may take long.
const LIFT_TIMEOUTS = statement(
  "migrate_lift_timeouts",
  "select set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true)",
);
const MAY_CREATE = statement(
  "migrate_may_create",
  `select has_schema_privilege('public', 'create')
     and pg_has_role((select relowner from pg_class where oid = 'migrations'::regclass), 'usage') as may`,
);
const READ = statement(
  "migrate_read",
  `select name, checksum from migrations
   where coalesce(substring(name from '^.*/'), '') = $1 order by name`,
);
const READ_NAMES = statement(
  "migrate_read_names",
  `select name, null as checksum from migrations
   where coalesce(substring(name from '^.*/'), '') = $1 order by name`,
);
const FIND = statement("migrate_find", "select name from migrations where name = $1");
const RECORD = statement(
  "migrate_record",
  "insert into migrations (name, checksum) values ($1, $2)",
);
const RECORD_CHECKSUM = statement(
  "migrate_record_checksum",
  "update migrations set checksum = $2 where name = $1 and checksum is null",
);

/** The migrations of the database are not those of this version, so nothing was changed. */
export class MigrationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "MigrationError";
  }
}

export interface Migrated {
  /** The files that were applied, in order. */
  readonly applied: readonly string[];
  /** Files that a version without checksums had applied, and whose checksums were recorded now. */
  readonly checksumsRecorded: readonly string[];
}

interface Migration {
  readonly name: string;
  readonly text: string;
  /** SHA-256 of the file, in hexadecimal digits. */
  readonly checksum: string;
}

/**
 * Applies the new files of a set in order, each in a database transaction of its own. Throws a
 * `MigrationError` and changes nothing when an applied file was edited or this version does not have it.
 */
export async function migrate(database: Database, set: MigrationSet = SERVICE): Promise<Migrated> {
  const migrations = await readMigrations(set);
  const checksumsRecorded = await migration(database, (tx) =>
    checkApplied(tx, migrations, set.prefix),
  );
  const applied: string[] = [];
  for (const each of migrations) {
    if (await migration(database, (tx) => applyMigration(tx, each))) applied.push(each.name);
  }
  // Without statistics the service is slower and correct, so a failure waits for the hourly analysis.
  if (applied.length > 0) await analyzeGrownTables(database).catch(() => {});
  return { applied, checksumsRecorded };
}

/** The files of a set, compared with those that the database has. */
export interface MigrationPlan {
  readonly applied: readonly string[];
  /** Files of this version that the database does not have yet, in order. */
  readonly pending: readonly PendingMigration[];
  /** Names in the database that this version does not have: a newer version applied them. */
  readonly newer: readonly string[];
  /** Applied files whose text is now another one. */
  readonly edited: readonly string[];
}

export interface PendingMigration {
  readonly name: string;
  readonly text: string;
}

/** Compares a set with the database and changes nothing. */
export async function planMigrations(
  database: Database,
  set: MigrationSet = SERVICE,
): Promise<MigrationPlan> {
  const migrations = await readMigrations(set);
  const files = new Map(migrations.map((each) => [each.name, each.checksum]));
  const rows = await readApplied(database, set.prefix);
  const names = new Set(rows.map(({ name }) => name));
  const isEdited = ({ name, checksum }: AppliedRow): boolean =>
    checksum !== null && files.has(name) && files.get(name) !== checksum;
  return {
    applied: rows.map(({ name }) => name),
    pending: migrations.filter(({ name }) => !names.has(name)),
    newer: rows.map(({ name }) => name).filter((name) => !files.has(name)),
    edited: rows.filter(isEdited).map(({ name }) => name),
  };
}

interface AppliedRow {
  readonly name: string;
  readonly checksum: string | null;
}

/** Versions without checksums left a table without their column. */
async function readApplied(database: Database, prefix: string): Promise<AppliedRow[]> {
  const [found] = await database.query<{ exists: boolean }>(HAS_TABLE);
  if (found?.exists !== true) return [];
  const hasChecksums = (await database.query(HAS_CHECKSUMS)).length > 0;
  return database.query<AppliedRow>(hasChecksums ? READ : READ_NAMES, [prefix]);
}

async function readMigrations({ folder, prefix }: MigrationSet): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => FILE_NAME.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, folder), "utf8");
      return {
        name: `${prefix}${name}`,
        text,
        checksum: createHash("sha256").update(text).digest("hex"),
      };
    }),
  );
}

/** Runs the work in a database transaction that excludes all other migrations. */
const migration = <T>(database: Database, work: (tx: Tx) => Promise<T>): Promise<T> =>
  runExclusively(database, { lock: "migrations", doing: "migrating this database" }, async (tx) => {
    await tx.query(LIFT_TIMEOUTS);
    return work(tx);
  });

async function checkApplied(
  tx: Tx,
  migrations: readonly Migration[],
  prefix: string,
): Promise<string[]> {
  const [found] = await tx.query<{ exists: boolean }>(HAS_TABLE);
  if (found?.exists !== true) await tx.query(PREPARE);
  if ((await tx.query(HAS_CHECKSUMS)).length === 0) await tx.query(ADD_CHECKSUMS);
  const files = new Map(migrations.map((each) => [each.name, each.checksum]));
  const recorded: string[] = [];
  for (const row of await tx.query<AppliedRow>(READ, [prefix])) {
    const checksum = files.get(row.name);
    if (checksum === undefined) throw newerDatabase(row.name);
    if (row.checksum === null) {
      await tx.query(RECORD_CHECKSUM, [row.name, checksum]);
      recorded.push(row.name);
    } else if (row.checksum !== checksum) throw editedFile(row.name);
  }
  return recorded;
}

const newerDatabase = (name: string): MigrationError =>
  new MigrationError(
    `The database was migrated by a newer version of Exchange: it has ${name}, which this version does ` +
      "not know. Start the newer version again, or restore a backup that was made before the update.",
  );

const editedFile = (name: string): MigrationError =>
  new MigrationError(
    `The file ${name} is not the one that was applied to this database: its checksum differs. Restore ` +
      "the file of the release. To change the tables, add a migration with the next number.",
  );

async function mayMigrate(tx: Tx): Promise<boolean> {
  const [row] = await tx.query<{ may: boolean }>(MAY_CREATE);
  return row?.may === true;
}

const unprivileged = (name: string): MigrationError =>
  new MigrationError(
    `${name} is not applied, and the role of DATABASE_URL may not migrate. As the owner of the tables ` +
      "run: exchange database grants <the service's role>. Then start again.",
  );

/** Applies a file. Returns false when it was applied before. */
async function applyMigration(tx: Tx, { name, text, checksum }: Migration): Promise<boolean> {
  if ((await tx.query(FIND, [name])).length > 0) return false;
  if (!(await mayMigrate(tx))) throw unprivileged(name);
  await tx.runScript(text);
  await tx.query(RECORD, [name, checksum]);
  return true;
}
