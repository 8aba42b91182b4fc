import { money } from "@exchange/money";
import type { Entry } from "../../domain/ledger/entry.ts";
import { outgoingKeys, reserveEntry } from "../../domain/ledger/order-entries.ts";
import { euroCentsOf } from "../../domain/payouts/euro-value.ts";
import { recordEntry, reverseEntry } from "../../storage/ledger/entries.ts";
import type { Order } from "../../storage/orders/orders.ts";
import {
  insertPayoutIntent,
  type NewPayoutIntent,
  type PayoutIntent,
  type VoidReason,
  voidPayoutIntent,
} from "../../storage/payouts/intents.ts";
import type { Tx } from "../../storage/postgres/database.ts";
import type { Deps } from "../deps.ts";
import { currencyOf } from "../orders/event-payload.ts";

export type Owed = Pick<
  NewPayoutIntent,
  "purpose" | "rail" | "assetId" | "units" | "networkCode" | "address" | "memo"
> & { readonly attemptId?: string | null; readonly depositId?: string | null };

/** An intent and the entry that reserves it: what an order's step or `owe` writes. */
export interface OwedParts {
  readonly intent: NewPayoutIntent;
  readonly reserve: Entry;
}

/** What is to be written where something is owed for an order. */
export function owedParts(deps: Deps, order: Order, owed: Owed): OwedParts {
  const amount = { asset: currencyOf(deps.catalogue(), owed.assetId), units: owed.units };
  const id = deps.ids.orderedUuid();
  const { purpose, rail } = owed;
  return {
    intent: {
      attemptId: null,
      depositId: null,
      ...owed,
      id,
      orderId: order.id,
      merchantId: order.merchantId,
      euroCents: euroCentsOf(amount),
    },
    reserve: reserveEntry({ intentId: id, purpose, rail, amount: money(amount.asset, owed.units) }),
  };
}

/**
 * Writes down that something is owed for an order and reserves it in the ledger, in the caller's
 * database transaction. Gives the intent's id; sending it is a job.
 */
export function owe(
  tx: Tx,
  deps: Deps,
  what: { readonly order: Order; readonly owed: Owed },
): string {
  const { order, owed } = what;
  const { intent, reserve } = owedParts(deps, order, owed);
  insertPayoutIntent(tx, intent);
  recordEntry(tx, reserve, { merchantId: order.merchantId, orderId: order.id });
  return intent.id;
}

/** Takes an intent back and gives what it reserved free again. */
export async function oweNoMore(tx: Tx, intent: PayoutIntent, reason: VoidReason): Promise<void> {
  await voidPayoutIntent(tx, intent.id, reason);
  const keys = outgoingKeys({ intentId: intent.id, purpose: intent.purpose });
  const kind = intent.purpose === "payout" ? "payout_voided" : "refund_voided";
  await reverseEntry(tx, { of: keys.reserved, key: keys.voided, kind });
}
