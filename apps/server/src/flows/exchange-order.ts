import { money } from "@exchange/money";
import { exchangeEntries, reserveEntry } from "../domain/ledger/order-entries.ts";
import { decide } from "../domain/orders/machine.ts";
import type { Tx } from "../storage/database.ts";
import { finishJob, type LeasedJob } from "../storage/jobs.ts";
import { recordEntry } from "../storage/ledger.ts";
import type { Order } from "../storage/orders.ts";
import { insertPayoutIntent } from "../storage/payout-intents.ts";
import { readQuote } from "../storage/quotes.ts";
import type { Deps } from "./deps.ts";
import { carryOutMove } from "./move-order.ts";
import { requireOrder } from "./require-order.ts";

/**
 * Exchanges what was paid at the accepted quote, reserves what the customer gets and writes the
 * payout intent: one database transaction, nothing outside.
 */
export async function exchangeOrder(deps: Deps, job: LeasedJob): Promise<void> {
  await deps.database.transaction(async (tx) => {
    await finishJob(tx, job);
    const order = await requireOrder(tx, job.orderId);
    const move = decide(order, { kind: "exchanged" }, order.lockedAt);
    if (!move) return;
    await recordExchange(tx, order);
    await reservePayout(tx, deps, order);
    await carryOutMove(tx, deps, { order, move });
  });
}

async function recordExchange(tx: Tx, order: Order): Promise<void> {
  const stored = await readQuote(tx, order);
  if (!stored) throw new Error(`the quote of order ${order.id} is missing`);
  for (const entry of exchangeEntries({ orderId: order.id, ...stored.quote })) {
    await recordEntry(tx, entry, { merchantId: order.merchantId, orderId: order.id });
  }
}

async function reservePayout(tx: Tx, deps: Deps, order: Order): Promise<void> {
  const currency = deps.catalogue().currencyById(order.receiveAssetId);
  if (!currency || order.walletAddress === null || order.networkCode === null) {
    throw new Error(`order ${order.id} does not say where its coins go`);
  }
  const intentId = deps.ids.uuid();
  await insertPayoutIntent(tx, {
    id: intentId,
    orderId: order.id,
    merchantId: order.merchantId,
    assetId: currency.id,
    units: order.receiveUnits,
    networkCode: order.networkCode,
    address: order.walletAddress,
    memo: order.memo,
  });
  const amount = money(currency, order.receiveUnits);
  await recordEntry(tx, reserveEntry({ intentId, amount }), {
    merchantId: order.merchantId,
    orderId: order.id,
  });
}
