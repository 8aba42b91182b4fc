import { type Static, Type } from "@sinclair/typebox";
import { ORDER_STATUSES } from "../orders.ts";
import { CARD_PAYMENT_STATES, DEPOSIT_STATES } from "../payments.ts";
import { literals, named, nullable, Uuid } from "../schema.ts";
import { DELIVERY_STATUSES } from "../webhook-management.ts";
import {
  ADMIN_REASONS,
  AUDIT_CHECKS,
  CONTROL_ACTIONS,
  ENTRY_KINDS,
  FOUND_BY,
  JOB_KINDS,
  LEDGER_ACCOUNTS,
  PAYOUT_PURPOSES,
  PAYOUT_STATES,
  PAYOUT_WAITS,
} from "./words.ts";

const Time = (description: string) => Type.Integer({ description: `Unix seconds; ${description}` });

/** An exact amount in whole coins, as text, with the reference of its currency. */
export const ExactAmount = named(
  "ExactAmount",
  Type.Object({
    amount: Type.String({ description: "such as 0.0015" }),
    currency: Type.String({ description: "the currency's reference, such as btc" }),
  }),
);
export type ExactAmount = Static<typeof ExactAmount>;

/** Why a payout waits, in a form that each language has words for. `waitsFor` is the same in English. */
export const PayoutWait = named(
  "PayoutWait",
  Type.Object({
    code: literals(PAYOUT_WAITS, {
      description:
        "two approvals lift approvals, screening_hit, hour_limit and day_limit; nothing but another limit lifts payout_limit; signer: it is above a limit of the signer, which takes signed approvals; rail: a network, a bank or the signer says in waitsFor why, and is asked again; decision: people decide what a payout moved",
    }),
    limitEuroCents: nullable(Type.Integer()),
    limitOf: nullable(Type.String()),
  }),
);
export type PayoutWait = Static<typeof PayoutWait>;

/** Names the cause that a person decides about. A screening hit may have come since. */
export const WAIT_SEEN = {
  waitCode: Type.Optional(
    nullable(
      literals(PAYOUT_WAITS, {
        description:
          "`wait.code` as you read it, null where the payout did not wait. The call is refused if it waits for another cause by now",
      }),
    ),
  ),
  waitsFor: Type.Optional(
    Type.String({
      maxLength: 4_000,
      description:
        "`waitsFor` as you read it. The call is refused if the payout waits for another screening hit by now",
    }),
  ),
};

/** A posting of a ledger entry. A debit is positive. */
export const Posting = Type.Object({ account: literals(LEDGER_ACCOUNTS), amount: ExactAmount });

export const OPERATION_NAMES = ["buy", "sell", "crypto_to_crypto", "fiat_to_fiat"] as const;

/** The person who has taken an order in review. Everybody else may still act. */
const OrderReviewer = Type.Object({
  person: Type.String(),
  at: Time("when the person took it"),
  isYou: Type.Boolean(),
});

const ORDER_FIELDS = {
  orderId: Type.Integer(),
  merchantId: Type.String({ description: "the merchant's client id" }),
  merchantName: Type.String(),
  sessionId: Type.String(),
  operation: literals(OPERATION_NAMES),
  status: literals(ORDER_STATUSES),
  statusReason: nullable(literals(ADMIN_REASONS)),
  spend: ExactAmount,
  receive: ExactAmount,
  createdAt: Time("when it was placed"),
  updatedAt: Time("its last change"),
};

export const ListedOrder = named("ListedOrder", Type.Object(ORDER_FIELDS));
export type ListedOrder = Static<typeof ListedOrder>;

/** An order in review. */
export const ReviewedOrder = named(
  "ReviewedOrder",
  Type.Object({
    ...ORDER_FIELDS,
    inReviewSince: Time("when it came to review"),
    reviewer: nullable(OrderReviewer),
  }),
);
export type ReviewedOrder = Static<typeof ReviewedOrder>;

export const FoundOrder = named(
  "FoundOrder",
  Type.Object({
    ...ORDER_FIELDS,
    foundBy: Type.Array(literals(FOUND_BY), { description: "the facts that fit the text" }),
  }),
);
export type FoundOrder = Static<typeof FoundOrder>;

/** The actions that a person may take on an order now, if their roles allow it. */
export const ORDER_ACTIONS = [
  "release",
  "refund",
  "cancel",
  "hold",
  "approve_refund_address",
  "take",
  "free",
  "note",
] as const;
export type OrderAction = (typeof ORDER_ACTIONS)[number];

const Texts = Type.Array(Type.String());

