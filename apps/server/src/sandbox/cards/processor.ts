import { formatDecimal, money, toDecimal } from "@exchange/money";
import type {
  AuthorizeCard,
  CardDetails,
  CardPayment,
  CardPaymentStatus,
  CardProcessor,
  CardRefusal,
  TokenizedCard,
} from "../../domain/ports/card-processor.ts";
import type { IdSource } from "../../domain/ports/id-source.ts";
import type { Database } from "../../storage/postgres/database.ts";
import { expireChallenge } from "./issuer.ts";
import { catchUp, isSilent } from "./lateness.ts";
import { sandboxRefunds } from "./refunds.ts";
import { cardStatement } from "./statement.ts";
import {
  type CapturedPayment,
  capturePayment,
  findCard,
  findPayment,
  insertCard,
  insertPayment,
  type StoredCard,
  type StoredPayment,
  voidPayment,
} from "./store.ts";
import { type CardOutcome, findSandboxCard, TEST_CARDS } from "./test-cards.ts";
import { firstResult } from "./three-d-secure.ts";

/** The directory server and the bank take this long, so that a sandbox purchase feels real. */
const AUTHENTICATION_MS = 350;
const CAPTURE_MS = 100;

/** The pause before the next question about a payment: a quarter of its age, within bounds. */
const askAgainMsOf = (ageSeconds: number): number =>
  Math.min(Math.max(ageSeconds * 250, 200), 30_000);

export interface SandboxProcessorOptions {
  readonly database: Database;
  readonly ids: IdSource;
  /** The base of the challenge pages' addresses, for the browser. */
  readonly publicUrl: string;
}

/**
 * The sandbox's card processor. It accepts test cards only, with 3-D Secure, and keeps its own books in the
 * schema `sandbox`, as an outside processor would.
 */
export function sandboxCardProcessor(options: SandboxProcessorOptions): CardProcessor {
  const { database } = options;
  const requirePayment = async (reference: string): Promise<CardPayment> =>
    toCardPayment(options, found(reference, await findPayment(database, reference)));
  return {
    name: "sandbox",
    authorize: async (request) =>
      (await authorize(options, request)) ?? requirePayment(request.reference),
    capture: async (reference) => {
      await delay(CAPTURE_MS);
      return captureAnswer(options, found(reference, await capturePayment(database, reference)));
    },
    void: async (reference) => {
      await voidPayment(database, reference);
      return requirePayment(reference);
    },
    lookUp: async (reference) => {
      const stored = await findPayment(database, reference);
      if (!stored) return undefined;
      const payment = await catchUp(database, await expireChallenge(database, stored));
      if (isSilent(payment)) throw new Error("the sandbox processor did not answer");
      return toCardPayment(options, payment);
    },
    refunds: sandboxRefunds(database),
    statement: cardStatement(database),
    tokens: {
      tokenize: (card, now) => tokenize(options, card, now),
      testCards: TEST_CARDS,
    },
  };
}

function found<Payment>(reference: string, payment: Payment | undefined): Payment {
  if (!payment) throw new Error(`the sandbox processor has no payment ${reference}`);
  return payment;
}

async function tokenize(
  { database, ids }: SandboxProcessorOptions,
  card: CardDetails,
  now: Date,
): Promise<TokenizedCard | CardRefusal> {
  const test = findSandboxCard(card.number);
  if (!test) return { refused: "not_a_test_card" };
  const monthsLeft =
    (card.expiryYear - now.getUTCFullYear()) * 12 + card.expiryMonth - (now.getUTCMonth() + 1);
  if (monthsLeft < 0) return { refused: "expired_card" };
  const stored: StoredCard = {
    token: `card_${ids.uuid()}`,
    brand: test.brand,
    lastFour: test.number.slice(-4),
    outcome: test.outcome,
  };
  await insertCard(database, stored);
  return { token: stored.token, brand: stored.brand, lastFour: stored.lastFour };
}

const RESULT_OF: Record<
  CardOutcome,
  { readonly status: CardPaymentStatus; readonly declineReason: string | null }
