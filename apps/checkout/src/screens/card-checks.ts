import { codeLengthOf, findNumberFault, hasExpired, readExpiry } from "../card/rules.ts";
import { steps } from "../copy/steps.ts";
import type { CardDraft } from "../machine/state.ts";
import type { FieldCheck } from "../ui/form.tsx";
import type { TestCard } from "./test-cards.tsx";

const { errors } = steps.card;

export interface CardRules {
  readonly sandbox: boolean;
  readonly testCards: readonly TestCard[];
  readonly today: Date;
}

/** What is wrong on the card form, field by field, in the order of the screen. */
export const cardChecks = (card: CardDraft, rules: CardRules): readonly FieldCheck[] => [
  ...numberChecks(card, rules),
  required("card-name", card.holderName, errors.holderName),
  required("billing-line1", card.line1, errors.line1),
  required("billing-city", card.city, errors.city),
  required("billing-postal-code", card.postalCode, errors.postalCode),
  required("billing-country", card.countryCode, errors.country),
];

type TypedCard = Pick<CardDraft, "number" | "expiry" | "code">;

/** What is wrong with what is printed on the card. */
export function numberChecks(card: TypedCard, rules: CardRules): readonly FieldCheck[] {
  const codeLength = codeLengthOf(card.number);
  const code = new RegExp(`^\\d{${codeLength}}$`).test(card.code.trim());
  return [
    { id: "card-number", typed: card.number !== "", error: numberError(card, rules) },
    { id: "card-expiry", typed: card.expiry !== "", error: expiryError(card, rules.today) },
    {
      id: "card-code",
      typed: card.code !== "",
      error: code ? undefined : errors.code[codeLength],
    },
  ];
}

const required = (id: string, value: string, error: string): FieldCheck => ({
  id,
  typed: value !== "",
  error: value.trim() === "" ? error : undefined,
});

function numberError(card: TypedCard, rules: CardRules): string | undefined {
  const testNumbers = rules.testCards.map((testCard) => testCard.number);
  const fault = findNumberFault(card.number, { sandbox: rules.sandbox, testNumbers });
  switch (fault?.kind) {
    case undefined:
      return undefined;
    case "empty":
      return errors.number;
    case "mistyped":
      return errors.mistyped;
    case "real_card":
      return errors.realCard;
    case "brand":
      return errors.brand(fault.brand);
  }
}

function expiryError(card: TypedCard, today: Date): string | undefined {
  const expiry = readExpiry(card.expiry);
  if (!expiry) return errors.expiry;
  return hasExpired(expiry, today) ? errors.expired : undefined;
}
