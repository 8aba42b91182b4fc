import { BRANDS, type CardBrand } from "../card/brand.ts";
import { marks } from "./coin.tsx";

// They are here before the card is.
marks.preload();

interface CardMarksProps {
  readonly brands: readonly CardBrand[];
  /** The words for a screen reader, and for everybody until the marks are here. */
  readonly words: string;
}

/** The marks of card brands. */
export function CardMarks({ brands, words }: CardMarksProps) {
  const { screens } = marks.use();
  if (!screens) return <>{words}</>;
  return (
    <>
      <span class="card-marks">
        {brands.map((brand) => (
          <screens.CardMark key={brand} brand={brand} />
        ))}
      </span>
      <span class="visually-hidden">{words}</span>
    </>
  );
}

export const ALL_BRANDS = Object.keys(BRANDS) as readonly CardBrand[];
