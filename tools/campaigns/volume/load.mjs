import { readFile } from "node:fs/promises";

export const ORDERS_PER_BATCH = 10_000;
const BOOKS = new URL("books.sql", import.meta.url);

/** Writes orders `first` to `last` with all that belongs to them, past the triggers. */
export async function loadBooks(database, { merchant, first, last, print }) {
  const books = await readFile(BOOKS, "utf8");
  const startedAtMs = performance.now();
  let toldAtMs = startedAtMs;
  for (let from = first; from <= last; from += ORDERS_PER_BATCH) {
    const to = Math.min(from + ORDERS_PER_BATCH - 1, last);
    const script = books
      .replaceAll("__FIRST__", String(from))
      .replaceAll("__LAST__", String(to))
      .replaceAll("__MERCHANT__", merchant.clientId);
    await database.transaction(async (tx) => {
      await tx.runScript("set local session_replication_role = replica");
      await tx.runScript(`set local statement_timeout = 0; ${script}`);
    });
    if (performance.now() - toldAtMs < 10_000) continue;
    toldAtMs = performance.now();
    print(`loaded ${to} of ${last} orders, ${perSecond(to - first + 1, startedAtMs)} a second`);
  }
  print(`loaded ${last} orders; counting what is where, as the database does by itself in time`);
  for (const text of ["set statement_timeout = 0", "vacuum analyze", "checkpoint"]) {
    await database.query({ name: `volume ${text}`, text });
  }
}

const perSecond = (count, startedAtMs) =>
  Math.round(count / ((performance.now() - startedAtMs) / 1_000));
