import { readFileSync } from "node:fs";
import { extname } from "node:path";
import {
  disableMerchant,
  enableMerchant,
  type UpdateMerchant,
  updateMerchant,
} from "../../flows/merchants/update.ts";
import { type Command, type CommandInput, type CommandResult, UsageError } from "../command.ts";
import { fetchLogo } from "../fetch-logo.ts";
import { AS, amountOrNone, CLIENT, operatorOf } from "../operator-options.ts";
import { withDatabase } from "../with-database.ts";
import { withFlows } from "../with-flows.ts";
import { describeSettings, showMerchant } from "./merchant.ts";

const CURRENCY = "a code such as EUR, or a reference such as usdt-tron.";

export const merchantUpdate: Command = {
  name: "merchant update",
  summary: "Change settings of a merchant. The service uses them within a second.",
  options: {
    client: CLIENT,
    name: { value: "NAME", description: "Its name." },
    origin: {
      value: "URL",
      multiple: true,
      description: "Replaces its origins, whose pages may open the popup; none allows no page.",
    },
    "add-origin": { value: "URL", multiple: true, description: "Adds an origin." },
    "remove-origin": { value: "URL", multiple: true, description: "Removes an origin." },
    country: { value: "CC", description: "Its country as two capital letters." },
    "base-currency": { value: "REF", description: `The currency that is spent: ${CURRENCY}` },
    "target-currency": { value: "REF", description: `The currency that is received: ${CURRENCY}` },
    "base-amount": {
      value: "AMOUNT",
      description: "The amount that the popup begins with, in the currency spent, or none.",
    },
    "target-amount": {
      value: "AMOUNT",
      description: "The amount received that the popup begins with if none is spent, or none.",
    },
    logo: {
      value: "FILE",
      description:
        "An image of at most 36 kB: a .png, .jpg, .webp or .svg file, or an https:// address that is fetched once; or none.",
    },
    color: { value: "HEX", description: "The colour of its buttons, such as #1a6cff, or none." },
    "token-lifetime": {
      value: "SECONDS",
      description: "The lifetime of its public tokens, 60 to 86400, or none for 1800.",
    },
    as: AS,
  },
  argument: "client",
  example:
    "merchant update --client client_dev_ABCDEFGHIJKLMNOP --add-origin https://shop.example --base-currency EUR --base-amount 100",
  run: (context, input) => {
    const changes = changesOf(input);
    return withFlows(context, async (deps) => {
      const { logoUrl } = changes;
      const merchant = await updateMerchant(deps, {
        ...changes,
        ...(logoUrl && WEB_ADDRESS.test(logoUrl)
          ? { logoUrl: await fetchLogo(logoUrl, deps.webhookTargets) }
          : {}),
        merchantId: input.required("client"),
        by: operatorOf(context, input),
      });
      const shown = showMerchant(merchant);
      return { json: shown, text: describeSettings(shown) };
    });
  },
};

type Changes = Omit<UpdateMerchant, "merchantId" | "by">;

function changesOf(input: CommandInput): Changes {
  const changes: Changes = {
    name: input.one("name"),
    allowedOrigins: originsOf(input),
    addedOrigins: manyOf(input, "add-origin"),
    removedOrigins: manyOf(input, "remove-origin"),
    countryCode: input.one("country"),
    baseCurrency: input.one("base-currency"),
    targetCurrency: input.one("target-currency"),
    baseAmount: amountOrNone(input, "base-amount"),
    targetAmount: amountOrNone(input, "target-amount"),
    logoUrl: orNone(input, "logo", readLogo),
    primaryColor: orNone(input, "color", (text) => text),
    tokenLifetimeSeconds: orNone(input, "token-lifetime", readSeconds),
  };
  if (Object.values(changes).some((value) => value !== undefined)) return changes;
  throw new UsageError("Name a setting to change, such as --name or --add-origin.");
}

function manyOf(input: CommandInput, name: string): readonly string[] | undefined {
  const values = input.many(name);
  return values.length === 0 ? undefined : values;
}

function originsOf(input: CommandInput): readonly string[] | undefined {
  const origins = manyOf(input, "origin");
  return origins?.length === 1 && origins[0] === "none" ? [] : origins;
}

/** Reads an option. Null for the word "none", undefined when the option is left out. */
function orNone<Value>(
  input: CommandInput,
  name: string,
  read: (text: string) => Value,
): Value | null | undefined {
  const text = input.one(name);
  if (text === undefined) return undefined;
  return text === "none" ? null : read(text);
}

/** The logo of such an address is fetched once. */
const WEB_ADDRESS = /^https?:\/\//i;

const IMAGE_TYPES: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".webp": "image/webp",
  ".svg": "image/svg+xml",
};

/** Reads an image as a data URL, the only form that the popup's content security policy allows. */
function readLogo(path: string): string {
  if (WEB_ADDRESS.test(path)) return path;
  const type = IMAGE_TYPES[extname(path).toLowerCase()];
  if (type === undefined) {
    throw new UsageError(`--logo must be a .png, .jpg, .webp or .svg file, not "${path}".`);
  }
  try {
    return `data:${type};base64,${readFileSync(path).toString("base64")}`;
  } catch (error) {
    throw new UsageError(`--logo cannot be read: ${(error as Error).message}. Check the path.`);
  }
}

function readSeconds(text: string): number {
  if (/^[0-9]{1,6}$/.test(text)) return Number(text);
  throw new UsageError(`--token-lifetime must be a number of seconds or none, not "${text}".`);
}

export const merchantDisable: Command = {
  name: "merchant disable",
  summary: "Disable a merchant. Its keys and tokens are refused. Orders under way continue.",
  options: {
    client: CLIENT,
    reason: { value: "TEXT", required: true, description: "The reason, for the log." },
    as: AS,
  },
  argument: "client",
  example: 'merchant disable client_dev_ABCDEFGHIJKLMNOP --reason "its key was published"',
  run: (context, input) =>
    withDatabase(context, async (deps) => {
      const { merchant, isNew } = await disableMerchant(deps, {
        merchantId: input.required("client"),
        reason: input.required("reason"),
        by: operatorOf(context, input),
      });
      const text = isNew
        ? `Merchant ${merchant.id} is disabled. Orders on their way go on; stop its payouts with: exchange payouts stop --client ${merchant.id}`
        : `Merchant ${merchant.id} was disabled already.`;
      return switched(merchant, text);
    }),
};

export const merchantEnable: Command = {
  name: "merchant enable",
  summary: "Enable a disabled merchant. Its keys and unexpired tokens work again.",
  options: { client: CLIENT, as: AS },
  argument: "client",
  example: "merchant enable client_dev_ABCDEFGHIJKLMNOP",
  run: (context, input) =>
    withDatabase(context, async (deps) => {
      const { merchant, isNew } = await enableMerchant(deps, {
        merchantId: input.required("client"),
        by: operatorOf(context, input),
      });
      const state = isNew ? "is enabled" : "was enabled already";
      return switched(merchant, `Merchant ${merchant.id} ${state}.`);
    }),
};

const switched = (merchant: Parameters<typeof showMerchant>[0], text: string): CommandResult => ({
  json: showMerchant(merchant),
  text,
});
