import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { randomIds } from "../../secrets/random-ids.ts";
import { openHistoryFile } from "../../start/history-file.ts";
import { migrateDatabase, planDatabase } from "../../start/migrate-database.ts";
import { requireEnvironment } from "../../start/open-storage.ts";
import { openSafeDatabase } from "../../start/safe-database.ts";
import { StartError } from "../../start/start-error.ts";
import { startEmbeddedPostgres } from "../../storage/embedded/embedded-postgres.ts";
import { continueHere, readHistory, setRestored } from "../../storage/history.ts";
import { checkLedger } from "../../storage/ledger/checks.ts";
import {
  copyTables,
  isInUse,
  listTables,
  sumTables,
  withoutWriters,
} from "../../storage/move/copy-tables.ts";
import { ADVISORY_LOCKS } from "../../storage/postgres/advisory-locks.ts";
import { tryConnectionLock } from "../../storage/postgres/connection-lock.ts";
import { countOtherConnections } from "../../storage/postgres/connections.ts";
import type { Database, DatabaseOptions, Tx } from "../../storage/postgres/database.ts";
import { type Command, type CommandContext, type CommandResult, UsageError } from "../command.ts";
import { withServer } from "../with-database.ts";

const WAIT_MS = 600_000;
/** A statement of a move takes as long as its table is large, so the driver waits for its answer. */
const ANSWER_MS = 2 ** 31 - 1;
const MOVED = "it was moved to another server";
/** A move looks for about five seconds whether everything else is disconnected. */
const LOOKS_MAX = 51;
const LOOK_AGAIN_MS = 100;

export const moveCommand: Command = {
  name: "move",
  summary: "Move the database of the stopped service to another PostgreSQL server.",
  options: {
    to: {
      value: "PLACE",
      required: true,
      description:
        "An empty database, such as postgres://exchange@db.internal/exchange, or an empty data folder for an embedded server. Keep the password in ~/.pgpass.",
    },
  },
  example: "move --to postgres://exchange@db.internal/exchange",
  run: (context, input) => {
    const to = input.required("to");
    return withServer(context.config(), context, async (database, { connection }) => {
      await requireStopped(context, database, "this database");
      const release = await claimSource(context, connection);
      // The statements of a move take as long as the tables are large.
      const source = await openForMove(connection);
      try {
        await requireMigrated(context, source);
        return await withTarget(to, (target) => move({ context, source, target, to }));
      } finally {
        await source.close();
        await release();
      }
    });
  },
};

const openForMove = (connection: DatabaseOptions): Promise<Database> =>
  openSafeDatabase({ ...connection, poolSize: 1, waitMs: WAIT_MS, answerMs: ANSWER_MS });

/** Takes the lock of the service, so that none starts meanwhile. */
async function claimSource(
  context: CommandContext,
  connection: DatabaseOptions,
): Promise<() => Promise<void>> {
  let release: (() => Promise<void>) | undefined;
  await untilDisconnected(context, "this database", async () => {
    const lock = await tryConnectionLock(connection, ADVISORY_LOCKS.service);
    if (lock instanceof Error) throw lock;
    release = lock?.release;
    return lock !== undefined;
  });
  return async () => release?.();
}

const requireStopped = (
  context: CommandContext,
  database: Database,
  which: string,
): Promise<void> =>
  untilDisconnected(context, which, async () => (await countOtherConnections(database)) === 0);

/** PostgreSQL ends the connections of a process a moment after the process, so a service that just stopped is not refused. */
async function untilDisconnected(
  { progress }: CommandContext,
  which: string,
  look: () => Promise<boolean>,
): Promise<void> {
  for (let looks = 1; !(await look()); looks += 1) {
    if (looks === LOOKS_MAX) {
      throw new StartError(
        `A service or another program is connected to ${which}. Stop every process of the service and every other client, and try again.`,
      );
    }
    if (looks === 1) progress(`waiting for the last connections to ${which} to end`);
    await sleep(LOOK_AGAIN_MS);
  }
}

async function requireMigrated(context: CommandContext, source: Database): Promise<void> {
  const { pending, newer, edited } = await planDatabase(source, context.config());
  if (pending.length + newer.length + edited.length === 0) return;
  throw new StartError(
    "The database is not of this version of Exchange. Run `exchange migrate status`, and move it with the version that it is of.",
  );
}

const isAddress = (to: string): boolean => /^postgres(ql)?:\/\//.test(to);

