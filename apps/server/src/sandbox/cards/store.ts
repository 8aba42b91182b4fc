import type { CardPaymentStatus, ThreeDSecureResult } from "../../domain/ports/card-processor.ts";
import { lookup, type Queryable, statement } from "../../storage/postgres/database.ts";
import type { CardBrand, CardOutcome } from "./test-cards.ts";

/** A card in the books of the processor. */
export interface StoredCard {
  readonly token: string;
  readonly brand: CardBrand;
  readonly lastFour: string;
  readonly outcome: CardOutcome;
}

/** A payment in the books of the processor, with its card. */
export interface StoredPayment {
  readonly reference: string;
  readonly brand: CardBrand;
  readonly lastFour: string;
  readonly outcome: CardOutcome;
  readonly currency: string;
  /** Major units in fixed notation: the authorized amount, and the captured one afterwards. */
  readonly amount: string;
  readonly status: CardPaymentStatus;
  readonly declineReason: string | null;
  readonly challengeId: string | null;
  readonly threeDSecure: ThreeDSecureResult | null;
  readonly ageSeconds: number;
  /** By the business clock. */
  readonly businessAgeSeconds: number;
  /** The number of capture calls so far. */
  readonly captureCalls: number;
}

const INSERT_CARD = statement(
  "sandbox_card_insert",
  "insert into sandbox.cards (token, brand, last_four, outcome) values ($1, $2, $3, $4)",
);
const FIND_CARD = lookup(
  "sandbox_card_find",
  ["text"],
  `select token, brand, last_four as "lastFour", outcome from sandbox.cards where token = $1`,
);
const INSERT_PAYMENT = statement(
  "sandbox_payment_insert",
  `insert into sandbox.card_payments (reference, card_token, currency, amount, status,
     decline_reason, challenge_id, three_d_secure)
   values ($1, $2, $3, $4, $5, $6, $7, $8)
   on conflict (reference) do nothing returning reference`,
);
const PAYMENT_COLUMNS = `p.reference, c.brand, c.last_four as "lastFour", c.outcome, p.currency,
  p.amount::text, p.status, p.decline_reason as "declineReason", p.challenge_id as "challengeId",
  p.three_d_secure as "threeDSecure",
  extract(epoch from clock_timestamp() - p.created_at)::float8 as "ageSeconds",
  extract(epoch from business_now() - p.started_at)::float8 as "businessAgeSeconds",
  p.capture_calls as "captureCalls"`;
const FIND_PAYMENT = lookup(
  "sandbox_payment_find",
  ["text"],
  `select ${PAYMENT_COLUMNS} from sandbox.card_payments p
   join sandbox.cards c on c.token = p.card_token where p.reference = $1`,
);
const FIND_CHALLENGE = statement(
  "sandbox_challenge_find",
  `select ${PAYMENT_COLUMNS} from sandbox.card_payments p
   join sandbox.cards c on c.token = p.card_token where p.challenge_id = $1`,
);
const END_CHALLENGE = statement(
  "sandbox_challenge_end",
  `update sandbox.card_payments set status = $2, three_d_secure = $3
   where reference = $1 and status = 'challenge'`,
);
// A payment is captured once. Every call is counted. One card's captures take half of the coins.
const CAPTURE = statement(
  "sandbox_payment_capture",
  `with before as (
     select p.reference, p.currency, p.status,
       case when p.status = 'authorized' and c.outcome = 'captured_less' then trunc(p.amount / 2)
         else p.amount end as amount
     from sandbox.card_payments p join sandbox.cards c on c.token = p.card_token
     where p.reference = $1 for update of p),
   taken as (
     insert into sandbox.card_captures (reference, currency, amount)
     select reference, currency, amount from before where status = 'authorized'),
   p as (
     update sandbox.card_payments payment set capture_calls = capture_calls + 1, amount = before.amount,
       status = case when before.status = 'authorized' then 'captured' else before.status end
     from before where payment.reference = before.reference
     returning payment.*, before.status as status_before)
   select ${PAYMENT_COLUMNS}, p.status_before as "statusBefore"
   from p join sandbox.cards c on c.token = p.card_token`,
);
const DECIDE = statement(
  "sandbox_payment_decide",
  `update sandbox.card_payments set status = $2, decline_reason = $3
   where reference = $1 and status in ('processing', 'challenge')`,
);
const VOID = statement(
  "sandbox_payment_void",
  `update sandbox.card_payments set status = 'voided'
   where reference = $1 and status in ('processing', 'authorized', 'challenge')`,
);

export async function insertCard(queryable: Queryable, card: StoredCard): Promise<void> {
  await queryable.query(INSERT_CARD, [card.token, card.brand, card.lastFour, card.outcome]);
}

export async function findCard(
  queryable: Queryable,
  token: string,
): Promise<StoredCard | undefined> {
  const [card] = await queryable.query<StoredCard>(FIND_CARD, [token]);
  return card;
}

export type NewPayment = Pick<
  StoredPayment,
  "reference" | "currency" | "amount" | "status" | "declineReason" | "challengeId" | "threeDSecure"
> & { readonly cardToken: string };

/** Inserts a payment. Returns false when the reference exists: it keeps its first result. */
export async function insertPayment(queryable: Queryable, payment: NewPayment): Promise<boolean> {
  const rows = await queryable.query(INSERT_PAYMENT, [
    payment.reference,
    payment.cardToken,
    payment.currency,
    payment.amount,
    payment.status,
    payment.declineReason,
    payment.challengeId,
    payment.threeDSecure,
  ]);
  return rows.length > 0;
}

export async function findPayment(
  queryable: Queryable,
  reference: string,
): Promise<StoredPayment | undefined> {
  const [payment] = await queryable.query<StoredPayment>(FIND_PAYMENT, [reference]);
  return payment;
}

export async function findChallenge(
  queryable: Queryable,
  challengeId: string,
): Promise<StoredPayment | undefined> {
  const [payment] = await queryable.query<StoredPayment>(FIND_CHALLENGE, [challengeId]);
  return payment;
}

/** Ends an open challenge. An ended one does not change. */
export async function endChallenge(
  queryable: Queryable,
  reference: string,
  end: {
    readonly status: "authorized" | "authentication_failed";
    readonly threeDSecure: ThreeDSecureResult;
  },
): Promise<void> {
  await queryable.query(END_CHALLENGE, [reference, end.status, end.threeDSecure]);
}

/** A payment after a capture call, and its status before the call. */
export interface CapturedPayment extends StoredPayment {
  readonly statusBefore: CardPaymentStatus;
}

/** Captures an authorized payment. A payment in another status keeps it. */
export async function capturePayment(
  queryable: Queryable,
  reference: string,
): Promise<CapturedPayment | undefined> {
  const [payment] = await queryable.query<CapturedPayment>(CAPTURE, [reference]);
  return payment;
}

/** Decides an open payment. A decided one does not change. */
export async function decidePayment(
  queryable: Queryable,
  reference: string,
  end: { readonly status: CardPaymentStatus; readonly declineReason: string | null },
): Promise<void> {
  await queryable.query(DECIDE, [reference, end.status, end.declineReason]);
}

export async function voidPayment(queryable: Queryable, reference: string): Promise<void> {
  await queryable.query(VOID, [reference]);
}