> = {
  approved: { status: "authorized", declineReason: null },
  attempted: { status: "authorized", declineReason: null },
  authentication_failed: { status: "authentication_failed", declineReason: "not_authenticated" },
  authentication_unavailable: {
    status: "authentication_failed",
    declineReason: "authentication_unavailable",
  },
  challenge_succeeds: { status: "challenge", declineReason: null },
  challenge_fails: { status: "challenge", declineReason: null },
  declined: { status: "declined", declineReason: "do_not_honor" },
  insufficient_funds: { status: "declined", declineReason: "insufficient_funds" },
  processor_timeout: { status: "authorized", declineReason: null },
  late_answer: { status: "processing", declineReason: null },
  answer_twice: { status: "authorized", declineReason: null },
  answers_out_of_order: { status: "processing", declineReason: null },
  no_answer: { status: "processing", declineReason: null },
  authorized_less: { status: "authorized", declineReason: null },
  captured_less: { status: "authorized", declineReason: null },
  refund_rejected: { status: "authorized", declineReason: null },
  push_rejected: { status: "authorized", declineReason: null },
};

/** Cards whose authorization arrives but is not answered. */
const UNANSWERED: readonly CardOutcome[] = ["processor_timeout", "no_answer"];

/**
 * Decides the payment once, in one statement, so a crash before it leaves nothing behind. Returns undefined
 * when the reference exists.
 */
async function authorize(
  options: SandboxProcessorOptions,
  request: AuthorizeCard,
): Promise<CardPayment | undefined> {
  const { reference } = request;
  const card = await findCard(options.database, request.cardToken);
  if (!card) throw new Error("the sandbox processor has no such card");
  await delay(AUTHENTICATION_MS);
  const result = RESULT_OF[card.outcome];
  const { asset, units } = request.amount;
  const amount = money(asset, card.outcome === "authorized_less" ? units / 2n : units);
  const payment = {
    reference,
    ...result,
    currency: asset.code,
    amount: formatDecimal(toDecimal(amount)),
    challengeId: result.status === "challenge" ? options.ids.uuid() : null,
    threeDSecure: firstResult(card.outcome, { brand: card.brand, reference }),
    ageSeconds: 0,
  };
  const isNew = await insertPayment(options.database, {
    ...payment,
    cardToken: card.token,
  });
  if (UNANSWERED.includes(card.outcome)) throw new Error("the sandbox processor did not answer");
  return isNew ? toCardPayment(options, payment) : undefined;
}

/**
 * Some cards lose the first answer to a capture, or answer with the status before it. Later answers are
 * right.
 */
function captureAnswer(options: SandboxProcessorOptions, payment: CapturedPayment): CardPayment {
  const isFirst = payment.captureCalls === 1;
  if (isFirst && payment.outcome === "answer_twice") {
    throw new Error("the sandbox processor did not answer");
  }
  if (isFirst && payment.outcome === "answers_out_of_order") {
    return toCardPayment(options, { ...payment, status: payment.statusBefore });
  }
  return toCardPayment(options, payment);
}

const STATUSES_WITH_AMOUNT: readonly CardPaymentStatus[] = ["authorized", "captured"];

const toCardPayment = (
  { publicUrl }: SandboxProcessorOptions,
  payment: Omit<CardPayment, "amount" | "challengeUrl" | "askAgainMs"> &
    Pick<StoredPayment, "currency" | "amount" | "challengeId" | "ageSeconds">,
): CardPayment => ({
  reference: payment.reference,
  status: payment.status,
  amount: STATUSES_WITH_AMOUNT.includes(payment.status)
    ? { assetReference: payment.currency.toLowerCase(), coins: payment.amount }
    : null,
  declineReason: payment.declineReason,
  challengeUrl:
    payment.status === "challenge"
      ? `${publicUrl}/sandbox/challenges/${payment.challengeId}`
      : null,
  threeDSecure: payment.threeDSecure,
  askAgainMs: askAgainMsOf(payment.ageSeconds),
});

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
