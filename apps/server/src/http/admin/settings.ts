import type { Outgoing } from "@exchange/contract";
import { ADMIN_ENDPOINTS, type ShopSettings } from "@exchange/contract/admin";
import { type Decimal, parseDecimal } from "@exchange/money";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { Merchant } from "../../domain/ports/merchant-directory.ts";
import { isOffered } from "../../domain/rules/availability.ts";
import { readMerchant } from "../../flows/merchants/read.ts";
import { updateMerchant } from "../../flows/merchants/update.ts";
import { ok } from "../wire.ts";
import { ownMerchant } from "./callers.ts";
import type { AdminDeps, RegisterAdmin } from "./registrar.ts";

/** Settings of the merchant of the person who calls, by the rules of `exchange merchant update`. */
export function registerShopSettings(register: RegisterAdmin, deps: AdminDeps): void {
  register(ADMIN_ENDPOINTS.readShopSettings, async ({ caller }) =>
    ok(presentSettings(await readMerchant(deps, ownMerchant(caller)), deps.catalogue())),
  );
  register(ADMIN_ENDPOINTS.changeShopSettings, async ({ caller, body }) => {
    const changed = await updateMerchant(deps, {
      ...body,
      baseAmount: amountOf(body.baseAmount),
      targetAmount: amountOf(body.targetAmount),
      merchantId: ownMerchant(caller),
      by: caller.by,
    });
    return ok(presentSettings(changed, deps.catalogue()));
  });
}

const amountOf = (text: string | null | undefined): Decimal | null | undefined =>
  typeof text === "string" ? parseDecimal(text) : text;

function presentSettings(
  { name, settings }: Pick<Merchant, "name" | "settings">,
  catalogue: Catalogue,
): Outgoing<ShopSettings> {
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
    currencies: offered.map((currency) => ({
      value: currency.reference,
      name: `${currency.code}, ${currency.name}`,
    })),
  };
}
