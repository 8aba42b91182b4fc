import { named, t } from "../copy/later.ts";
import { type PayoutField, payoutFault, payoutFields } from "../machine/payout.ts";
import type { Choosing } from "../machine/state.ts";
import { isCard } from "../machine/ways.ts";
import type { FieldCheck } from "../ui/form.tsx";
import { type CardRules, numberChecks } from "./card-checks.ts";
import { addressChecks } from "./wallet-checks.ts";

/** What is wrong on the payout form, field by field, in the order of the screen. */
export function payoutChecks(stage: Choosing, rules: CardRules): readonly FieldCheck[] {
  const fields = payoutFields(stage).map((field) => {
    const typed = stage.payout[field.name] ?? "";
    return { id: payoutId(field), typed: typed !== "", error: payoutError(field, typed) };
  });
  const asksCard = stage.delivery && isCard(stage.delivery) && !stage.payoutCard.token;
  const card = asksCard ? numberChecks(stage.payoutCard, rules) : [];
  return [...fields, ...card, ...addressChecks(stage)];
}

export const payoutId = ({ name }: PayoutField): string => `payout-${name}`;

function payoutError(field: PayoutField, typed: string): string | undefined {
  const fault = payoutFault(field, typed);
  if (fault === undefined) return undefined;
  if (fault === "checksum") return t("payout.error.checksum");
  return t(`payout.error.${fault}`, { label: named(field.label) });
}
