import { money } from "@exchange/money";
import type { OrderEvent } from "../domain/orders/machine.ts";

const EUR = { id: 1, code: "EUR", decimals: 2, publishedDecimals: 2 };
const AMOUNT = money(EUR, 10_000n);
const NOTHING = money(EUR, 0n);

const OUTGOING = { intentId: "intent-1", purpose: "payout", rail: "bank", amount: AMOUNT } as const;
const REFUND = { ...OUTGOING, purpose: "refund" } as const;
const SETTLED = { confirmations: 1, settledHash: "settled-1" };
const PAYOUT = {
  id: "intent-1",
  orderId: 1n,
  merchantId: "merchant-1",
  purpose: "payout",
  rail: "bank",
  amount: AMOUNT,
  networkCode: null,
  address: null,
  memo: null,
  attemptId: null,
  depositId: null,
  euroCents: 10_000n,
} as const;

/** The facts of each event that only affect its ledger entries, payouts and jobs. */
const FACTS = {
  card_payment_started: { attemptId: "attempt-1" },
  card_payment_refused: {},
  payment_captured: { attemptId: "attempt-1", amount: AMOUNT, receivedUnits: AMOUNT.units },
  deposit_seen: {},
  deposit_lost: {},
  transfer_moved: { transferId: "transfer-1" },
  deposit_final: { receivedUnits: AMOUNT.units, deposits: [] },
  exchanged: {
    exchange: {
      orderId: 1n,
      spend: AMOUNT,
      receive: AMOUNT,
      transactionFee: NOTHING,
      deliveryFee: NOTHING,
      spread: NOTHING,
    },
    payout: PAYOUT,
    excess: [],
  },
  payout_confirmed: { payout: { ...OUTGOING, ...SETTLED }, excess: [] },
  payout_rejected: { payout: OUTGOING, why: "rejected" },
  payout_lost: { payout: OUTGOING, why: "dead" },
  held: {},
  price_moved: {},
  price_accepted: {},
  released: { instructed: true, captured: false, payoutId: "intent-1", newPayout: [] },
  refund_requested: { orderId: 1n, withdrawn: undefined, refunds: [] },
  refund_confirmed: { refund: { ...REFUND, ...SETTLED } },
  refund_rejected: { refund: REFUND, why: "rejected" },
  refund_held: { refund: REFUND, hits: ["address r1"] },
  cancelled: { attemptId: "attempt-1" },
  payment_window_ended: {},
} as const satisfies { readonly [Kind in OrderEvent["kind"]]: object };

type Facts = typeof FACTS;

/** An event with only the members that decide its transition. */
export type OrderEventSketch = {
  [Kind in OrderEvent["kind"]]: Omit<Extract<OrderEvent, { kind: Kind }>, keyof Facts[Kind]>;
}[OrderEvent["kind"]];

export const withFacts = (sketch: OrderEventSketch): OrderEvent =>
  ({ ...FACTS[sketch.kind], ...sketch }) as OrderEvent;
