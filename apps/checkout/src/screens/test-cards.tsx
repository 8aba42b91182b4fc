import type { CheckoutSession } from "@exchange/contract";
import { useState } from "preact/hooks";
import { digitsOf, groupNumber } from "../card/brand.ts";
import { codeLengthOf } from "../card/rules.ts";
import { named, t } from "../copy/later.ts";
import type { CardDraft } from "../machine/state.ts";

export type TestCard = CheckoutSession["testCards"][number];

const VISIBLE_FIRST = 3;

interface TestCardsProps {
  readonly cards: readonly TestCard[];
  readonly onFill: (card: TestCard) => void;
}

/** The sandbox's panel: the test cards, each with a button that fills it in. */
export function TestCards({ cards, onFill }: TestCardsProps) {
  const [all, setAll] = useState(false);
  if (cards.length === 0) return null;
  const visible = all ? cards : cards.slice(0, VISIBLE_FIRST);
  return (
    <section class="test-cards" aria-labelledby="test-cards-title">
      <h2 id="test-cards-title">{t("testCards.title")}</h2>
      <p class="hint">{t("testCards.text")}</p>
      <ul>
        {visible.map((card) => (
          <li key={card.number}>
            <span class="test-card-words">
              <span class="mono" dir="ltr">
                {groupNumber(card.number)}
              </span>
              <span class="hint">
                {card.brand} · {named(card.outcome)}
              </span>
            </span>
            <button
              type="button"
              class="quiet-button"
              aria-label={t("testCards.fill.name", {
                brand: card.brand,
                lastFour: digitsOf(card.number).slice(-4),
              })}
              onClick={() => onFill(card)}
            >
              {t("testCards.fill")}
            </button>
          </li>
        ))}
      </ul>
      {cards.length > VISIBLE_FIRST && (
        <button
          type="button"
          class="link link-target"
          aria-expanded={all}
          onClick={() => setAll(!all)}
        >
          {t(all ? "testCards.fewer" : "testCards.more")}
        </button>
      )}
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
