import { money } from "@exchange/money";
import type { PayoutIntent } from "../domain/payouts/payout-intent.ts";
import type { BankPayout, SeenPayout } from "../domain/ports/bank-gateway.ts";
import { isErased, personOf, withLockedKey } from "../flows/customers/personal-data.ts";
import type { Deps } from "../flows/deps.ts";
import { findOrder } from "../storage/orders/orders.ts";
import { findOrderView } from "../storage/orders/views.ts";
import { listDeposits } from "../storage/payments/deposits.ts";
import type { PayoutOutcome, PayoutRail, SignedPayout } from "./payout-rail.ts";
import { requireRail } from "./require-rail.ts";

/** The rail does not know the bytes, so they are sent again. */
const UNKNOWN: PayoutOutcome = {
  state: "pending",
  isKnown: false,
  isStuck: false,
  confirmations: 0,
  askAgainMs: 1_000,
};

/** Looks up the only bytes of a payout on a rail that knows it by its reference. */
const followOne = async (
  [only]: readonly SignedPayout[],
  lookUp: (reference: string) => Promise<SeenByReference | undefined>,
): Promise<PayoutOutcome> => {
  const hash = only?.transactionHash ?? "";
  const seen = await lookUp(hash);
  if (seen === undefined) return UNKNOWN;
  const { state, askAgainMs } = seen;
  switch (state) {
    case "settled":
      return { state, hash, confirmations: 0 };
    case "rejected":
      return { state };
    case "pending":
      return { state, isKnown: true, isStuck: false, confirmations: 0, askAgainMs };
  }
};

type SeenByReference = Pick<SeenPayout, "state" | "askAgainMs">;

/** Pays by a bank. */
export function bankRail(deps: Deps, intent: PayoutIntent): PayoutRail {
  const bank = requireRail(deps.bank, "bank");
  return {
    preflight: async () => {
      const order = intent.purpose === "payout" && (await findOrder(deps.database, intent.orderId));
      const erased = order && isErased(await withLockedKey(deps, order));
      return erased ? { state: "rejected", why: WHY_ERASED } : { state: "clear" };
    },
    sign: async () => {
      const { reference, bytes } = await bank.prepare(await toBankPayout(deps, intent));
      return { transactionHash: reference, bytes };
    },
    send: ({ transactionHash, bytes }) => bank.submit({ reference: transactionHash, bytes }),
    follow: (signed) => followOne(signed, (reference) => bank.lookUp(reference)),
  };
}

const WHY_ERASED = "the fields of the account to pay were erased: refund the order";

async function toBankPayout(deps: Deps, intent: PayoutIntent): Promise<BankPayout> {
  const view = await findOrderView(deps.database, intent);
  if (!view) throw new Error(`order ${intent.orderId} is missing`);
  const { order } = view;
  const catalogue = deps.catalogue();
  const amount = money(catalogue.requireCurrency(intent.assetId), intent.units);
  if (intent.purpose !== "payout") {
    const method = catalogue.paymentMethodById(order.paymentMethodId)?.reference ?? "";
    const deposits = await listDeposits(deps.database, order.id);
    const returns = deposits.find(({ id }) => id === intent.depositId)?.externalId ?? null;
    return { intentId: intent.id, method, amount, fields: {}, returns };
  }
  const method = catalogue.deliveryMethodById(order.deliveryMethodId)?.reference ?? "";
  const opened = await withLockedKey(deps, order);
  if (isErased(opened)) throw new Error(`order ${order.id}: ${WHY_ERASED}`);
  const { payoutFields } = personOf(deps, opened);
  return { intentId: intent.id, method, amount, fields: payoutFields, returns: null };
}

const CARD_STATES = { pending: "pending", refunded: "settled", rejected: "rejected" } as const;

/**
 * The instruction of a refund is the intent itself. Its bytes are stored as a signed transfer's
 * are.
 */
export function cardRail(deps: Deps, intent: PayoutIntent): PayoutRail {
  const refunds = requireRail(deps.cardProcessor?.refunds, "card processor that refunds");
  const paymentReference = intent.attemptId ?? "";
  const amount = money(deps.catalogue().requireCurrency(intent.assetId), intent.units);
  return {
    sign: async () => ({
      transactionHash: intent.id,
      bytes: Buffer.from(JSON.stringify({ paymentReference, units: String(intent.units) })),
    }),
    send: async ({ transactionHash }) => {
      await refunds.refund({ reference: transactionHash, paymentReference, amount });
    },
    follow: (signed) =>
      followOne(signed, async (reference) => {
        const seen = await refunds.lookUp(reference);
        return seen && { state: CARD_STATES[seen.status], askAgainMs: seen.askAgainMs };
      }),
  };
}
