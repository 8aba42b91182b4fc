import type { Operator } from "../../domain/operators/operator.ts";
import type {
  Merchant,
  MerchantDefaults,
  MerchantSettings,
} from "../../domain/ports/merchant-directory.ts";
import { makeClientId } from "../../secrets/api-key.ts";
import { logControl } from "../../storage/audit/control-log.ts";
import { readCatalogue } from "../../storage/catalogue/catalogue.ts";
import { insertMerchant, type MerchantRecord } from "../../storage/merchants/merchants.ts";
import type { Queryable } from "../../storage/postgres/database.ts";
import type { Deps } from "../deps.ts";
import { requireOperator } from "../operators/require-operator.ts";
import { type CreatedKey, insertNewKey, UNLIMITED_KEY } from "./create-key.ts";
import { requireCountryCode, requireName, requireOrigins, showSettings } from "./settings.ts";

export interface CreateMerchant {
  readonly name: string;
  readonly allowedOrigins: readonly string[];
  readonly countryCode?: string;
  readonly by: Operator;
}

export interface CreatedMerchant {
  readonly merchant: MerchantRecord;
  /** The first API key, in the clear only here. It has every scope. */
  readonly key: CreatedKey;
}

const SETTINGS_DEFAULT: Omit<MerchantSettings, "allowedOrigins"> = {
  countryCode: "US",
  defaults: { baseCurrency: "usd", targetCurrency: "btc" },
};

/**
 * Creates a merchant with one API key. Its customers spend the currency of its country by default. Refuses INVALID_INPUT
 * with the reason.
 */
export async function createMerchant(
  deps: Pick<Deps, "database" | "ids" | "environment">,
  command: CreateMerchant,
): Promise<CreatedMerchant> {
  const by = requireOperator(deps, command.by);
  const countryCode = requireCountryCode(command.countryCode ?? SETTINGS_DEFAULT.countryCode);
  const merchant: Merchant = {
    id: makeClientId(deps.environment, deps.ids),
    name: requireName(command.name),
    settings: {
      ...SETTINGS_DEFAULT,
      allowedOrigins: requireOrigins(command.allowedOrigins),
      countryCode,
      defaults: await defaultsIn(deps.database, countryCode),
    },
  };
  return deps.database.transaction(async (tx) => {
    const stored = await insertMerchant(tx, merchant);
    await logControl(tx, {
      operator: by,
      action: "create_merchant",
      subject: stored.id,
      before: null,
      after: showSettings(stored),
    });
    const wanted = { merchantId: stored.id, limits: UNLIMITED_KEY, by };
    return { merchant: stored, key: await insertNewKey(tx, deps, wanted) };
  });
}

/** Returns the defaults for a country, or the general ones if its currency is not exchanged here. */
async function defaultsIn(database: Queryable, countryCode: string): Promise<MerchantDefaults> {
  const { defaults } = SETTINGS_DEFAULT;
  if (countryCode === SETTINGS_DEFAULT.countryCode) return defaults;
  // The catalogue is empty until the service has started for the first time.
  const catalogue = await readCatalogue(database);
  const code = catalogue.country(countryCode)?.currencyCode;
  const currency = code === undefined ? undefined : catalogue.currencyByCodeOrReference(code);
  if (currency?.kind !== "fiat" || !currency.enabled) return defaults;
  return { ...defaults, baseCurrency: currency.reference };
}
