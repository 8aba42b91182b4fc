import type { CheckoutSession } from "@exchange/contract";
import { useState } from "preact/hooks";
import { digitsOf, groupNumber } from "../card/brand.ts";
import { codeLengthOf } from "../card/rules.ts";
import { named, t } from "../copy/later.ts";
import type { CardDraft } from "../machine/state.ts";
import { useActions } from "../ui/context.ts";

export type TestCard = CheckoutSession["testCards"][number];

interface TestCardsProps {
  readonly cards: readonly TestCard[];
  readonly onFill: (card: TestCard) => void;
}

/** The sandbox's line: a test card for each outcome, and a button that fills it in. */
export function TestCards({ cards, onFill }: TestCardsProps) {
  const { announce } = useActions();
  const [chosen, setChosen] = useState(0);
  const card = cards[chosen];
  if (!card) return null;
  const fill = (): void => {
    onFill(card);
    announce(t("testCards.filled"));
    // On a phone the filled fields may be off the screen.
    document.getElementById("card-number")?.scrollIntoView({ block: "center" });
  };
  return (
    <section class="sandbox-line" aria-label={t("testCards.title")}>
      <label for="test-card">{t("testCards.label")}</label>
      <select
        id="test-card"
        value={String(chosen)}
        onChange={(event) => setChosen(Number(event.currentTarget.value))}
      >
        {cards.map(({ number, brand, outcome }, index) => (
          <option key={number} value={String(index)}>
            {`${brand} ${digitsOf(number).slice(-4)} · ${named(outcome)}`}
          </option>
        ))}
      </select>
      <button type="button" class="quiet-button" onClick={fill}>
        {t("testCards.fill")}
      </button>
    </section>
  );
}

/** Returns a test card, with sample values for the fields that the customer left empty. */
export const filledWith = (
  testCard: TestCard,
  card: CardDraft,
  today: Date,
): Partial<CardDraft> => ({
  ...printedOn(testCard, today),
  holderName: card.holderName || "Test Customer",
  postalCode: card.postalCode || "12345",
});

/** Returns the fields printed on a test card. */
export const printedOn = ({ number }: TestCard, today: Date) => ({
  number: groupNumber(number),
  expiry: `12/${String((today.getFullYear() + 3) % 100).padStart(2, "0")}`,
  code: codeLengthOf(number) === 4 ? "1234" : "123",
});
