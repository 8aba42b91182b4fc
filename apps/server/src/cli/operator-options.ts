import { readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { OPERATION_TYPE_OF } from "@exchange/contract";
import { compareDecimals, normalize, parseDecimal, rescale } from "@exchange/money";
import { OPERATIONS, type Operation } from "../domain/catalogue/operation.ts";
import type { Operator } from "../domain/operators/operator.ts";
import { Refusal } from "../flows/refusal.ts";
import { findMerchant } from "../storage/merchants/merchants.ts";
import type { Queryable } from "../storage/postgres/database.ts";
import {
  type CommandContext,
  type CommandInput,
  type CommandOption,
  UsageError,
} from "./command.ts";

/** Options that several of the operator's commands share. */

export const AS: CommandOption = {
  value: "NAME",
  description: "Your name for the log. Default: your user name on this machine.",
};

/**
 * Returns the person at the command line. The account that counts as one person is the user that logged in
 * at this machine, as Linux records it for all processes of a login. Where the system does not record it,
 * the account is the user that called sudo, or the user that the command runs as.
 */
export function operatorOf({ variables }: CommandContext, input: CommandInput): Operator {
  const systemUser = systemUserName();
  const sudoUser = variables["SUDO_USER"]?.trim() || null;
  return {
    person: input.one("as") ?? sudoUser ?? systemUser,
    systemUser,
    sudoUser,
    account: loginAccount() ?? sudoUser ?? systemUser,
  };
}

/** The name of the user; a container may run as a user without a name. */
function systemUserName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}

const NO_LOGIN = "4294967295";

function loginAccount(): string | undefined {
  try {
    const uid = readFileSync("/proc/self/loginuid", "utf8").trim();
    return uid === "" || uid === NO_LOGIN ? undefined : `login ${uid}`;
  } catch {
    return undefined;
  }
}

export const CLIENT: CommandOption = {
  value: "ID",
  required: true,
  description: "The merchant's client id.",
};

/** The filter of a list. */
export const ANY_CLIENT: CommandOption = {
  value: "ID",
  description: "One merchant's client id. Default: all merchants.",
  earlier: "merchant",
};

/** Refuses a client id that no merchant has. A list of its orders or payouts would only be empty. */
export async function requireClient(database: Queryable, input: CommandInput): Promise<void> {
  const clientId = input.one("client");
  if (clientId === undefined || (await findMerchant(database, clientId))) return;
  throw new Refusal("NOT_FOUND", {
    message: `There is no merchant ${clientId}. List them: exchange merchant list`,
  });
}

export const ORDER: CommandOption = {
  value: "ID",
  required: true,
  description: "The order's id.",
};

/** The words of `--operation`: the name that reports use, or the letters of the API. */
export const OPERATION_WORDS = `One of ${OPERATIONS.map((name) => `${name} (${OPERATION_TYPE_OF[name]})`).join(", ")}.`;

/** Reads an operation by its name or by the API's letters. Undefined when the option is left out. */
export function operationOf(input: CommandInput): Operation | undefined {
  const text = input.one("operation");
  const operation = OPERATIONS.find((name) => name === text || OPERATION_TYPE_OF[name] === text);
  if (text === undefined || operation !== undefined) return operation;
  throw new UsageError(
    `"${text}" is not an operation. Use ${OPERATION_WORDS.replace("One", "one")}`,
  );
}

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