/** Opens the place that the database is moved to. A data folder gets an embedded server, which is stopped at the end. */
async function withTarget<T>(to: string, work: (target: Database) => Promise<T>): Promise<T> {
  if (isAddress(to)) {
    if (!URL.canParse(to)) throw new UsageError("--to is not an address of a PostgreSQL database.");
    return withClosed(await openForMove({ connectionString: to }), work);
  }
  const dataDir = join(resolve(to), "postgres");
  const server = await startEmbeddedPostgres({ dataDir: requireNoDatabase(dataDir) });
  try {
    return await withClosed(await openForMove(server.connection), work);
  } finally {
    await server.stop();
  }
}

function requireNoDatabase(dataDir: string): string {
  if (!existsSync(dataDir) || readdirSync(dataDir).length === 0) return dataDir;
  throw new StartError(
    `${dataDir} is not empty. A move replaces no database: name another folder, or move this one away.`,
  );
}

async function withClosed<T>(database: Database, work: (open: Database) => Promise<T>): Promise<T> {
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

interface Move {
  readonly context: CommandContext;
  readonly source: Database;
  readonly target: Database;
  readonly to: string;
}

/** Copies, compares, and only then lets the target continue where the source ended. */
async function move({ context, source, target, to }: Move): Promise<CommandResult> {
  const config = context.config();
  await requireStopped(context, target, "the target");
  if (await isInUse(target)) {
    throw new StartError(
      "The target is not empty. A move replaces no database: create another one, and try again.",
    );
  }
  await requireEnvironment(source, { config, ids: randomIds });
  await migrateDatabase(target, config);
  await requireSameTables(source, target);
  const { rows, tables, orders, entries } = await withoutWriters(source, (from) =>
    copyAndLeave(context, from, target),
  );
  const { installation, mark } = await readHistory(target);
  await continueHere(target);
  if (!isAddress(to)) openHistoryFile(resolve(to)).write(installation, mark);
  const where = isAddress(to) ? "DATABASE_URL" : "EXCHANGE_DATA_DIR";
  const text =
    `Moved ${rows} rows of ${tables} tables, and compared all of them. The ledger of ${orders} orders is right.\n` +
    `Start the service with ${where} set to the new place. The old database pays nothing any more: keep it until the ` +
    "first backup of the new one.";
  return { json: { rows, tables, orders, entries }, text };
}

/**
 * Copies and compares, and makes the source one that pays nothing. A process that dies before the end changes nothing
 * there.
 */
async function copyAndLeave(context: CommandContext, from: Tx, target: Database) {
  await copyTables(from, target, (name, rows) =>
    context.progress(`copied ${rows} rows of ${name}`),
  );
  const { rows, tables } = await requireSameRows(from, target);
  context.progress(`compared ${rows} rows of ${tables} tables`);
  const report = await checkLedger(target);
  if (!report.ok) {
    const [first] = report.problems;
    throw new StartError(
      `The copy is the same as the original, and its ledger is not right: ${first?.check}: ${first?.problem}. ` +
        "Nothing was moved. Run `exchange ledger check` on the original.",
    );
  }
  await requireStopped(context, target, "the target");
  // From here on a service that is started on the original by mistake pays nothing. Only then may the copy pay.
  await setRestored(from, { why: MOVED, lastMark: 0n });
  const { orders, entries } = report;
  return { rows, tables, orders, entries };
}

async function requireSameTables(source: Database, target: Database): Promise<void> {
  const [from, to] = [await listTables(source), await listTables(target)];
  const shapes = new Map(to.map(({ name, shape }) => [name, shape]));
  const other = from.find(({ name, shape }) => shapes.get(name) !== shape);
  const missing = to.find(({ name }) => !from.some((table) => table.name === name));
  const wrong = other ?? missing;
  if (wrong === undefined) return;
  throw new StartError(
    `The table ${wrong.name} is not the one that the migrations make, so it cannot be moved. Remove tables that are not of Exchange.`,
  );
}

async function requireSameRows(
  source: Tx,
  target: Database,
): Promise<{ readonly rows: number; readonly tables: number }> {
  const [from, to] = await Promise.all([sumTables(source), target.transaction(sumTables)]);
  const sums = new Map(to.map((sum) => [sum.name, sum]));
  const wrong = from.find(({ name, rows, checksum }) => {
    const copy = sums.get(name);
    return copy?.rows !== rows || copy.checksum !== checksum;
  });
  if (wrong) {
    throw new StartError(
      `The copy of ${wrong.name} differs from the original. Nothing was moved. Create another empty database, and try again.`,
    );
  }
  return { rows: from.reduce((sum, { rows }) => sum + rows, 0), tables: from.length };
}
