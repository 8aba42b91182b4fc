import { readFile } from "node:fs/promises";

const ORDERS_PER_BATCH = 10_000;
const BOOKS = new URL("books.sql", import.meta.url);
const PROGRESS_EVERY_MS = 10_000;
/** Connections that load at the same time. */
export const LOADERS = 3;
const UNCHECKED = "set local statement_timeout = 0; set local session_replication_role = replica";

/** The tables that books.sql fills and does not read. */
const TABLES = [
  ...["sessions", "quotes", "orders", "order_events", "payment_attempts", "deposits"],
  ...["payout_intents", "events", "deliveries"],
  ...["ledger_entries", "ledger_postings"],
];

/** Server settings during a load. Rows that a crash loses are loaded again. */
export const LOADING_SETTINGS = [
  ...["fsync=off", "full_page_writes=off", "wal_level=minimal", "max_wal_senders=0"],
  ...["max_wal_size=2GB", "checkpoint_timeout=1h", "autovacuum=off", "shared_buffers=1GB"],
  ...["maintenance_work_mem=1GB", "max_parallel_maintenance_workers=2", "temp_buffers=256MB"],
];

/**
 * Writes orders `first` to `last` with all their rows, past the triggers, placed evenly over the last
 * `days`. The indexes are left out meanwhile and built at the end.
 */
export async function loadBooks(database, { merchant, first, last, days, print }) {
  await leaveIndexesOut(database);
  await writeOrders(database, { merchant, first, last, days, print });
  for (const table of TABLES) {
    const startedAtMs = performance.now();
    await runAlone(database, `vacuum (freeze, analyze) ${table}`);
    await runAlone(database, `reindex table ${table}`);
    const seconds = (performance.now() - startedAtMs) / 1_000;
    if (seconds > 1) print(`analyzed and indexed ${table}: ${seconds.toFixed(0)} s`);
  }
  await runAlone(database, "analyze");
  await runAlone(database, "checkpoint");
}

/** Marks the indexes as not ready, so that they take no rows. `reindex` builds them from the table. */
async function leaveIndexesOut(database) {
  await database.query(
    {
      name: "scale_leave_indexes_out",
      text: `update pg_index set indisready = false, indisvalid = false
        where indrelid in (select oid from pg_class
          where relname = any($1) and relnamespace = 'public'::regnamespace)`,
    },
    [TABLES],
  );
}

/** Writes several batches at a time: each batch keeps one of the server's processes busy. */
async function writeOrders(database, { merchant, first, last, days, print }) {
  const books = await readFile(BOOKS, "utf8");
  const ago = `(${last} - n) / ${last - first + 1}.0 * interval '${days} days'`;
  const startedAtMs = performance.now();
  let [next, done, printedAtMs] = [first, 0, startedAtMs];
  const write = async () => {
    while (next <= last) {
      const [from, to] = [next, Math.min(next + ORDERS_PER_BATCH - 1, last)];
      next = to + 1;
      const script = books
        .replaceAll("__FIRST__", String(from))
        .replaceAll("__LAST__", String(to))
        .replaceAll("__AT__", `business_now() - ${ago}`)
        .replaceAll("__MERCHANT__", merchant.clientId);
      await database.transaction((tx) => tx.runScript(`${UNCHECKED}; ${script}`));
      done += to - from + 1;
      if (performance.now() - printedAtMs < PROGRESS_EVERY_MS && next <= last) continue;
      printedAtMs = performance.now();
      print(
        `loaded ${done} of ${last - first + 1} orders, ${perSecond(done, startedAtMs)} a second`,
      );
    }
  };
  await Promise.all(Array.from({ length: LOADERS }, write));
}

/** Runs a statement outside a transaction and without a timeout. */
const runAlone = async (database, text) => {
  await database.query({ name: "scale_no_timeout", text: "set statement_timeout = 0" });
  await database.query({ name: `scale ${text}`, text });
};

const perSecond = (count, startedAtMs) =>
  Math.round(count / ((performance.now() - startedAtMs) / 1_000));
