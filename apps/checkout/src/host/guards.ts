import {
  type Appearance,
  type CheckoutOptions,
  type CloseRequestBy,
  FRAME_PROTOCOL,
  type FrameWelcome,
  type HostMessage,
  OPERATION_OF_WORD,
} from "@exchange/contract/frame";

export const TOKEN_CHARACTERS_MAX = 8192;
const TEXT_CHARACTERS_MAX = 128;
const OPERATIONS = Object.entries(OPERATION_OF_WORD);
const ASKERS: readonly CloseRequestBy[] = ["escape", "back", "host"];
const THEMES = ["auto", "light", "dark"] as const;

type Fields = Readonly<Record<string, unknown>>;

/** Returns true when a window message is the welcome for this page load. */
export function isWelcome(
  value: unknown,
  expected: { readonly instance: string; readonly load: string },
): value is FrameWelcome {
  return (
    isFields(value) &&
    value["protocol"] === FRAME_PROTOCOL &&
    value["type"] === "welcome" &&
    value["instance"] === expected.instance &&
    value["load"] === expected.load &&
    value["version"] === 1
  );
}

/** Rebuilds a message of the host from the expected fields. Returns undefined for any other message. */
export function readHostMessage(value: unknown): HostMessage | undefined {
  if (!isFields(value)) return undefined;
  switch (value["type"]) {
    case "init": {
      const token = text(value["token"], TOKEN_CHARACTERS_MAX);
      return token ? { type: "init", token, options: readOptions(value["options"]) } : undefined;
    }
    case "init-failed":
      return { type: "init-failed" };
    case "close-request": {
      const by = oneOf(ASKERS, value["by"]);
      return by && { type: "close-request", by };
    }
    default:
      return undefined;
  }
}

/** Returns the options of the right type. Options of a wrong type are left out, never guessed. */
function readOptions(value: unknown): CheckoutOptions {
  if (!isFields(value)) return {};
  return dropAbsent({
    operationType: OPERATIONS.find((names) => names.includes(String(value["operationType"])))?.[1],
    baseCurrency: text(value["baseCurrency"]),
    targetCurrency: text(value["targetCurrency"]),
    baseAmount: positive(value["baseAmount"]),
    targetAmount: positive(value["targetAmount"]),
    paymentMethod: text(value["paymentMethod"]),
    walletAddress: text(value["walletAddress"]),
    locale: text(value["locale"]),
    theme: oneOf(THEMES, value["theme"]),
    // Its reader checks the members (appearance/look.ts).
    appearance: isFields(value["appearance"]) ? (value["appearance"] as Appearance) : undefined,
    // Earlier scripts called onSuccess as soon as the order was placed.
    expectsEarlySuccess: (value["onSuccess"] && !value["onPending"]) || undefined,
  });
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null;

export const text = (value: unknown, max = TEXT_CHARACTERS_MAX): string | undefined =>
  typeof value === "string" && value !== "" && value.length <= max ? value : undefined;

const positive = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? value : undefined;

const oneOf = <Value extends string>(values: readonly Value[], value: unknown): Value | undefined =>
  values.find((candidate) => candidate === value);

type Present<T> = { readonly [Key in keyof T]?: Exclude<T[Key], undefined> };

const dropAbsent = <T extends object>(fields: T): Present<T> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Present<T>;
