import { OPERATION_SIDES, OPERATIONS, type Operation } from "../../domain/catalogue/operation.ts";
import type { CatalogueFiles } from "./file-schemas.ts";
import type { CatalogueRows, CurrencyRow, DeliveryMethodRow, LimitColumns } from "./rows.ts";

/** Returns the rows of all tables, from files whose schemas and references were checked. */
export function rowsFromFiles(files: CatalogueFiles): CatalogueRows {
  const countryCodes = countryResolver(files);
  return {
    networks: files["networks.json"].map((item, position) => ({
      code: item.code,
      name: item.name,
      address_format: item.addressFormat,
      memo: item.memo,
      confirmations: item.confirmations,
      large_above_euro: item.large?.aboveEuro ?? null,
      large_confirmations: item.large?.confirmations ?? null,
      explorer_transaction_url: item.explorerTransactionUrl,
      position,
      enabled: item.enabled ?? true,
    })),
    currencies: currencyRows(files),
    paymentMethods: files["payment-methods.json"].map((item, position) => ({
      id: item.id,
      reference: item.reference,
      name: item.name,
      type: item.type,
      operations: item.operations,
      country_codes: countryCodes(item.countries),
      currency_codes: item.currencies ?? null,
      min_days: item.days?.[0] ?? null,
      max_days: item.days?.[1] ?? null,
      ...limitColumns(item),
      position,
      enabled: item.enabled ?? true,
    })),
    deliveryMethods: deliveryMethodRows(files),
    countries: files["countries.json"].map((item, position) => ({
      code: item.code,
      name: item.name,
      currency_code: item.currency,
      ...limitColumns(item),
      position,
      enabled: item.enabled ?? true,
    })),
    pricingRules: files["pricing.json"].map((item, position) => ({
      reference: item.reference,
      merchant_id: item.merchant ?? null,
      operation: item.operation ?? null,
      payment_method_reference: item.paymentMethod ?? null,
      currency: item.currency?.toLowerCase() ?? null,
      spread_basis_points: item.spreadBasisPoints,
      fee_basis_points: item.feeBasisPoints,
      fixed_fee_euro: item.fixedFeeEuro,
      ...limitColumns(item),
      position,
      enabled: item.enabled ?? true,
    })),
  };
}

function currencyRows(files: CatalogueFiles): CurrencyRow[] {
  const fiat = files["fiat-currencies.json"].map((item) => ({
    id: item.id,
    reference: item.reference,
    code: item.code,
    kind: "fiat" as const,
    name: item.name,
    short_name: item.shortName,
    symbol: item.symbol,
    decimals: item.decimals,
    published_decimals: item.decimals,
    network_code: null,
    is_default_network: true,
    contract_address: null,
    per_euro: item.perEuro,
    ...limitColumns(item),
    enabled: item.enabled ?? true,
  }));
  const crypto = files["crypto-currencies.json"].map((item) => ({
    id: item.id,
    reference: item.reference,
    code: item.code,
    kind: "crypto" as const,
    name: item.name,
    short_name: null,
    symbol: item.symbol,
    decimals: item.decimals,
    published_decimals: item.publishedDecimals,
    network_code: item.network,
    is_default_network: item.defaultNetwork,
    contract_address: item.contract ?? null,
    per_euro: item.perEuro,
    ...limitColumns(item),
    enabled: item.enabled ?? true,
  }));
  return [...crypto, ...fiat].map((row, position) => ({ ...row, position }));
}

function deliveryMethodRows(files: CatalogueFiles): DeliveryMethodRow[] {
  const countryCodes = countryResolver(files);
  const rails = new Map(files["payment-methods.json"].map((item) => [item.reference, item.id]));
  const fields = new Map(files["payout-fields.json"].map((field) => [field.name, field]));
  return files["delivery-methods.json"].map((item, position) => ({
    id: item.id,
    reference: item.reference,
    name: item.name,
    type: item.type,
    rail_id: rails.get(item.rail) ?? 0,
    operations: operationsThatReceive(item.type === "on_chain" ? "crypto" : "fiat"),
    country_codes: countryCodes(item.countries),
    currency_codes: item.currencies ?? null,
    fee_basis_points: item.feeBasisPoints ?? 0,
    fixed_fee_euro: item.fixedFeeEuro ?? "0",
    min_days: item.days[0],
    max_days: item.days[1],
    required_fields: (item.requiredFields ?? []).flatMap((name) => fields.get(name) ?? []),
    ...limitColumns(item),
    position,
    enabled: item.enabled ?? true,
  }));
}

const operationsThatReceive = (kind: "crypto" | "fiat"): Operation[] =>
  OPERATIONS.filter((operation) => OPERATION_SIDES[operation].receive === kind);

const limitColumns = (item: {
  readonly minEuro?: string;
  readonly maxEuro?: string;
}): LimitColumns => ({ min_euro: item.minEuro ?? null, max_euro: item.maxEuro ?? null });

/** Returns a function that turns codes and names of areas into sorted, unique country codes. */
function countryResolver(files: CatalogueFiles) {
  const countries = files["countries.json"];
  return (selectors: readonly string[] | undefined): string[] | null => {
    if (!selectors) return null;
    const wanted = new Set(selectors);
    return countries
      .filter(({ code, areas }) => wanted.has(code) || areas?.some((area) => wanted.has(area)))
      .map(({ code }) => code)
      .sort();
  };
}
