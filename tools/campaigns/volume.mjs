// The same reads and the same check over ten thousand orders and over a million: what a page costs must
// not grow with the books. Orders are written by one script of SQL, every operation and every kind of
// end, and `exchange ledger check` proves them. A database of its own, removed at the end.
import { mkdtemp, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { LOADING_SETTINGS, loadBooks, ORDERS_PER_BATCH } from "./volume/load.mjs";
import { measure } from "./volume/measure.mjs";
import { makeService } from "./volume/service.mjs";

const BATCHES_DEFAULT = 100;
const BYTES_PER_ORDER = 6_000;
/** Over how long they were placed. */
const DAYS = 80;
/** The write-ahead log, and sorting while indexes are built. */
const BYTES_SPARE = 4_000_000_000;
const READ_RATIO_MAX = 1.5;
const CHECK_MINUTES_MAX_PER_MILLION = 10;

/** `rounds` is how many times ten thousand orders: a hundred, a million orders, when left out. */
export async function campaign({ seed, rounds = BATCHES_DEFAULT, print }) {
  const orders = rounds * ORDERS_PER_BATCH;
  await requireDisk(orders, print);
  const dataDir = await mkdtemp(path.join(tmpdir(), "exchange-volume-"));
  const service = makeService({ dataDir, print });
  try {
    return await run({ service, orders, seed, print });
  } finally {
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
    print("removed the database");
  }
}

async function requireDisk(orders, print) {
  const needed = orders * BYTES_PER_ORDER + BYTES_SPARE;
  const { bavail, bsize } = await statfs(tmpdir());
  const gigabytes = (bytes) => (bytes / 1e9).toFixed(1);
  print(`needs ${gigabytes(needed)} GB in ${tmpdir()}, ${gigabytes(bavail * bsize)} GB are free`);
  if (bavail * bsize < needed)
    throw new Error("There is not enough free disk for this many orders.");
}

async function run({ service, orders, seed, print }) {
  const merchant = await service.makeMerchant();
  const load = (first, last) =>
    service.withDatabase(
      (database) => loadBooks(database, { merchant, first, last, days: DAYS, print }),
      LOADING_SETTINGS,
    );
  const read = async (last) => {
    await service.start();
    const measured = await measure(service, { merchant, last, seed, print });
    await service.stop();
    return measured;
  };
  await load(1, ORDERS_PER_BATCH);
  const few = await read(ORDERS_PER_BATCH);
  if (orders > ORDERS_PER_BATCH) await load(ORDERS_PER_BATCH + 1, orders);
  const many = await read(orders);
  const checked = await service.checkLedger();
  const stops = await service.withDatabase(countStops);
  return judge({ few, many, checked, stops, orders, print });
}

async function countStops(database) {
  const [row] = await database.query({
    name: "volume_stops",
    text: "select count(*)::int as count from stops",
  });
  return row.count;
}

function judge({ few, many, checked, stops, orders, print }) {
  const failures = [];
  const replay = `npm run campaign -- volume --rounds ${orders / ORDERS_PER_BATCH}`;
  for (const [name, small] of Object.entries(few)) {
    const large = many[name];
    const ratio = large.p50 / small.p50;
    const told = (row) => `${row.p50.toFixed(2)} ms (p99 ${row.p99.toFixed(2)})`;
    print(
      `${name}: ${told(small)} at ${ORDERS_PER_BATCH} orders, ${told(large)} at ${orders}; ` +
        `ratio ${ratio.toFixed(2)}, at most ${READ_RATIO_MAX}`,
    );
    if (ratio > READ_RATIO_MAX)
      failures.push(`${name} is ${ratio.toFixed(2)} times as slow: ${replay}`);
  }
  const minutes = checked.seconds / 60;
  const minutesMax = CHECK_MINUTES_MAX_PER_MILLION * Math.max(1, orders / 1_000_000);
  print(`ledger check: ${checked.seconds.toFixed(0)} s; ${checked.text}`);
  if (!checked.ok) failures.push(`the books are wrong: ${checked.text}: ${replay}`);
  if (minutes > minutesMax)
    failures.push(`the ledger check took ${minutes.toFixed(1)} minutes: ${replay}`);
  if (stops > 0) failures.push(`the auditor stopped the payouts: ${replay}`);
  return { ran: orders, failures };
}
