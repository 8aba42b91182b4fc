import type { Break } from "../domain/ledger/audit-facts.ts";
import {
  type AssetBook,
  listLateSends,
  readBooks,
  readEarly,
  readOneMoment,
  settleUnbooked,
  storeComparison,
} from "../storage/chains/books.ts";
import { findCursor } from "../storage/chains/cursors.ts";
import { readBalance } from "../storage/ledger/balances.ts";
import { stopForBreaks } from "../storage/payouts/network-stops.ts";
import type { Tx } from "../storage/postgres/database.ts";
import { reportBreaks, type Scan } from "./scan.ts";

/**
 * Compares the books with the balances of our addresses at the final block, to the unit of each asset. Movements that
 * the books do not have yet, and payouts whose blocks are not final, are taken into account. A difference stops the
 * network.
 */
export async function compareBooks(scan: Scan): Promise<void> {
  const { database, networkCode, settings } = scan;
  const { bookedWithinSeconds, minedAgainWithinSeconds = bookedWithinSeconds } = settings;
  const breaks = await database.transaction(async (tx) => {
    await readOneMoment(tx);
    const cursor = await findCursor(tx, networkCode);
    if (!cursor) return [];
    await settleUnbooked(tx, networkCode);
    const early = await readEarly(tx, networkCode, bookedWithinSeconds);
    const found: Break[] = [];
    for (const book of await readBooks(tx, networkCode)) {
      const difference = await differenceOf(tx, book, early.get(book.assetId) ?? 0n);
      const height = cursor.finalHeight;
      await storeComparison(tx, networkCode, { assetId: book.assetId, difference, height });
      const isNew = difference !== 0n && difference !== book.difference;
      if (isNew) found.push(breakOf(networkCode, { ...book, difference }, height));
    }
    const late = await listLateSends(tx, networkCode, {
      bookedSeconds: bookedWithinSeconds,
      minedAgainSeconds: minedAgainWithinSeconds,
    });
    found.push(
      ...late.map(
        ({ id, hash }): Break => ({
          check: "a settled payout is on its chain",
          problem: `${id} is settled by transaction ${hash}, which no block of ${networkCode} has`,
        }),
      ),
    );
    return stopForBreaks(tx, networkCode, found);
  });
  reportBreaks(scan, breaks);
}

async function differenceOf(tx: Tx, book: AssetBook, early: bigint): Promise<bigint> {
  const { assetId, openingUnits, chainUnits, unbookedUnits } = book;
  const of = { merchantId: "all", purpose: "chain_wallet", assetId };
  const booked = (await readBalance(tx, of)) - openingUnits;
  return booked - (chainUnits - unbookedUnits + early);
}

function breakOf(
  networkCode: string,
  { assetReference, difference }: AssetBook,
  height: bigint,
): Break {
  const [units, side] = difference > 0n ? [difference, "more"] : [-difference, "fewer"];
  const problem = `our books have ${units} units of ${assetReference} ${side} than our addresses on ${networkCode} at block ${height}`;
  return { check: "our books have what the chain has", problem };
}
