import { formatDecimal, toDecimal } from "@exchange/money";
import type {
  AuthorizeCard,
  CardDetails,
  CardPayment,
  CardPaymentStatus,
  CardProcessor,
  CardRefusal,
  TokenizedCard,
} from "../../../domain/ports/card-processor.ts";
import type { IdSource } from "../../../domain/ports/id-source.ts";
import type { Database } from "../../../storage/database.ts";
import { expireChallenge } from "./issuer.ts";
import { catchUp, isSilent } from "./lateness.ts";
import { sandboxRefunds } from "./refunds.ts";
import { cardStatement } from "./statement.ts";
import {
  capture,
  countCaptureCall,
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

/** How long the directory server and the bank take, so that a sandbox purchase feels like one. */
const AUTHENTICATION_MS = 350;
const CAPTURE_MS = 100;

export interface SandboxProcessorOptions {
  readonly database: Database;
  readonly ids: IdSource;
  /** Where the browser finds this service: challenges are shown under it. */
  readonly publicUrl: string;
}

/**
 * The sandbox's card processor: test cards only, with 3-D Secure. It keeps its own books in the
 * schema `sandbox`, on its own statements, as a processor outside would.
 */
export function sandboxCardProcessor(options: SandboxProcessorOptions): CardProcessor {
  const { database } = options;
  const requirePayment = async (reference: string): Promise<CardPayment> => {
    const payment = await findPayment(database, reference);
    if (!payment) throw new Error(`the sandbox processor knows no payment ${reference}`);
    return toCardPayment(options, payment);
  };
  return {
    name: "sandbox",
    authorize: async (request) => {
      await authorize(options, request);
      return requirePayment(request.reference);
    },
    capture: async (reference) => {
      await delay(CAPTURE_MS);
      const before = await requirePayment(reference);
      await countCaptureCall(database, reference);
      await capture(database, reference);
      return captureAnswer(options, before);
    },
    void: async (reference) => {
      await voidPayment(database, reference);
      return requirePayment(reference);
    },
    lookUp: async (reference) => {
      await expireChallenge(database, reference);
      const payment = await catchUp(database, reference);
      if (payment && isSilent(payment)) throw new Error("the sandbox processor did not answer");
      return payment && toCardPayment(options, payment);
    },
    refunds: sandboxRefunds(database),
    statement: cardStatement(database),
    tokens: { tokenize: (card, now) => tokenize(options, card, now), testCards: TEST_CARDS },
  };
}

async function tokenize(
  { database, ids }: SandboxProcessorOptions,
  card: CardDetails,
  now: Date,
): Promise<TokenizedCard | CardRefusal> {
  const known = findSandboxCard(card.number);
  if (!known) return { refused: "not_a_test_card" };
  const monthsLeft =
    (card.expiryYear - now.getUTCFullYear()) * 12 + card.expiryMonth - (now.getUTCMonth() + 1);
  if (monthsLeft < 0) return { refused: "expired_card" };
  const stored: StoredCard = {
    token: `card_${ids.uuid()}`,
    brand: known.brand,
    lastFour: known.number.slice(-4),
    outcome: known.outcome,
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
  refund_rejected: { status: "authorized", declineReason: null },
  push_rejected: { status: "authorized", declineReason: null },
};

/** Cards whose authorization arrives but is not answered. */
const UNANSWERED: readonly CardOutcome[] = ["processor_timeout", "no_answer"];

/** Decides the payment once, in one statement: a crash before it leaves nothing behind. */
async function authorize(options: SandboxProcessorOptions, request: AuthorizeCard): Promise<void> {
  const { database, ids } = options;
  const card = await findCard(database, request.cardToken);
  if (!card) throw new Error("the sandbox processor does not know this card");
  await delay(AUTHENTICATION_MS);
  const result = RESULT_OF[card.outcome];
  await insertPayment(database, {
    reference: request.reference,
    cardToken: card.token,
    currency: request.amount.asset.code,
    amount: formatDecimal(toDecimal(request.amount)),
    ...result,
    challengeId: result.status === "challenge" ? ids.uuid() : null,
    threeDSecure: firstResult(card.outcome, { brand: card.brand, reference: request.reference }),
  });
  if (UNANSWERED.includes(card.outcome)) throw new Error("the sandbox processor did not answer");
}

/** The first answer to a capture may be lost, or be older than the capture; the next one is right. */
async function captureAnswer(
  options: SandboxProcessorOptions,
  before: CardPayment,
): Promise<CardPayment> {
  const payment = await findPayment(options.database, before.reference);
  if (!payment) throw new Error(`the sandbox processor lost payment ${before.reference}`);
  const isFirst = payment.captureCalls === 1;
  if (isFirst && payment.outcome === "answer_twice") {
    throw new Error("the sandbox processor did not answer");
  }
  if (isFirst && payment.outcome === "answers_out_of_order") return before;
  return toCardPayment(options, payment);
}

const toCardPayment = (
  { publicUrl }: SandboxProcessorOptions,
  payment: StoredPayment,
): CardPayment => ({
  reference: payment.reference,
  status: payment.status,
  declineReason: payment.declineReason,
  challengeUrl:
    payment.status === "challenge"
      ? `${publicUrl}/sandbox/challenges/${payment.challengeId}`
      : null,
  threeDSecure: payment.threeDSecure,
});

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
