import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { DELIVERY_METHOD_TYPES, PAYMENT_METHOD_TYPES } from "../../domain/catalogue/methods.ts";
import { ADDRESS_FORMATS, MEMO_RULES } from "../../domain/catalogue/network.ts";
import { OPERATIONS } from "../../domain/catalogue/operation.ts";
import { BASIS_POINTS_MAX } from "../../domain/catalogue/pricing-rule.ts";

// The files an operator edits. `apps/server/catalogue/README.md` explains each member.

const oneOf = <const Values extends readonly string[]>(values: Values) =>
  Type.Unsafe<Values[number]>({ type: "string", enum: [...values] });
const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema);
const fileOf = <Item extends TSchema>(item: Item) => Type.Array(item, { minItems: 1 });

const Id = Type.Integer({ minimum: 1, maximum: 2_147_483_647 });
const Name = Type.String({ minLength: 1, maxLength: 100 });
const Slug = Type.String({ pattern: "^[a-z0-9-]{1,64}$" });
const MethodSlug = Type.String({ pattern: "^[a-z0-9_]{1,64}$" });
const Code = Type.String({ pattern: "^[A-Z0-9]{1,16}$" });
const FiatCode = Type.String({ pattern: "^[A-Z]{3}$" });
const Amount = Type.String({ pattern: "^[0-9]{1,12}([.][0-9]{1,18})?$" });
const BasisPoints = Type.Integer({ minimum: 0, maximum: BASIS_POINTS_MAX });
const Enabled = optional(Type.Boolean());
/** Country codes, or lower-case names of areas in countries.json. A missing list means everywhere. */
const Countries = optional(Type.Array(Type.String({ pattern: "^([A-Z]{2}|[a-z]+)$" })));
const Currencies = optional(Type.Array(FiatCode));

const limits = { minEuro: optional(Amount), maxEuro: optional(Amount) };
const strict = { additionalProperties: false };

const NetworkItem = Type.Object(
  {
    code: Slug,
    name: Name,
    addressFormat: oneOf(ADDRESS_FORMATS),
    memo: oneOf(MEMO_RULES),
    confirmations: Type.Integer({ minimum: 1, maximum: 1000 }),
    large: optional(
      Type.Object(
        { aboveEuro: Amount, confirmations: Type.Integer({ minimum: 1, maximum: 10_000 }) },
        strict,
      ),
    ),
    explorerTransactionUrl: Type.String({ pattern: "^https://.*[{]hash[}]" }),
    enabled: Enabled,
  },
  strict,
);

const FiatCurrencyItem = Type.Object(
  {
    id: Id,
    reference: Slug,
    code: FiatCode,
    name: Name,
    shortName: Name,
    symbol: Name,
    decimals: Type.Integer({ minimum: 0, maximum: 4 }),
    perEuro: Amount,
    ...limits,
    enabled: Enabled,
  },
  strict,
);

const CryptoCurrencyItem = Type.Object(
  {
    id: Id,
    reference: Slug,
    code: Code,
    name: Name,
    symbol: Name,
    network: Slug,
    decimals: Type.Integer({ minimum: 0, maximum: 18 }),
    publishedDecimals: Type.Integer({ minimum: 0, maximum: 8 }),
    defaultNetwork: Type.Boolean(),
    contract: optional(Type.String({ minLength: 1, maxLength: 128 })),
    perEuro: Amount,
    ...limits,
    enabled: Enabled,
  },
  strict,
);

const Days = Type.Union([Type.Integer({ minimum: 0, maximum: 365 }), Type.Null()]);

const PaymentMethodItem = Type.Object(
  {
    id: Id,
    reference: MethodSlug,
    name: Name,
    type: oneOf(PAYMENT_METHOD_TYPES),
    operations: Type.Array(oneOf(OPERATIONS), { uniqueItems: true }),
    countries: Countries,
    currencies: Currencies,
    days: optional(Type.Tuple([Days, Days])),
    ...limits,
    enabled: Enabled,
  },
  strict,
);

const DeliveryMethodItem = Type.Object(
  {
    id: Id,
    reference: MethodSlug,
    name: Name,
    type: oneOf(DELIVERY_METHOD_TYPES),
    rail: MethodSlug,
    countries: Countries,
    currencies: Currencies,
    feeBasisPoints: optional(BasisPoints),
    fixedFeeEuro: optional(Amount),
    ...limits,
    days: Type.Tuple([Days, Days]),
    requiredFields: optional(Type.Array(Type.String(), { uniqueItems: true })),
    enabled: Enabled,
  },
  strict,
);

const PayoutFieldItem = Type.Object(
  { name: Type.String({ pattern: "^[a-z][A-Za-z0-9]{0,39}$" }), label: Name, pattern: Name },
  strict,
);

const CountryItem = Type.Object(
  {
    code: Type.String({ pattern: "^[A-Z]{2}$" }),
    name: Name,
    currency: FiatCode,
    areas: optional(Type.Array(Type.String({ pattern: "^[a-z]+$" }))),
    ...limits,
    enabled: Enabled,
  },
  strict,
);

const PricingRuleItem = Type.Object(
  {
    reference: Slug,
    merchant: optional(Name),
    operation: optional(oneOf(OPERATIONS)),
    paymentMethod: optional(MethodSlug),
    currency: optional(Type.String({ pattern: "^[A-Za-z0-9-]{1,64}$" })),
    spreadBasisPoints: BasisPoints,
    feeBasisPoints: BasisPoints,
    fixedFeeEuro: Amount,
    minEuro: Amount,
    maxEuro: Amount,
    enabled: Enabled,
  },
  strict,
);

/** The schema of each file, by the file's name. */
export const CATALOGUE_FILES = {
  "networks.json": fileOf(NetworkItem),
  "fiat-currencies.json": fileOf(FiatCurrencyItem),
  "crypto-currencies.json": fileOf(CryptoCurrencyItem),
  "payment-methods.json": fileOf(PaymentMethodItem),
  "delivery-methods.json": fileOf(DeliveryMethodItem),
  "payout-fields.json": fileOf(PayoutFieldItem),
  "countries.json": fileOf(CountryItem),
  "pricing.json": fileOf(PricingRuleItem),
} as const satisfies Record<string, TSchema>;

export type CatalogueFileName = keyof typeof CATALOGUE_FILES;

/** The parsed files, by name. */
export type CatalogueFiles = {
  readonly [Name in CatalogueFileName]: Static<(typeof CATALOGUE_FILES)[Name]>;
};
