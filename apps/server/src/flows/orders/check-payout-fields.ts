import type { DeliveryMethod, PayoutField } from "../../domain/catalogue/methods.ts";
import { isPayoutFieldValid } from "../../domain/payouts/account-checks.ts";
import { Refusal } from "../refusal.ts";

/** The values of the fields that a delivery method requires, by field name. */
export type PayoutFields = Readonly<Record<string, string>>;

/**
 * Returns the fields that the delivery method requires, in the form that its rail takes: without
 * the spaces that people put into account numbers. Refuses INVALID_INPUT with each field that is
 * missing, wrong or not required, since a payout cannot be undone.
 */
export function checkPayoutFields(
  method: DeliveryMethod,
  given: PayoutFields | undefined,
): PayoutFields {
  const fields: Record<string, string> = {};
  const details: { field: string; issue: string }[] = [];
  for (const field of method.requiredFields) {
    const answer = readField(field, given?.[field.name]);
    if ("value" in answer) fields[field.name] = answer.value;
    else details.push({ field: `payout.${field.name}`, issue: answer.issue });
  }
  const requiredNames = new Set(method.requiredFields.map(({ name }) => name));
  for (const name of Object.keys(given ?? {})) {
    if (!requiredNames.has(name)) {
      details.push({
        field: `payout.${name.slice(0, 40)}`,
        issue: "is not a field of this delivery method",
      });
    }
  }
  if (details.length === 0) return fields;
  throw new Refusal("INVALID_INPUT", {
    message: `The details for ${method.name} are not valid: body.${details[0]?.field} ${details[0]?.issue}.`,
    details,
  });
}

function readField(
  field: PayoutField,
  text: string | undefined,
): { readonly value: string } | { readonly issue: string } {
  const plain = text?.trim().normalize("NFC").replaceAll(/\s+/g, " ") ?? "";
  if (plain === "") return { issue: `is missing: ${field.label}` };
  const pattern = new RegExp(field.pattern, "u");
  // A name without its spaces is another name, to the bank and to the screener.
  const isNumber = !field.pattern.includes(" ");
  const compact = isNumber ? plain.replaceAll(/[\s-]/g, "").toUpperCase() : plain;
  const value = [plain, compact].find((candidate) => pattern.test(candidate));
  const isWrong = value === undefined || !isPayoutFieldValid(field.name, value);
  return isWrong ? { issue: `is not a valid value for ${field.label}` } : { value };
}

/** Fields that are shown whole. They do not identify the account by themselves. */
const SHOWN_WHOLE = new Set(["accountHolder", "bankName", "bic", "pickupCity"]);
/** The last characters of a token would look like a card's last four digits. */
const NOT_SHOWN = new Set(["cardToken"]);
const SIGNS_SHOWN = 4;

/** Masks all but the last characters of each field, so that people recognise them. */
export const maskPayoutFields = (fields: PayoutFields): PayoutFields =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([name]) => !NOT_SHOWN.has(name))
      .map(([name, value]) => [name, SHOWN_WHOLE.has(name) ? value : masked(value)]),
  );

const masked = (value: string): string =>
  `•••• ${value.slice(-Math.min(SIGNS_SHOWN, value.length / 2))}`;
