import { type Consumed, heldReceipts, type Receipt } from "../../domain/orders/held.ts";
import { isExchanged } from "../../storage/ledger/entries.ts";
import type { Order } from "../../storage/orders/orders.ts";
import { findCapturedAttempt } from "../../storage/payments/attempts.ts";
import { listDeposits } from "../../storage/payments/deposits.ts";
import { listPayoutIntents, type PayoutIntent } from "../../storage/payouts/intents.ts";
import type { Tx } from "../../storage/postgres/database.ts";

/** What an order received and still holds, and all that it owes or owed. */
export interface HeldMoney {
  readonly held: readonly Receipt[];
  readonly intents: readonly PayoutIntent[];
  readonly exchanged: boolean;
}

/** Reads it in the caller's database transaction, which holds the order's lock. */
export async function readHeldMoney(tx: Tx, order: Order): Promise<HeldMoney> {
  const [receipts, intents, exchanged] = await Promise.all([
    listReceipts(tx, order.id),
    listPayoutIntents(tx, order.id),
    isExchanged(tx, order.id),
  ]);
  const returned = intents.filter(({ purpose, state }) => purpose !== "payout" && state !== "void");
  const consumed: Consumed = {
    assetId: order.spendAssetId,
    units: exchanged ? order.spendUnits : 0n,
  };
  return { held: heldReceipts(receipts, returned, consumed), intents, exchanged };
}

async function listReceipts(tx: Tx, orderId: bigint): Promise<Receipt[]> {
  const [captured, deposits] = await Promise.all([
    findCapturedAttempt(tx, orderId),
    listDeposits(tx, orderId),
  ]);
  const card = captured && {
    rail: "card" as const,
    attemptId: captured.id,
    depositId: null,
    assetId: captured.assetId,
    units: captured.units,
  };
  const final = deposits
    .filter(({ state }) => state === "final")
    .map(({ id, rail, assetId, units }) => ({
      rail,
      attemptId: null,
      depositId: id,
      assetId,
      units,
    }));
  return card ? [card, ...final] : final;
}
