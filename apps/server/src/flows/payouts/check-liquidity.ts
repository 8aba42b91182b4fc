import { unitsOf } from "../../domain/ledger/entry.ts";
import { exchangeEntries } from "../../domain/ledger/order-entries.ts";
import type { Order } from "../../storage/orders/orders.ts";
import { findOverdrawn } from "../../storage/payouts/liquidity.ts";
import type { Tx } from "../../storage/postgres/database.ts";
import { readQuote } from "../../storage/quotes/quotes.ts";
import type { Deps } from "../deps.ts";

/**
 * Whether exchanging the order would take our debt in the asset received beyond its limit. Asked in
 * the database transaction that records the exchange: where there is a limit, exchanges into the
 * asset wait for each other until they commit, so that two cannot use the same room.
 */
export async function findShortfall(
  tx: Tx,
  _deps: Pick<Deps, "catalogue">,
  order: Order,
): Promise<boolean> {
  const stored = await readQuote(tx, order);
  if (!stored) throw new Error(`the quote of order ${order.id} is missing`);
  const [, received] = exchangeEntries({ orderId: order.id, ...stored.quote });
  const adds = unitsOf(received, "liquidity").units;
  return (await findOverdrawn(tx, [{ liquidity: order.receiveAssetId, adds }])) !== undefined;
}
