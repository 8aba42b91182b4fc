import type { ScriptOptions } from "@exchange/browser/render";
import { WIRE_LIMITS } from "@exchange/contract";
import { normalize, parseDecimal, significantDigits } from "@exchange/money";
import { textIssue } from "../body/scan.ts";

/** A parameter is missing or wrong. The message says how to correct it. */
export class BadScriptRequest extends Error {}

const TEXT_CHARACTERS_MAX = 128;

type Query = Readonly<Record<string, unknown>>;

/** The script's checked parameters. Their values are data for the page and never become code. */
export function readScriptOptions(
  query: unknown,
  environment: ScriptOptions["env"],
): ScriptOptions {
  const values = query as Query;
  refuseUnknown(values);
  const clientId = text(values, "clientId");
  if (clientId === undefined) throw new BadScriptRequest("clientId is missing.");
  const env = text(values, "env");
  if (env !== environment) {
    throw new BadScriptRequest(
      `env must be ${environment}: this service has no other environment.`,
    );
  }
  return withoutUndefined({
    clientId,
    env: environment,
    baseCurrency: text(values, "baseCurrency"),
    targetCurrency: text(values, "targetCurrency"),
    baseAmount: amount(values, "baseAmount"),
    targetAmount: amount(values, "targetAmount"),
    paymentMethod: text(values, "paymentMethod"),
    walletAddress: text(values, "walletAddress"),
  });
}

const PARAMETERS = [
  "clientId",
  "env",
  "baseCurrency",
  "targetCurrency",
  "baseAmount",
  "targetAmount",
  "paymentMethod",
  "walletAddress",
] as const satisfies readonly (keyof ScriptOptions)[];

/** A parameter with a typing error would otherwise lose its value without a word. */
function refuseUnknown(query: Query): void {
  for (const [name, value] of Object.entries(query)) {
    if (!PARAMETERS.some((parameter) => parameter === name)) {
      throw new BadScriptRequest(
        `${name.slice(0, 40)} is not a parameter of the script. Use ${PARAMETERS.join(", ")}.`,
      );
    }
    if (Array.isArray(value))
      throw new BadScriptRequest(`${name.slice(0, 40)} appears twice. Send it once.`);
  }
}

/** An empty value counts as absent, because templates often write one. */
function text(query: Query, name: string): string | undefined {
  const value = query[name];
  if (typeof value !== "string" || value === "") return undefined;
  if (value.length > TEXT_CHARACTERS_MAX || textIssue(value) !== undefined) {
    throw new BadScriptRequest(
      `${name} must be text of at most ${TEXT_CHARACTERS_MAX} characters.`,
    );
  }
  return value;
}

function amount(query: Query, name: string): number | undefined {
  const value = text(query, name);
  if (value === undefined) return undefined;
  const decimal = parseDecimal(value);
  const isAmount =
    decimal !== undefined &&
    decimal.units > 0n &&
    significantDigits(decimal) <= WIRE_LIMITS.amountSignificantDigitsMax &&
    normalize(decimal).scale <= WIRE_LIMITS.amountDecimalsMax;
  if (isAmount) return Number(value);
  throw new BadScriptRequest(
    `${name} must be a number above 0 of at most ${WIRE_LIMITS.amountSignificantDigitsMax} significant digits and ${WIRE_LIMITS.amountDecimalsMax} decimals.`,
  );
}

type Loose<T> = { readonly [Key in keyof T]: T[Key] | undefined };

const withoutUndefined = (options: Loose<Required<ScriptOptions>>): ScriptOptions =>
  Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  ) as unknown as ScriptOptions;
