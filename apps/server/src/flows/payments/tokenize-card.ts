import type { CardDetails, TokenizedCard } from "../../domain/ports/card-processor.ts";
import type { Deps } from "../deps.ts";
import { Refusal } from "../refusal.ts";

const REFUSED_CARDS = {
  not_a_test_card: {
    field: "card.number",
    message: "Real cards must not be entered in the sandbox. Use one of the listed test cards.",
  },
  expired_card: { field: "card.expiryYear", message: "This card has expired." },
  invalid_card: { field: "card.number", message: "Check the card number." },
} as const;

/**
 * Sends the card to the processor, which stores its number; we store its token, brand and last
 * four. Refuses INVALID_INPUT (the processor refuses the card). Refuses PROVIDER_UNAVAILABLE where
 * card numbers must not reach this service.
 */
export async function tokenizeCard(
  deps: Pick<Deps, "cardProcessor" | "clock">,
  card: CardDetails,
): Promise<TokenizedCard> {
  const tokens = deps.cardProcessor?.tokens;
  if (!tokens) throw new Refusal("PROVIDER_UNAVAILABLE");
  const tokenized = await tokens.tokenize(card, deps.clock.now());
  if (!("refused" in tokenized)) return tokenized;
  const { field, message } = REFUSED_CARDS[tokenized.refused];
  throw new Refusal("INVALID_INPUT", { message, details: [{ field, issue: tokenized.refused }] });
}
