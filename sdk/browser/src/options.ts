import type { ExchangeOptions, InitOptions, OpenOptions } from "./exchange-api.ts";
import { invalidOptions } from "./exchange-error.ts";

type Check = (value: unknown) => boolean;

const TEXT_LENGTH_MAX = 8192;

export const isText = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && value.length <= TEXT_LENGTH_MAX;
const isAmount: Check = (value) => Number.isFinite(value) && Number(value) > 0;
const isFunction: Check = (value) => typeof value === "function";
const oneOf =
  (...words: readonly unknown[]): Check =>
  (value) =>
    words.includes(value);

const CHECKS: Readonly<Record<keyof (ExchangeOptions & InitOptions), Check>> = {
  clientId: isText,
  env: isText,
  authenticationToken: (value) =>
    isText(value) || isFunction(value) || isFunction(Object(value).then),
  operationType: oneOf("B", "S", "CC", "FF"),
  baseCurrency: isText,
  targetCurrency: isText,
  baseAmount: isAmount,
  targetAmount: isAmount,
  paymentMethod: isText,
  walletAddress: isText,
  locale: isText,
  theme: oneOf("auto", "light", "dark"),
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
    console.warn(`exchange.${call}(): baseAmount wins over targetAmount.`);
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