/** The whole story of an order: the same rows as `exchange orders explain`. */
export const OrderStory = named(
  "OrderStory",
  Type.Object({
    ...ORDER_FIELDS,
    /** Null for a merchant's people. */
    reviewer: nullable(OrderReviewer),
    notes: Type.Array(
      Type.Object({
        at: Time("when it was written"),
        person: Type.String(),
        of: literals(["operator", "merchant"]),
        note: Type.String(),
      }),
      { description: "the first one at the top. A merchant's people read their own" },
    ),
    heldFrom: nullable(Type.String({ description: "the status before the review" })),
    paymentMethod: Type.String(),
    deliveryMethod: Type.String(),
    received: nullable(ExactAmount),
    /** Null for people without the right `customers.read`. */
    customer: nullable(
      Type.Object({
        name: nullable(Type.String()),
        email: nullable(Type.String()),
        reference: nullable(Type.String()),
        countryCode: nullable(Type.String()),
        payoutFields: Type.Array(Type.Object({ name: Type.String(), value: Type.String() })),
      }),
    ),
    walletAddress: nullable(Type.String()),
    networkCode: nullable(Type.String()),
    memo: nullable(Type.String()),
    refundAddress: nullable(Type.String()),
    refundMemo: nullable(Type.String({ description: "the memo or tag of the refund address" })),
    requestedRefundAddress: nullable(Type.String()),
    requestedRefundMemo: nullable(Type.String()),
    requestedRefundApprovedBy: Type.Array(Type.String(), {
      description:
        "the people of the operator who approved it so far; two are needed. Empty for a merchant's people",
    }),
    paymentExpiresAt: Time("an unpaid order expires then"),
    price: Type.Object({
      quoteId: Type.String(),
      midRate: Type.String(),
      rate: Type.String(),
      rateSource: Type.String(),
      spread: ExactAmount,
      transactionFee: ExactAmount,
      deliveryFee: ExactAmount,
    }),
    timeline: Type.Array(
      Type.Object({
        at: Time("when it happened"),
        status: literals(ORDER_STATUSES),
        statusReason: nullable(literals(ADMIN_REASONS)),
        actor: literals(["customer", "merchant", "operator", "system"]),
        note: Type.String(),
        screeningHits: Type.Array(Type.String()),
      }),
    ),
    attempts: Type.Array(
      Type.Object({
        number: Type.Integer(),
        paymentId: Uuid("the processor's name for the payment"),
        at: Time("when it began"),
        amount: ExactAmount,
        brand: Type.String(),
        lastFour: Type.String(),
        status: literals(CARD_PAYMENT_STATES, { description: "the state of the card payment" }),
        declineReason: nullable(Type.String()),
        threeDSecure: nullable(Type.String()),
      }),
    ),
    deposits: Type.Array(
      Type.Object({
        at: Time("when it was seen"),
        amount: ExactAmount,
        rail: Type.String(),
        reference: Type.String({ description: "the rail's name for it" }),
        state: literals(DEPOSIT_STATES),
        confirmations: Type.Integer(),
        confirmationsRequired: nullable(Type.Integer()),
      }),
    ),
    payouts: Type.Array(
      Type.Object({
        payoutId: Uuid("the payout's id"),
        at: Time("when it was owed"),
        purpose: literals(PAYOUT_PURPOSES),
        amount: ExactAmount,
        rail: Type.String(),
        networkCode: nullable(Type.String()),
        address: nullable(Type.String()),
        state: literals(PAYOUT_STATES),
        transactionHash: nullable(Type.String()),
        confirmations: Type.Integer(),
        releasedAt: nullable(Time("when it was released")),
        waitsFor: nullable(Type.String()),
        wait: nullable(PayoutWait),
        stops: Texts,
        approvedBy: Texts,
      }),
    ),
    entries: Type.Array(
      Type.Object({
        at: Time("when it takes effect"),
        key: Type.String(),
        kind: literals(ENTRY_KINDS),
        postings: Type.Array(Posting),
      }),
    ),
    webhooks: Type.Array(
      Type.Object({
        at: Time("when the event happened"),
        eventType: Type.String(),
        deliveries: Type.Array(
          Type.Object({
            deliveryId: Uuid("the delivery's id"),
            origin: Type.String({ description: "of the endpoint's address" }),
            state: literals(DELIVERY_STATUSES),
            attempts: Type.Array(
              Type.Object({
                at: Time("when it was sent"),
                status: nullable(Type.Integer()),
                fault: nullable(Type.String()),
              }),
            ),
          }),
        ),
      }),
    ),
    jobs: Type.Array(
      Type.Object({
        kind: literals(JOB_KINDS),
        runAt: Time("when it runs next"),
        attempts: Type.Integer(),
        lastError: nullable(Type.String()),
      }),
    ),
    breaks: Texts,
    openBreaks: Type.Array(Type.Object({ check: literals(AUDIT_CHECKS), problem: Type.String() }), {
      description: "the same as breaks, with the check apart",
    }),
    decisions: Type.Array(
      Type.Object({
        at: Time("when it was decided"),
        person: Type.String(),
        action: literals(CONTROL_ACTIONS),
        reason: nullable(Type.String()),
      }),
      { description: "the actions of people, from the log of changes. Empty without audit.read" },
    ),
    actions: Type.Array(literals(ORDER_ACTIONS), {
      description: "what its status allows now and your roles too",
    }),
  }),
);
export type OrderStory = Static<typeof OrderStory>;
