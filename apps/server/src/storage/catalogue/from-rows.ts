import { type Decimal, parseDecimal } from "@exchange/money";
import type { CatalogueContents } from "../../domain/catalogue/catalogue.ts";
import type { Currency, LimitRange } from "../../domain/catalogue/currency.ts";
import type { DeliveryMethod, PaymentMethod } from "../../domain/catalogue/methods.ts";
import type { LargeDeposits } from "../../domain/catalogue/network.ts";
import type { PricingRule } from "../../domain/catalogue/pricing-rule.ts";
import type { PriceChange } from "../../domain/prices/price-change.ts";
import type {
  ApprovedChangeRow,
  CurrencyRow,
  DeliveryMethodRow,
  LimitColumns,
  NetworkRow,
  PaymentMethodRow,
  RuleColumns,
  StoredCatalogueRows,
} from "./rows.ts";

/** Maps rows to the domain's types. */
export function contentsFromRows(rows: StoredCatalogueRows, version: bigint): CatalogueContents {
  return {
    version,
    networks: rows.networks.map((row) => ({
      code: row.code,
      name: row.name,
      addressFormat: row.address_format,
      memo: row.memo,
      confirmations: row.confirmations,
      large: toLarge(row),
      explorerTransactionUrl: row.explorer_transaction_url,
      enabled: row.enabled,
    })),
    currencies: rows.currencies.map(toCurrency),
    paymentMethods: rows.paymentMethods.map(toPaymentMethod),
    deliveryMethods: rows.deliveryMethods.map(toDeliveryMethod),
    countries: rows.countries.map((row) => ({
      code: row.code,
      name: row.name,
      currencyCode: row.currency_code,
      limits: toLimits(row),
      enabled: row.enabled,
    })),
    pricingRules: rows.pricingRules.map(toPricingRule),
    priceChanges: (rows.priceChanges ?? []).map(toPriceChange),
  };
}

const toLarge = (row: NetworkRow): LargeDeposits | null =>
  row.large_above_euro === null || row.large_confirmations === null
    ? null
    : { aboveEuro: decimalOf(row.large_above_euro), confirmations: row.large_confirmations };

const toCurrency = (row: CurrencyRow): Currency => ({
  id: row.id,
  code: row.code,
  reference: row.reference,
  kind: row.kind,
  name: row.name,
  shortName: row.short_name,
  symbol: row.symbol,
  decimals: row.decimals,
  publishedDecimals: row.published_decimals,
  networkCode: row.network_code,
  isDefaultNetwork: row.is_default_network,
  contractAddress: row.contract_address,
  perEuro: decimalOf(row.per_euro),
  limits: toLimits(row),
  enabled: row.enabled,
});

const toPaymentMethod = (row: PaymentMethodRow): PaymentMethod => ({
  id: row.id,
  reference: row.reference,
  name: row.name,
  type: row.type,
  operations: new Set(row.operations),
  countryCodes: row.country_codes && new Set(row.country_codes),
  currencyCodes: row.currency_codes && new Set(row.currency_codes),
  days: { min: row.min_days, max: row.max_days },
  limits: toLimits(row),
  enabled: row.enabled,
});

const toDeliveryMethod = (row: DeliveryMethodRow): DeliveryMethod => ({
  id: row.id,
  reference: row.reference,
  name: row.name,
  type: row.type,
  railId: row.rail_id,
  operations: new Set(row.operations),
  countryCodes: row.country_codes && new Set(row.country_codes),
  currencyCodes: row.currency_codes && new Set(row.currency_codes),
  feeBasisPoints: row.fee_basis_points,
  fixedFeeEuro: decimalOf(row.fixed_fee_euro),
  days: { min: row.min_days, max: row.max_days },
  requiredFields: row.required_fields,
  limits: toLimits(row),
  enabled: row.enabled,
});

/** Maps the columns that a rule of the files and a changed rule have in common. */
const toPricingRule = (row: RuleColumns): PricingRule => ({
  reference: row.reference,
  merchantId: row.merchant_id,
  operation: row.operation,
  paymentMethodReference: row.payment_method_reference,
  currency: row.currency,
  spreadBasisPoints: row.spread_basis_points,
  feeBasisPoints: row.fee_basis_points,
  fixedFeeEuro: decimalOf(row.fixed_fee_euro),
  limits: toLimits(row),
  enabled: row.enabled,
});

const toPriceChange = (row: ApprovedChangeRow): PriceChange => {
  const { id, reference, effective_ms: effectiveMs } = row;
  const rule = row.is_of_files ? null : { ...toPricingRule(row), changeId: id };
  return { id, reference, rule, effectiveFrom: new Date(Number(effectiveMs)) };
};

const toLimits = (row: LimitColumns): LimitRange => ({
  minEuro: row.min_euro === null ? null : decimalOf(row.min_euro),
  maxEuro: row.max_euro === null ? null : decimalOf(row.max_euro),
});

function decimalOf(text: string): Decimal {
  const value = parseDecimal(text);
  if (!value) throw new Error(`the catalogue has ${text} for a decimal number`);
  return value;
}
