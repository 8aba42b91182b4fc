import { hasPostalCodes } from "@exchange/contract/postal-codes";
import { codeLengthOf, findNumberFault, hasExpired, readExpiry } from "../card/rules.ts";
import { t } from "../copy/later.ts";
import type { CardDraft } from "../machine/state.ts";
import type { FieldCheck } from "../ui/form.tsx";
import type { TestCard } from "./test-cards.tsx";

export interface CardRules {
  readonly testCards: readonly TestCard[];
  readonly today: Date;
}

/** Checks the card form field by field, in the order of the screen. */
export const cardChecks = (card: CardDraft, rules: CardRules): readonly FieldCheck[] => [
  ...numberChecks(card, rules),
  required("card-name", card.holderName, t("card.error.holderName")),
  required("billing-country", card.countryCode, t("card.error.country")),
  ...(hasPostalCodes(card.countryCode)
    ? [required("billing-postal-code", card.postalCode, t("card.error.postalCode"))]
    : []),
];

type TypedCard = Pick<CardDraft, "number" | "expiry" | "code">;

/** Checks the fields printed on the card. */
export function numberChecks(card: TypedCard, rules: CardRules): readonly FieldCheck[] {
  const codeLength = codeLengthOf(card.number);
  const code = new RegExp(`^\\d{${codeLength}}$`).test(card.code.trim());
  return [
    { id: "card-number", typed: card.number !== "", error: numberError(card, rules) },
    { id: "card-expiry", typed: card.expiry !== "", error: expiryError(card, rules.today) },
    {
      id: "card-code",
      typed: card.code !== "",
      error: code ? undefined : t(`card.error.code${codeLength}`),
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
  switch (findNumberFault(card.number, testNumbers)) {
    case undefined:
      return undefined;
    case "empty":
      return t("card.error.number");
    case "mistyped":
      return t("card.error.mistyped");
    case "real_card":
      return t("card.error.realCard");
  }
}

function expiryError(card: TypedCard, today: Date): string | undefined {
  const expiry = readExpiry(card.expiry);
  if (!expiry) return t("card.error.expiry");
  return hasExpired(expiry, today) ? t("card.error.expired") : undefined;
}
