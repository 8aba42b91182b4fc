import type { Outgoing } from "@exchange/contract";
import { ADMIN_ENDPOINTS, type MerchantSettings } from "@exchange/contract/admin";
import { type Decimal, parseDecimal } from "@exchange/money";
import type { Static } from "@sinclair/typebox";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { Currency } from "../../domain/catalogue/currency.ts";
import type { Merchant } from "../../domain/ports/merchant-directory.ts";
import { isOffered, spendFaultOf } from "../../domain/rules/availability.ts";
import { readMerchant } from "../../flows/merchants/read.ts";
import { type UpdateMerchant, updateMerchant } from "../../flows/merchants/update.ts";
import { ok } from "../wire.ts";
import { ownMerchant } from "./callers.ts";
import type { AdminDeps, RegisterAdmin } from "./registrar.ts";

/** Settings of a merchant, by the rules of `exchange merchant update`: for its own people, and for the operator's. */
export function registerMerchantSettings(register: RegisterAdmin, deps: AdminDeps): void {
  const read = async (merchantId: string) =>
    ok(presentSettings(await readMerchant(deps, merchantId), deps.catalogue()));
  const change = async (
    merchant: Pick<UpdateMerchant, "merchantId" | "by">,
    body: Static<typeof ADMIN_ENDPOINTS.changeMerchantSettings.body>,
  ) => {
    const changed = await updateMerchant(deps, {
      ...body,
      baseAmount: amountOf(body.baseAmount),
      targetAmount: amountOf(body.targetAmount),
      ...merchant,
    });
    return ok(presentSettings(changed, deps.catalogue()));
  };
  register(ADMIN_ENDPOINTS.readMerchantSettings, ({ caller }) => read(ownMerchant(caller)));
  register(ADMIN_ENDPOINTS.changeMerchantSettings, ({ caller, body }) =>
    change({ merchantId: ownMerchant(caller), by: caller.by }, body),
  );
  register(ADMIN_ENDPOINTS.readSettingsOfMerchant, ({ params }) => read(params.merchantId));
  register(ADMIN_ENDPOINTS.changeSettingsOfMerchant, ({ caller, params, body }) =>
    change({ ...params, by: caller.by }, body),
  );
}

const amountOf = (text: string | null | undefined): Decimal | null | undefined =>
  typeof text === "string" ? parseDecimal(text) : text;

function presentSettings(
  { name, settings }: Pick<Merchant, "name" | "settings">,
  catalogue: Catalogue,
): Outgoing<MerchantSettings> {
  const { defaults } = settings;
  const offered = catalogue.currencies.filter((currency) => isOffered(catalogue, currency));
  return {
    name,
    countryCode: settings.countryCode,
    baseCurrency: defaults.baseCurrency,
    targetCurrency: defaults.targetCurrency,
    baseAmount: defaults.baseAmount ?? null,
    targetAmount: defaults.targetAmount ?? null,
    logoUrl: settings.logoUrl ?? null,
    primaryColor: settings.primaryColor ?? null,
    tokenLifetimeSeconds: settings.tokenLifetimeSeconds ?? null,
    countries: catalogue.countries.map((country) => ({ value: country.code, name: country.name })),
    currencies: offered.map(presentChoice),
    spendCurrencies: offered
      .filter((currency) => spendFaultOf(currency) === undefined)
      .map(presentChoice),
  };
}

const presentChoice = ({ reference, code, name }: Currency) => ({
  value: reference,
  name: `${code}, ${name}`,
});
