import { t } from "../copy/later.ts";

/** Explains, folded, what happens to a payment that differs from the order. */
export const WhatIf = ({ of }: { readonly of: "bank" | "crypto" }) => (
  <details class="what-if">
    <summary>{t("instructions.whatIf")}</summary>
    <ul>
      {(["less", "more", "late"] as const).map((amount) => (
        <li key={amount}>{t(`${of}.${amount}`)}</li>
      ))}
    </ul>
  </details>
);
