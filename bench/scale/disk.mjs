import { statfs } from "node:fs/promises";

/** Of database for each order: all that stays, and its events with their deliveries. */
const BYTES_PER_ORDER = 4_250;
const BYTES_OF_EVENTS_PER_ORDER = 1_850;
/** Events are cleared away after as many days. */
const EVENT_DAYS = 90;
/** The write-ahead log, sorting while indexes are built, the few orders, what the writes add. */
const BYTES_SPARE = 6_000_000_000;

/** Says what so many orders need and throws when the disk has less. */
export async function requireDisk({ folder, orders, days, print }) {
  const kept = Math.min(1, EVENT_DAYS / days);
  const perOrder = BYTES_PER_ORDER + BYTES_OF_EVENTS_PER_ORDER * kept;
  const needed = Math.max(0, orders) * perOrder + BYTES_SPARE;
  const { bavail, bsize } = await statfs(folder);
  const gigabytes = (bytes) => (bytes / 1e9).toFixed(1);
  print(`needs ${gigabytes(needed)} GB in ${folder}, ${gigabytes(bavail * bsize)} GB are free`);
  if (bavail * bsize >= needed) return;
  throw new Error(
    "There is not enough free disk: ask for fewer --orders, or spread them over more --days.",
  );
}
