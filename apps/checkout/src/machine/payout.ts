import type { DeliveryMethodItem } from "@exchange/contract";
import { passesIbanCheck } from "../amounts/iban.ts";
import type { Choosing } from "./state.ts";

export type PayoutField = DeliveryMethodItem["requiredFields"][number];

/** The field that holds a card's token; a card form stands in its place. */
const CARD_FIELD = "cardToken";

/** What the delivery method asks to be typed, in its order. */
export const payoutFields = ({ delivery }: Choosing): readonly PayoutField[] =>
  (delivery?.requiredFields ?? []).filter(({ name }) => name !== CARD_FIELD);

/**
 * What was typed as the bank wants it: people group account numbers with spaces and dashes and write
 * them in small letters. The first way of writing that fits the field's pattern counts.
 */
export function tidyPayout(field: PayoutField, typed: string): string {
  const text = typed.trim();
  const bare = text.replace(/[\s.()/-]/g, "");
  const ways = [text, text.replace(/\s/g, ""), bare, bare.toUpperCase(), text.toUpperCase()];
  return ways.find((way) => fits(field, way)) ?? text;
}

export type PayoutFault = "empty" | "invalid" | "checksum";

/** What is wrong with a field, or undefined. */
export function payoutFault(field: PayoutField, typed: string): PayoutFault | undefined {
  const value = tidyPayout(field, typed);
  if (value === "") return "empty";
  if (!fits(field, value)) return "invalid";
  const isIban = field.name === "iban" || /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(value);
  return isIban && takesIban(field) && !passesIbanCheck(value) ? "checksum" : undefined;
}

const takesIban = ({ name }: PayoutField): boolean => name === "iban" || name === "bankAccount";

/** The whole payout as the order names it. */
export function payoutOf(stage: Choosing): Record<string, string> {
  const typed = payoutFields(stage).map((field): [string, string] => [
    field.name,
    tidyPayout(field, stage.payout[field.name] ?? ""),
  ]);
  const { kept } = stage.payoutCard;
  const asksCard = stage.delivery?.requiredFields.some(({ name }) => name === CARD_FIELD);
  const card: [string, string][] = kept && asksCard ? [[CARD_FIELD, kept.cardToken]] : [];
  return Object.fromEntries([...typed, ...card]);
}

function fits({ pattern }: PayoutField, value: string): boolean {
  try {
    return new RegExp(pattern, "u").test(value);
  } catch {
    // A pattern this browser cannot read is left to the service.
    return value !== "";
  }
}
