import { type ExchangedAmount, heldReceipts, type Receipt } from "../../domain/orders/held.ts";
import type { Order } from "../../domain/orders/order.ts";
import type { Deposit } from "../../domain/payments/deposit.ts";
import type { PayoutIntent } from "../../domain/payouts/payout-intent.ts";
import { readMoneyRows } from "../../storage/orders/money.ts";
import type { Queryable } from "../../storage/postgres/database.ts";

/** The money that an order received, and the refunds and payouts it owes or owed. */
export interface OrderMoney {
  readonly receipts: readonly Receipt[];
  readonly intents: readonly PayoutIntent[];
  readonly exchanged: boolean;
}

/** Reads an order's money. It is unchanged while the order's version is unchanged. */
export async function readMoney(queryable: Queryable, orderId: bigint): Promise<OrderMoney> {
  const { captured, deposits, intents, exchanged } = await readMoneyRows(queryable, orderId);
  const card = captured && {
    rail: "card" as const,
    attemptId: captured.id,
    depositId: null,
    assetId: captured.assetId,
    units: captured.units,
  };
  const final = receiptsOf(deposits);
  return { receipts: card ? [card, ...final] : final, intents, exchanged };
}

/** Returns the final deposits as receipts. */
export const receiptsOf = (
  deposits: readonly Pick<Deposit, "id" | "rail" | "assetId" | "units" | "state">[],
): Receipt[] =>
  deposits
    .filter(({ state }) => state === "final")
    .map(({ id, rail, assetId, units }) => ({
      rail,
      attemptId: null,
      depositId: id,
      assetId,
      units,
    }));

/**
 * Returns the receipts that the order still holds: received, less the refunds, less the exchange.
 */
export function heldOf(order: Order, { receipts, intents, exchanged }: OrderMoney): Receipt[] {
  const returned = intents.filter(({ purpose, state }) => purpose !== "payout" && state !== "void");
  const consumed: ExchangedAmount = {
    assetId: order.spendAssetId,
    units: exchanged ? order.spendUnits : 0n,
  };
  return heldReceipts(receipts, returned, consumed);
}
