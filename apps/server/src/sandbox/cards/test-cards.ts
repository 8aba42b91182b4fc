import type { TestCard } from "../../domain/ports/card-processor.ts";

/** The behaviour of a test card. */
export type CardOutcome =
  | "approved"
  | "attempted"
  | "authentication_failed"
  | "authentication_unavailable"
  | "challenge_succeeds"
  | "challenge_fails"
  | "declined"
  | "insufficient_funds"
  | "processor_timeout"
  | "late_answer"
  | "answer_twice"
  | "answers_out_of_order"
  | "no_answer"
  | "authorized_less"
  | "captured_less"
  | "refund_rejected"
  | "push_rejected";

export type CardBrand = "Visa" | "Mastercard" | "American Express";

/** A card of the sandbox. The first three are the contract's (completion, section 10). */
export interface SandboxCard {
  readonly number: string;
  readonly brand: CardBrand;
  readonly outcome: CardOutcome;
}

const OUTCOME_WORDS: Record<CardOutcome, string> = {
  approved: "Approved, no challenge",
  attempted: "Approved, the bank only attempted 3-D Secure",
  authentication_failed: "3-D Secure fails, no challenge",
  authentication_unavailable: "3-D Secure is unavailable, refused",
  challenge_succeeds: "The bank asks; confirming approves",
  challenge_fails: "The bank asks; confirming fails",
  declined: "Declined by the bank",
  insufficient_funds: "Declined, insufficient funds",
  processor_timeout: "The processor does not answer at first, then approves",
  late_answer: "The processor takes two seconds, then approves",
  answer_twice: "The capture's answer is lost; asked twice, it takes the money once",
  answers_out_of_order: "An older answer follows a newer one; approved in the end",
  no_answer: "The processor answers nothing for an hour, then has voided the payment",
  authorized_less: "The bank authorizes half of the amount; it is voided and refused",
  captured_less: "Approved; the processor captures half of the amount",
  refund_rejected: "Approved; what is refunded to it is rejected",
  push_rejected: "Approved; what is paid out to it is rejected",
};

const card = (number: string, brand: CardBrand, outcome: CardOutcome): SandboxCard => ({
  number,
  brand,
  outcome,
});

export const SANDBOX_CARDS: readonly SandboxCard[] = [
  card("4000000000002701", "Visa", "approved"),
  card("5200000000002235", "Mastercard", "approved"),
  card("340000000002708", "American Express", "approved"),
  card("4000000000002503", "Visa", "challenge_succeeds"),
  card("5200000000002151", "Mastercard", "challenge_succeeds"),
  card("340000000002534", "American Express", "challenge_succeeds"),
  card("4000000000002370", "Visa", "challenge_fails"),
  card("5200000000002490", "Mastercard", "challenge_fails"),
  card("340000000002237", "American Express", "challenge_fails"),
  card("4000000000002925", "Visa", "authentication_failed"),
  card("5200000000002276", "Mastercard", "authentication_failed"),
  card("340000000002096", "American Express", "authentication_failed"),
  card("4000000000002313", "Visa", "authentication_unavailable"),
  card("4000000000002719", "Visa", "attempted"),
  card("5200000000002482", "Mastercard", "attempted"),
  card("340000000002872", "American Express", "attempted"),
  card("4000000000000002", "Visa", "declined"),
  card("4000000000009995", "Visa", "insufficient_funds"),
  card("4000000000000119", "Visa", "processor_timeout"),
  card("4000000000003014", "Visa", "late_answer"),
  card("4000000000003022", "Visa", "answer_twice"),
  card("4000000000003030", "Visa", "answers_out_of_order"),
  card("4000000000003048", "Visa", "no_answer"),
  card("4000000000003055", "Visa", "authorized_less"),
  card("4000000000003063", "Visa", "captured_less"),
  card("4000000000003113", "Visa", "refund_rejected"),
  card("4000000000003121", "Visa", "push_rejected"),
];

export const TEST_CARDS: readonly TestCard[] = SANDBOX_CARDS.map((item) => ({
  number: item.number,
  brand: item.brand,
  outcome: OUTCOME_WORDS[item.outcome],
}));

/** Returns the card with this number, with or without spaces; undefined for any other number. */
export function findSandboxCard(number: string): SandboxCard | undefined {
  const digits = number.replaceAll(/[ -]/g, "");
  return SANDBOX_CARDS.find((item) => item.number === digits);
}

/** Returns the number of the first card with this behaviour. */
export function numberOf(outcome: CardOutcome): string {
  const found = SANDBOX_CARDS.find((item) => item.outcome === outcome);
  if (!found) throw new Error(`no sandbox card is ${outcome}`);
  return found.number;
}
