import type { ExchangeOptions, InitOptions, OpenOptions } from "./exchange-api.ts";
import { invalidOptions } from "./exchange-error.ts";

type Check = (value: unknown) => boolean;

export const isMatch = (value: unknown, pattern: RegExp): value is string =>
  typeof value === "string" && pattern.test(value);
export const isText = (value: unknown): value is string => isMatch(value, /^[^]{1,8192}$/);
const isAmount: Check = (value) => Number.isFinite(value) && (value as number) > 0;
export const isFunction = (value: unknown): value is (...args: never) => unknown =>
  typeof value === "function";
const oneOf =
  (...words: readonly unknown[]): Check =>
  (value) =>
    words.includes(value);

const CHECKS: Readonly<Record<keyof (ExchangeOptions & InitOptions), Check>> = {
  clientId: isText,
  env: isText,
  authenticationToken: (value) =>
    isText(value) || isFunction(value) || isFunction(Object(value).then),
  operationType: oneOf("B", "S", "CC", "FF", "buy", "sell", "swap", "transfer"),
  baseCurrency: isText,
  targetCurrency: isText,
  baseAmount: isAmount,
  targetAmount: isAmount,
  paymentMethod: isText,
  walletAddress: isText,
  locale: isText,
  theme: oneOf("auto", "light", "dark"),
  // The checkout checks the members, and says in the console which one is wrong.
  appearance: (value) => typeof value === "object",
  container: (value) => value instanceof Element,
  display: oneOf("auto", "modal", "popup", "redirect"),
  returnUrl: isText,
  history: oneOf(true, false),
  onOpen: isFunction,
  onReady: isFunction,
  onEvent: isFunction,
  onOrderPlaced: isFunction,
  onOrderUpdated: isFunction,
  onPending: isFunction,
  onSuccess: isFunction,
  onExit: isFunction,
  onError: isFunction,
};

/** Checks the options of a call. Unknown options are reported and dropped. */
export function readOptions(call: string, input: unknown): Partial<ExchangeOptions & InitOptions> {
  const options: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(Object(input))) {
    if (value === undefined) continue;
    if (!Object.hasOwn(CHECKS, key)) console.warn(`exchange.${call}(): ${key} is not an option.`);
    else if (CHECKS[key as keyof OpenOptions](value)) options[key] = value;
    else throw invalidOptions(call, key);
  }
  if (options["baseAmount"] && options["targetAmount"]) {
    console.warn(`exchange.${call}(): baseAmount replaces targetAmount`);
    delete options["targetAmount"];
  }
  return options;
}

/**
 * Merges `above` over `below`. An amount above replaces either amount below: only one may be set.
 */
export function overlay(below: OpenOptions, above: OpenOptions): OpenOptions {
  const { baseAmount: _base, targetAmount: _target, ...rest } = below;
  return { ...(above.baseAmount || above.targetAmount ? rest : below), ...above };
}
