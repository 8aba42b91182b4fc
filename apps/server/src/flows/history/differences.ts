import { lineKey } from "../../domain/ledger/reconcile.ts";
import type { Order } from "../../domain/orders/order.ts";
import { CARD_ATTEMPTS_MAX } from "../../domain/orders/transitions.ts";
import type { PayoutIntent } from "../../domain/payouts/payout-intent.ts";
import { listOrdersPlacedAt } from "../../storage/orders/operator-orders.ts";
import { listDeposits } from "../../storage/payments/deposits.ts";
import { findPayoutIntent } from "../../storage/payouts/intents.ts";
import type { Deps } from "../deps.ts";
import { timeOfDerivedUuid } from "../derived-uuid.ts";
import { attemptIdOf } from "../payments/pay-by-card.ts";
import { intentIdOf } from "../payouts/owe.ts";
import { compareLines, type RailLine, readLostLines } from "./rail-lines.ts";

/** A rail's movement that the books do not have, or have not got to, and what ends the difference. */
export type Difference = { readonly line: RailLine } & (
  | { readonly cure: "adopt_payout"; readonly intent: PayoutIntent }
  | { readonly cure: "adopt_capture"; readonly order: Order; readonly number: number }
  /** An order in the books makes this payment again. Then it is adopted. */
  | { readonly cure: "await_order"; readonly order: Order; readonly purpose: "payout" | "refund" }
  /** The payment belongs to no order in the books. */
  | { readonly cure: "book" }
  /** The rail has not finished the payment. */
  | { readonly cure: "await_rail" }
);

/** No order has more payouts or refunds of one receipt than this. */
const NUMBERS_MAX = 10;
const UUID_V8 = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Lists how the rails' statements since a time differ from the books. Throws when a rail does not answer. */
export async function listDifferences(deps: Deps, since: Date): Promise<Difference[]> {
  const stated = settledFirst(await readLostLines(deps, since));
  const { unknown, pending } = await compareLines(deps, stated);
  const differences: Difference[] = [];
  for (const line of unknown) differences.push(await cureOf(deps, line));
  for (const line of pending.filter(({ kind }) => kind === "payout")) {
    const intent = await findPayoutIntent(deps.database, line.reference);
    if (intent?.state === "created") differences.push({ line, cure: "adopt_payout", intent });
  }
  return differences;
}

/** Keeps one line of each movement: the settled one, where a transaction was replaced. */
function settledFirst(lines: readonly RailLine[]): RailLine[] {
  const byKey = new Map<string, RailLine>();
  for (const line of lines) {
    const earlier = byKey.get(lineKey(line));
    if (line.state !== "rejected" && earlier?.state !== "settled") byKey.set(lineKey(line), line);
  }
  return [...byKey.values()];
}

async function cureOf(deps: Deps, line: RailLine): Promise<Difference> {
  const owner = await findOwner(deps, line);
  if (owner?.kind === "capture") {
    return { line, cure: "adopt_capture", order: owner.order, number: owner.number };
  }
  if (owner) return { line, cure: "await_order", order: owner.order, purpose: owner.kind };
  return { line, cure: line.state === "settled" ? "book" : "await_rail" };
}

type Owner =
  | { readonly kind: "capture"; readonly order: Order; readonly number: number }
  | { readonly kind: "payout" | "refund"; readonly order: Order };

/** Finds the order whose derived id the line has. The id begins with the time when the order was placed. */
async function findOwner(deps: Deps, { kind, reference }: RailLine): Promise<Owner | undefined> {
  if (kind === "deposit" || !UUID_V8.test(reference)) return undefined;
  const orders = await listOrdersPlacedAt(deps.database, timeOfDerivedUuid(reference));
  for (const order of orders) {
    const owner =
      kind === "capture" ? ownsCapture(order, reference) : await ownsPayout(deps, order, reference);
    if (owner) return owner;
  }
  return undefined;
}

const numbers = (max: number): number[] => Array.from({ length: max }, (_, at) => at + 1);

function ownsCapture(order: Order, reference: string): Owner | undefined {
  const number = numbers(CARD_ATTEMPTS_MAX).find((nth) => attemptIdOf(order, nth) === reference);
  return number === undefined ? undefined : { kind: "capture", order, number };
}

async function ownsPayout(deps: Deps, order: Order, reference: string): Promise<Owner | undefined> {
  const isOf = (source: { attemptId: string | null; depositId: string | null }): boolean =>
    numbers(NUMBERS_MAX).some((nth) => intentIdOf(order, source, nth) === reference);
  if (isOf({ attemptId: null, depositId: null })) return { kind: "payout", order };
  const deposits = await listDeposits(deps.database, order.id);
  const isRefund =
    deposits.some(({ id }) => isOf({ attemptId: null, depositId: id })) ||
    numbers(CARD_ATTEMPTS_MAX).some((nth) =>
      isOf({ attemptId: attemptIdOf(order, nth), depositId: null }),
    );
  return isRefund ? { kind: "refund", order } : undefined;
}
