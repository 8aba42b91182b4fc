import type { CheckoutOptions } from "@exchange/contract/frame";
import type { InitOptions, OpenOptions } from "./exchange-api.ts";
import { invalidOptions } from "./exchange-error.ts";
import type { ScriptConfig } from "./script-config.ts";

type Check = (value: unknown) => boolean;

const TEXT_LENGTH_MAX = 256;

const isText: Check = (value) =>
  typeof value === "string" && value !== "" && value.length <= TEXT_LENGTH_MAX;
const isAmount: Check = (value) =>
  typeof value === "number" && value > 0 && value < Number.POSITIVE_INFINITY;
const oneOf =
  (...words: readonly unknown[]): Check =>
  (value) =>
    words.includes(value);

const CHECKS: Readonly<Record<keyof OpenOptions, Check>> = {
  operationType: oneOf("B", "S", "CC", "FF"),
  baseCurrency: isText,
  targetCurrency: isText,
  baseAmount: isAmount,
  targetAmount: isAmount,
  paymentMethod: isText,
  walletAddress: isText,
  locale: (value) => typeof value === "string" && /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(value),
  theme: oneOf("auto", "light", "dark"),
  display: oneOf("auto", "modal", "popup", "redirect"),
  returnUrl: isText,
  history: oneOf(true, false),
};

function readOptions(call: string, given: unknown): Record<string, unknown> {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw invalidOptions(`exchange.${call}() takes one object of options.`);
  }
  return given as Record<string, unknown>;
}

/** Known options of the call, checked. Unknown ones are reported and left out. */
function readOpenOptions(
  call: string,
  given: Record<string, unknown>,
  ownKeys: readonly string[],
): OpenOptions {
  const options: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined || ownKeys.includes(key)) continue;
    if (!Object.hasOwn(CHECKS, key)) {
      console.warn(`exchange.${call}(): ${key} is not an option.`);
      continue;
    }
    if (!CHECKS[key as keyof OpenOptions](value)) {
      throw invalidOptions(`exchange.${call}(): ${key} is not valid.`);
    }
    options[key] = value;
  }
  if (options["baseAmount"] !== undefined && options["targetAmount"] !== undefined) {
    console.warn(`exchange.${call}(): baseAmount wins over targetAmount.`);
    delete options["targetAmount"];
  }
  return options;
}

export function readConfigureOptions(given: unknown, script: ScriptConfig): OpenOptions {
  const options = readOptions("configure", given);
  for (const key of ["clientId", "env"] as const) {
    if (options[key] !== script.options[key]) {
      throw invalidOptions(`exchange.configure(): ${key} must be the one in the script's address.`);
    }
  }
  return readOpenOptions("configure", options, ["clientId", "env"]);
}

export function readInitOptions(given: unknown): InitOptions {
  const options = readOptions("init", given);
  const token = options["authenticationToken"];
  const isToken = typeof token === "string" && token !== "";
  const isPromise = typeof (token as PromiseLike<string> | undefined | null)?.then === "function";
  if (!isToken && !isPromise && typeof token !== "function") {
    throw invalidOptions(
      "exchange.init(): authenticationToken must be a token, a promise or a function.",
    );
  }
  return {
    ...readOpenOptions("init", options, ["authenticationToken"]),
    authenticationToken: token as InitOptions["authenticationToken"],
  };
}

/** What the script's own address asks for. */
export function scriptOptions({ options }: ScriptConfig): OpenOptions {
  const { clientId: _clientId, env: _env, ...rest } = options;
  return rest;
}

/** Lays `above` over `below`. An amount above displaces either amount below: they say the same thing. */
export function overlay(below: OpenOptions, above: OpenOptions): OpenOptions {
  if (above.baseAmount === undefined && above.targetAmount === undefined) {
    return { ...below, ...above };
  }
  const { baseAmount: _base, targetAmount: _target, ...rest } = below;
  return { ...rest, ...above };
}

/** What the checkout is told: the options that concern it. What is left out it knows from the session. */
export function checkoutOptions(init: InitOptions): CheckoutOptions {
  const { history: _h, display: _d, returnUrl: _r, authenticationToken: _t, ...rest } = init;
  return rest;
}
