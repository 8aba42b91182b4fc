import type { CardToken, DeliveryMethodItem } from "@exchange/contract";
import { passesIbanCheck } from "../amounts/iban.ts";
import type { Choosing } from "./state.ts";

export type PayoutField = DeliveryMethodItem["requiredFields"][number];

/** The field that holds a card's token. The screen shows a card form in its place. */
const CARD_FIELD = "cardToken";

/** The fields of the delivery method that the customer types, in its order. */
export const payoutFields = ({ delivery }: Choosing): readonly PayoutField[] =>
  (delivery?.requiredFields ?? []).filter(({ name }) => name !== CARD_FIELD);

/**
 * Normalizes a typed field for the bank. People group account numbers with spaces and dashes and write
 * them in small letters. The first spelling that matches the field's pattern is returned.
 */
export function tidyPayout(field: PayoutField, typed: string): string {
  const text = typed.trim();
  const bare = text.replace(/[\s.()/-]/g, "");
  const spellings = [text, text.replace(/\s/g, ""), bare, bare.toUpperCase(), text.toUpperCase()];
  return spellings.find((spelling) => matches(field, spelling)) ?? text;
}

export type PayoutFault = "empty" | "invalid" | "checksum";

/** The fault of a field, or undefined. */
export function payoutFault(field: PayoutField, typed: string): PayoutFault | undefined {
  const value = tidyPayout(field, typed);
  if (value === "") return "empty";
  if (!matches(field, value)) return "invalid";
  const isIban = field.name === "iban" || /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(value);
  return isIban && takesIban(field) && !passesIbanCheck(value) ? "checksum" : undefined;
}

const takesIban = ({ name }: PayoutField): boolean => name === "iban" || name === "bankAccount";

/** The payout of the order. */
export function payoutOf(stage: Choosing): Record<string, string> {
  const typed = payoutFields(stage).map((field): [string, string] => [
    field.name,
    tidyPayout(field, stage.payout[field.name] ?? ""),
  ]);
  const token = payoutCardOf(stage);
  const card: [string, string][] = token ? [[CARD_FIELD, token.cardToken]] : [];
  return Object.fromEntries([...typed, ...card]);
}

/** The card that receives the payout. A card of a delivery method chosen before does not. */
export const payoutCardOf = ({ delivery, payoutCard }: Choosing): CardToken | undefined =>
  delivery?.requiredFields.some(({ name }) => name === CARD_FIELD) ? payoutCard.token : undefined;

function matches({ pattern }: PayoutField, value: string): boolean {
  try {
    return new RegExp(pattern, "u").test(value);
  } catch {
    // The service checks a pattern that this browser cannot compile.
    return value !== "";
  }
}
