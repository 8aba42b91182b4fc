import { formatDecimal, toDecimal } from "@exchange/money";
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
import { type CardBooks, openCardBooks } from "./books.ts";
import { expireChallenge } from "./issuer.ts";
import { catchUp, isSilent } from "./lateness.ts";
import { sandboxRefunds } from "./refunds.ts";
import { cardStatement } from "./statement.ts";
import { type CapturedPayment, type StoredCard, type StoredPayment, voidPayment } from "./store.ts";
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
  const books = openCardBooks(database);
  const requirePayment = async (reference: string): Promise<CardPayment> =>
    toCardPayment(options, known(reference, await books.findPayment(reference)));
  return {
    name: "sandbox",
    authorize: async (request) =>
      (await authorize(options, books, request)) ?? requirePayment(request.reference),
    capture: async (reference) => {
      await delay(CAPTURE_MS);
      return captureAnswer(options, known(reference, await books.capture(reference)));
    },
    void: async (reference) => {
      await voidPayment(database, reference);
      return requirePayment(reference);
    },
    lookUp: async (reference) => {
      const found = await books.findPayment(reference);
      if (!found) return undefined;
      const payment = await catchUp(database, await expireChallenge(database, found));
      if (isSilent(payment)) throw new Error("the sandbox processor did not answer");
      return toCardPayment(options, payment);
    },
    refunds: sandboxRefunds(database),
    statement: cardStatement(database),
    tokens: {
      tokenize: (card, now) => tokenize(options.ids, { books, card, now }),
      testCards: TEST_CARDS,
    },
  };
}

function known<Payment>(reference: string, payment: Payment | undefined): Payment {
  if (!payment) throw new Error(`the sandbox processor knows no payment ${reference}`);
  return payment;
}

async function tokenize(
  ids: IdSource,
  asked: { readonly books: CardBooks; readonly card: CardDetails; readonly now: Date },
): Promise<TokenizedCard | CardRefusal> {
  const { books, card, now } = asked;
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
  await books.insertCard(stored);
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

/**
 * Decides the payment once, in one statement: a crash before it leaves nothing behind. Undefined when
 * the reference was known already.
 */
async function authorize(
  options: SandboxProcessorOptions,
  books: CardBooks,
  request: AuthorizeCard,
): Promise<CardPayment | undefined> {
  const { reference } = request;
  const card = await books.findCard(request.cardToken);
  if (!card) throw new Error("the sandbox processor does not know this card");
  await delay(AUTHENTICATION_MS);
  const result = RESULT_OF[card.outcome];
  const payment = {
    reference,
    ...result,
    challengeId: result.status === "challenge" ? options.ids.uuid() : null,
    threeDSecure: firstResult(card.outcome, { brand: card.brand, reference }),
  };
  const isNew = await books.insertPayment({
    ...payment,
    cardToken: card.token,
    currency: request.amount.asset.code,
    amount: formatDecimal(toDecimal(request.amount)),
  });
  if (UNANSWERED.includes(card.outcome)) throw new Error("the sandbox processor did not answer");
  return isNew ? toCardPayment(options, payment) : undefined;
}

/** The first answer to a capture may be lost, or be older than the capture; the next one is right. */
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

const toCardPayment = (
  { publicUrl }: SandboxProcessorOptions,
  payment: Omit<CardPayment, "challengeUrl"> & Pick<StoredPayment, "challengeId">,
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
