import type { CardPaymentStatus, ThreeDSecureResult } from "../../domain/ports/card-processor.ts";
import { type Queryable, statement } from "../../storage/postgres/database.ts";
import type { CardBrand, CardOutcome } from "./test-cards.ts";

/** A card as the processor keeps it. */
export interface StoredCard {
  readonly token: string;
  readonly brand: CardBrand;
  readonly lastFour: string;
  readonly outcome: CardOutcome;
}

/** A payment as the processor keeps it, with the card it is by. */
export interface StoredPayment {
  readonly reference: string;
  readonly brand: CardBrand;
  readonly lastFour: string;
  readonly outcome: CardOutcome;
  readonly currency: string;
  /** Whole coins in fixed notation: the processor's books, not ours. */
  readonly amount: string;
  readonly status: CardPaymentStatus;
  readonly declineReason: string | null;
  readonly challengeId: string | null;
  readonly threeDSecure: ThreeDSecureResult | null;
  readonly ageSeconds: number;
  /** By the sandbox's business clock. */
  readonly businessAgeSeconds: number;
  /** How often its capture was asked for. */
  readonly captureCalls: number;
}

// Many at once: what comes at the same time shares a statement and a commit.
const INSERT_CARDS = statement(
  "sandbox_cards_insert",
  `insert into sandbox.cards (token, brand, last_four, outcome)
   select * from unnest($1::text[], $2::text[], $3::text[], $4::text[])`,
);
const FIND_CARDS = statement(
  "sandbox_cards_find",
  `select token, brand, last_four as "lastFour", outcome from sandbox.cards where token = any ($1)`,
);
const INSERT_PAYMENTS = statement(
  "sandbox_payments_insert",
  `insert into sandbox.card_payments (reference, card_token, currency, amount, status,
     decline_reason, challenge_id, three_d_secure)
   select * from unnest($1::text[], $2::text[], $3::text[], $4::numeric[], $5::text[], $6::text[],
     $7::uuid[], $8::jsonb[])
   on conflict (reference) do nothing returning reference`,
);
const PAYMENT_COLUMNS = `p.reference, c.brand, c.last_four as "lastFour", c.outcome, p.currency,
  p.amount::text, p.status, p.decline_reason as "declineReason", p.challenge_id as "challengeId",
  p.three_d_secure as "threeDSecure",
  extract(epoch from clock_timestamp() - p.created_at)::float8 as "ageSeconds",
  extract(epoch from business_now() - p.started_at)::float8 as "businessAgeSeconds",
  p.capture_calls as "captureCalls"`;
const FIND_PAYMENTS = statement(
  "sandbox_payments_find",
  `select ${PAYMENT_COLUMNS} from sandbox.card_payments p
   join sandbox.cards c on c.token = p.card_token where p.reference = any ($1)`,
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
// The list of captures grows only with a payment that was not captured yet; each call is counted.
const CAPTURE = statement(
  "sandbox_payments_capture",
  `with before as (
     select reference, currency, amount, status from sandbox.card_payments
     where reference = any ($1) order by reference for update),
   taken as (
     insert into sandbox.card_captures (reference, currency, amount)
     select reference, currency, amount from before where status = 'authorized'),
   p as (
     update sandbox.card_payments payment set capture_calls = capture_calls + 1,
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

export async function insertCards(
  queryable: Queryable,
  cards: readonly StoredCard[],
): Promise<void> {
  await queryable.query(INSERT_CARDS, [
    cards.map(({ token }) => token),
    cards.map(({ brand }) => brand),
    cards.map(({ lastFour }) => lastFour),
    cards.map(({ outcome }) => outcome),
  ]);
}

export const findCards = (queryable: Queryable, tokens: readonly string[]): Promise<StoredCard[]> =>
  queryable.query<StoredCard>(FIND_CARDS, [tokens]);

export type NewPayment = Pick<
  StoredPayment,
  "reference" | "currency" | "amount" | "status" | "declineReason" | "challengeId" | "threeDSecure"
> & { readonly cardToken: string };

/** Keeps payments and gives the references of the new ones: one that is known keeps its first result. */
export async function insertPayments(
  queryable: Queryable,
  payments: readonly NewPayment[],
): Promise<ReadonlySet<string>> {
  const rows = await queryable.query<{ reference: string }>(INSERT_PAYMENTS, [
    payments.map(({ reference }) => reference),
    payments.map(({ cardToken }) => cardToken),
    payments.map(({ currency }) => currency),
    payments.map(({ amount }) => amount),
    payments.map(({ status }) => status),
    payments.map(({ declineReason }) => declineReason),
    payments.map(({ challengeId }) => challengeId),
    payments.map(({ threeDSecure }) => threeDSecure && JSON.stringify(threeDSecure)),
  ]);
  return new Set(rows.map(({ reference }) => reference));
}

export const findPayments = (
  queryable: Queryable,
  references: readonly string[],
): Promise<StoredPayment[]> => queryable.query<StoredPayment>(FIND_PAYMENTS, [references]);

export async function findPayment(
  queryable: Queryable,
  reference: string,
): Promise<StoredPayment | undefined> {
  const [payment] = await findPayments(queryable, [reference]);
  return payment;
}

export async function findChallenge(
  queryable: Queryable,
  challengeId: string,
): Promise<StoredPayment | undefined> {
  const [payment] = await queryable.query<StoredPayment>(FIND_CHALLENGE, [challengeId]);
  return payment;
}

/** Ends an open challenge; one that has ended stays as it is. */
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

/** A payment whose capture was asked for, and what it was before that. */
export interface CapturedPayment extends StoredPayment {
  readonly statusBefore: CardPaymentStatus;
}

/** Captures those that are authorized; the others stay as they are. */
export const capturePayments = (
  queryable: Queryable,
  references: readonly string[],
): Promise<CapturedPayment[]> => queryable.query<CapturedPayment>(CAPTURE, [references]);

/** Ends a payment that is not decided yet; one that is stays as it is. */
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
