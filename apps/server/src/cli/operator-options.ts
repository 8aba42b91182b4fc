import { userInfo } from "node:os";
import { compareDecimals, normalize, parseDecimal, rescale } from "@exchange/money";
import { type CommandInput, type CommandOption, UsageError } from "./command.ts";

/** Options that several of the operator's commands share. */

export const AS: CommandOption = {
  value: "NAME",
  description: "Your name for the log. Default: your user name on this machine.",
};

export const personOf = (input: CommandInput): string => input.one("as") ?? userInfo().username;

export const ORDER: CommandOption = {
  value: "ID",
  required: true,
  description: "The order's id.",
};

/** Ids are positive and below 2^53 (completion, section 6). */
export function orderIdOf(input: CommandInput): bigint {
  const text = input.required("order");
  if (/^[1-9][0-9]{0,15}$/.test(text)) return BigInt(text);
  throw new UsageError(`"${text}" is not an order id. An order id has up to 16 digits.`);
}

export const LIMIT: CommandOption = {
  value: "COUNT",
  description: "The highest number of rows, 1 to 1000. Default: 20.",
};

export function limitOf(input: CommandInput): number {
  const text = input.one("limit") ?? "20";
  const count = /^[0-9]{1,4}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= 1000) return count;
  throw new UsageError(`--limit must be a number from 1 to 1000, not "${text}".`);
}

/** More than exists of any currency. */
const HIGHEST = { units: 10n ** 15n, scale: 0 };

/** An amount of whole coins, or null for the word "none". Undefined when the option is left out. */
export function amountOrNone(input: CommandInput, name: string) {
  const text = input.one(name);
  if (text === undefined) return undefined;
  if (text === "none") return null;
  const amount = parseDecimal(text);
  if (amount && amount.units >= 0n && compareDecimals(amount, HIGHEST) <= 0) return amount;
  throw new UsageError(`--${name} must be an amount such as 2500 or 0.5, or none; not "${text}".`);
}

/** Reads an amount in euro as cents. Null for the word "none", undefined when the option is left out. */
export function centsOrNone(input: CommandInput, name: string): bigint | null | undefined {
  const amount = amountOrNone(input, name);
  if (amount === undefined || amount === null) return amount;
  if (normalize(amount).scale <= 2) return rescale(amount, 2, "down").units;
  throw new UsageError(
    `--${name} has more than two decimals. Write an amount in euro such as 2500 or 0.50.`,
  );
}
