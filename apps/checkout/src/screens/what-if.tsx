import { t } from "../copy/later.ts";

/** What happens to a payment that is not as agreed, for who wants to know. */
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
