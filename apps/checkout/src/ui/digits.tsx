import { Fragment } from "preact";
import { useState } from "preact/hooks";
import {
  type CurrencyKind,
  formatAmount,
  formatBrief,
  type WireAmount,
} from "../amounts/format.ts";
import { t } from "../copy/later.ts";
import { shorten } from "./network-words.ts";

interface DigitsProps {
  readonly amount: WireAmount;
  readonly kind: CurrencyKind;
  readonly locale: string;
}

/** An amount with six significant digits. A press shows all of them. */
export function Digits({ amount, kind, locale }: DigitsProps) {
  const brief = formatBrief(amount, kind, locale);
  const exact = formatAmount(amount, kind, locale);
  if (brief === exact) return <bdi>{exact}</bdi>;
  return <Folded brief={<bdi>{brief}</bdi>} whole={<bdi>{exact}</bdi>} />;
}

/** The ends of an address. A press shows all of it. */
export const Address = ({ value }: { readonly value: string }) => (
  <Folded
    brief={
      <span class="mono" dir="ltr">
        {shorten(value)}
      </span>
    }
    whole={<Quads value={value} />}
  />
);

interface FoldedProps {
  readonly brief: preact.JSX.Element;
  readonly whole: preact.JSX.Element;
}

function Folded({ brief, whole }: FoldedProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <button
      type="button"
      class="folded"
      aria-expanded={isOpen}
      title={t("digits.all")}
      onClick={() => setOpen(!isOpen)}
    >
      {isOpen ? whole : brief}
    </button>
  );
}

/** A long text in groups of four. The gaps are style, so a copied selection has no spaces. */
export const Quads = ({ value }: { readonly value: string }) => (
  <span class="mono quads" dir="ltr">
    {(value.match(/.{1,4}/g) ?? []).map((quad, index) => (
      <Fragment key={index}>
        <span>{quad}</span>
        <wbr />
      </Fragment>
    ))}
  </span>
);
