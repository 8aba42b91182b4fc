import type {
  DeliveryMethodType,
  PaymentMethodType,
  PayoutField,
} from "../../domain/catalogue/methods.ts";
import type { AddressFormat, MemoRule } from "../../domain/catalogue/network.ts";
import type { CurrencyKind, Operation } from "../../domain/catalogue/operation.ts";

/** The columns of every catalogue table. Exact numbers are read and written as text. */
export interface CommonColumns {
  readonly position: number;
  readonly enabled: boolean;
}

export interface LimitColumns {
  readonly min_euro: string | null;
  readonly max_euro: string | null;
}

export interface NetworkRow extends CommonColumns {
  readonly code: string;
  readonly name: string;
  readonly address_format: AddressFormat;
  readonly memo: MemoRule;
  readonly confirmations: number;
  readonly large_above_euro: string | null;
  readonly large_confirmations: number | null;
  readonly explorer_transaction_url: string;
}

export interface CurrencyRow extends CommonColumns, LimitColumns {
  readonly id: number;
  readonly reference: string;
  readonly code: string;
  readonly kind: CurrencyKind;
  readonly name: string;
  readonly short_name: string | null;
  readonly symbol: string;
  readonly decimals: number;
  readonly published_decimals: number;
  readonly network_code: string | null;
  readonly is_default_network: boolean;
  readonly contract_address: string | null;
  readonly per_euro: string;
}

export interface PaymentMethodRow extends CommonColumns, LimitColumns {
  readonly id: number;
  readonly reference: string;
  readonly name: string;
  readonly type: PaymentMethodType;
  readonly operations: readonly Operation[];
  readonly country_codes: readonly string[] | null;
  readonly currency_codes: readonly string[] | null;
  readonly min_days: number | null;
  readonly max_days: number | null;
}

export interface DeliveryMethodRow extends CommonColumns, LimitColumns {
  readonly id: number;
  readonly reference: string;
  readonly name: string;
  readonly type: DeliveryMethodType;
  readonly rail_id: number;
  readonly operations: readonly Operation[];
  readonly country_codes: readonly string[] | null;
  readonly currency_codes: readonly string[] | null;
  readonly fee_basis_points: number;
  readonly fixed_fee_euro: string;
  readonly min_days: number | null;
  readonly max_days: number | null;
  readonly required_fields: readonly PayoutField[];
}

export interface CountryRow extends CommonColumns, LimitColumns {
  readonly code: string;
  readonly name: string;
  readonly currency_code: string;
}

/** The columns of a price, in the files' rules and in changes of them. */
export interface RuleColumns extends LimitColumns {
  readonly reference: string;
  readonly merchant_id: string | null;
  readonly operation: Operation | null;
  readonly payment_method_reference: string | null;
  readonly currency: string | null;
  readonly spread_basis_points: number;
  readonly fee_basis_points: number;
  readonly fixed_fee_euro: string;
  readonly enabled: boolean;
}

export interface PricingRuleRow extends CommonColumns, RuleColumns {}

/** The columns of the rule are null in a change that returns it to the files. */
export interface ApprovedChangeRow extends RuleColumns {
  readonly id: number;
  readonly is_of_files: boolean;
  readonly effective_ms: string;
}

/** The rows of all catalogue tables. */
export interface CatalogueRows {
  readonly networks: readonly NetworkRow[];
  readonly currencies: readonly CurrencyRow[];
  readonly paymentMethods: readonly PaymentMethodRow[];
  readonly deliveryMethods: readonly DeliveryMethodRow[];
  readonly countries: readonly CountryRow[];
  readonly pricingRules: readonly PricingRuleRow[];
}

/** The rows of the catalogue with the price changes that people approved. The files have none. */
export interface StoredCatalogueRows extends CatalogueRows {
  readonly priceChanges?: readonly ApprovedChangeRow[];
}
