import type { Operator } from "../../domain/operators/operator.ts";
import type { Merchant, MerchantSettings } from "../../domain/ports/merchant-directory.ts";
import { makeClientId } from "../../secrets/api-key.ts";
import { logControl } from "../../storage/audit/control-log.ts";
import { insertMerchant, type MerchantRecord } from "../../storage/merchants/merchants.ts";
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

/** Creates a merchant with one API key. Refuses INVALID_INPUT with the reason. */
export async function createMerchant(
  deps: Pick<Deps, "database" | "ids" | "environment">,
  command: CreateMerchant,
): Promise<CreatedMerchant> {
  const by = requireOperator(deps, command.by);
  const merchant: Merchant = {
    id: makeClientId(deps.environment, deps.ids),
    name: requireName(command.name),
    settings: {
      ...SETTINGS_DEFAULT,
      allowedOrigins: requireOrigins(command.allowedOrigins),
      countryCode: requireCountryCode(command.countryCode ?? SETTINGS_DEFAULT.countryCode),
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
