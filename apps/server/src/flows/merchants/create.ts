import type { Merchant, MerchantSettings } from "../../domain/ports/merchant-directory.ts";
import { makeClientId } from "../../secrets/api-key.ts";
import { insertMerchant, type MerchantRecord } from "../../storage/merchants/merchants.ts";
import type { Deps } from "../deps.ts";
import { Refusal } from "../refusal.ts";
import { type CreatedKey, insertNewKey } from "./create-key.ts";

export interface CreateMerchant {
  readonly name: string;
  readonly allowedOrigins: readonly string[];
  readonly countryCode?: string;
}

export interface CreatedMerchant {
  readonly merchant: MerchantRecord;
  /** The first API key, in the clear only here. */
  readonly key: CreatedKey;
}

const NAME_CHARACTERS_MAX = 200;
const SETTINGS_DEFAULT: Omit<MerchantSettings, "allowedOrigins"> = {
  countryCode: "US",
  defaults: { baseCurrency: "usd", targetCurrency: "btc" },
};

/** Creates a merchant with one API key. Refuses INVALID_INPUT with the reason. */
export async function createMerchant(
  deps: Pick<Deps, "database" | "ids" | "environment">,
  command: CreateMerchant,
): Promise<CreatedMerchant> {
  const merchant: Merchant = {
    id: makeClientId(deps.environment, deps.ids),
    name: requireName(command.name),
    settings: {
      ...SETTINGS_DEFAULT,
      allowedOrigins: command.allowedOrigins.map(requireOrigin),
      countryCode: requireCountryCode(command.countryCode ?? SETTINGS_DEFAULT.countryCode),
    },
  };
  return deps.database.transaction(async (tx) => {
    const stored = await insertMerchant(tx, merchant);
    return { merchant: stored, key: await insertNewKey(tx, deps, stored.id) };
  });
}

function requireName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === "" || trimmed.length > NAME_CHARACTERS_MAX) {
    throw invalid(`A merchant's name has 1 to ${NAME_CHARACTERS_MAX} characters.`);
  }
  return trimmed;
}

/** Exact origins only: they are compared character by character with a browser's Origin header. */
export function requireOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.origin !== text) {
    throw invalid(`"${text}" is not an origin. Write it as https://shop.example, without a path.`);
  }
  return url.origin;
}

function requireCountryCode(text: string): string {
  if (!/^[A-Z]{2}$/.test(text)) {
    throw invalid(`"${text}" is no country code. Write two capital letters, such as DE.`);
  }
  return text;
}

const invalid = (message: string): Refusal => new Refusal("INVALID_INPUT", { message });
