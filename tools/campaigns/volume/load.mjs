import { readFile } from "node:fs/promises";

export const ORDERS_PER_BATCH = 10_000;
const BOOKS = new URL("books.sql", import.meta.url);
const TELL_EVERY_MS = 10_000;
/** Connections that load at the same time. */
export const LOADERS = 3;
const UNCHECKED = "set local statement_timeout = 0; set local session_replication_role = replica";

/** What books.sql fills and does not read. */
const TABLES = [
  ...["sessions", "quotes", "orders", "order_events", "payment_attempts", "deposits"],
  ...["payout_intents", "events", "deliveries"],
  ...["ledger_entries", "ledger_postings"],
];

/** For the server while it is loaded: what a crash would lose is loaded again. */
export const LOADING_SETTINGS = [
  ...["fsync=off", "full_page_writes=off", "wal_level=minimal", "max_wal_senders=0"],
  ...["max_wal_size=2GB", "checkpoint_timeout=1h", "autovacuum=off", "shared_buffers=1GB"],
  ...["maintenance_work_mem=1GB", "max_parallel_maintenance_workers=2", "temp_buffers=256MB"],
];

/**
 * Writes orders `first` to `last`, placed evenly over the last `days`, with all that belongs to them, past
 * the triggers. Their indexes are left out meanwhile and built at the end.
 */
export async function loadBooks(database, { merchant, first, last, days, print }) {
  await leaveIndexesOut(database);
  await writeOrders(database, { merchant, first, last, days, print });
  for (const table of TABLES) {
    const startedAtMs = performance.now();
    await runAlone(database, `vacuum (freeze, analyze) ${table}`);
    await runAlone(database, `reindex table ${table}`);
    const seconds = (performance.now() - startedAtMs) / 1_000;
    if (seconds > 1) print(`counted and indexed ${table}: ${seconds.toFixed(0)} s`);
  }
  await runAlone(database, "analyze");
  await runAlone(database, "checkpoint");
}

/** An index that is not ready takes no rows; `reindex` builds it from the table and makes it ready. */
async function leaveIndexesOut(database) {
  await database.query(
    {
      name: "volume_leave_indexes_out",
      text: `update pg_index set indisready = false, indisvalid = false
        where indrelid in (select oid from pg_class
          where relname = any($1) and relnamespace = 'public'::regnamespace)`,
    },
    [TABLES],
  );
}

/** Several batches at a time, as each is the work of one of the server's processes. */
async function writeOrders(database, { merchant, first, last, days, print }) {
  const books = await readFile(BOOKS, "utf8");
  const ago = `(${last} - n) / ${last - first + 1}.0 * interval '${days} days'`;
  const startedAtMs = performance.now();
  let [next, done, toldAtMs] = [first, 0, startedAtMs];
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
      if (performance.now() - toldAtMs < TELL_EVERY_MS && next <= last) continue;
      toldAtMs = performance.now();
      print(
        `loaded ${done} of ${last - first + 1} orders, ${perSecond(done, startedAtMs)} a second`,
      );
    }
  };
  await Promise.all(Array.from({ length: LOADERS }, write));
}

/** Outside any transaction, and however long it takes. */
const runAlone = async (database, text) => {
  await database.query({ name: "volume_take_long", text: "set statement_timeout = 0" });
  await database.query({ name: `volume ${text}`, text });
};

const perSecond = (count, startedAtMs) =>
  Math.round(count / ((performance.now() - startedAtMs) / 1_000));
