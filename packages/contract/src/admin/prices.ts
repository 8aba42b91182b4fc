import { type Static, Type } from "@sinclair/typebox";
import { createdEnvelope, listEnvelope, okEnvelope } from "../envelopes.ts";
import { PAGE_QUERY } from "../pages.ts";
import { literals, named, nullable, TimeInput } from "../schema.ts";
import { type AdminEndpoint, PERSON_ERRORS } from "./endpoint.ts";
import { ExactAmount, OPERATION_NAMES } from "./order-story.ts";

const Time = (description: string) => Type.Integer({ description: `Unix seconds; ${description}` });
const Reference = (description: string) => Type.String({ maxLength: 64, description });
const Euro = (description: string) =>
  Type.String({ maxLength: 40, description: `${description}, in euro, such as 0.30` });

const FIGURES = {
  spreadBasisPoints: Type.Integer({ description: "the margin in the rate" }),
  feeBasisPoints: Type.Integer({ description: "the percentage fee" }),
  fixedFeeEuro: Euro("the fixed fee"),
  minEuro: Euro("the minimum"),
  maxEuro: Euro("the maximum"),
};

const SELECTORS = {
  merchantId: Reference("a merchant's client id"),
  operation: literals(OPERATION_NAMES, { description: "the operation that the rule prices" }),
  paymentMethod: Reference("a payment method's reference, such as card"),
  currency: Reference("a code or a reference, such as usdc or usdc-base; either side"),
};

/** A price rule. A selector of null matches everything. */
export const PriceRule = named(
  "PriceRule",
  Type.Object({
    reference: Reference("the rule's name"),
    merchantId: nullable(SELECTORS.merchantId),
    operation: nullable(SELECTORS.operation),
    paymentMethod: nullable(SELECTORS.paymentMethod),
    currency: nullable(SELECTORS.currency),
    ...FIGURES,
    enabled: Type.Boolean(),
    changeId: nullable(
      Type.Integer({
        description: "the change that set this rule; null for a rule from the configuration files",
      }),
    ),
  }),
);
export type PriceRule = Static<typeof PriceRule>;

/** The rules in force, and the words that a rule and a preview can be written with. */
export const PriceBook = named(
  "PriceBook",
  Type.Object({
    businessTime: Time("the service's clock, by which changes take effect"),
    rules: Type.Array(PriceRule),
    currencies: Type.Array(Type.Object({ reference: Type.String(), isCrypto: Type.Boolean() })),
    paymentMethods: Type.Array(Type.String()),
    countries: Type.Array(Type.String()),
  }),
);
export type PriceBook = Static<typeof PriceBook>;

export const PRICE_CHANGE_STATUS_NAMES = [
  "proposed",
  "scheduled",
  "in_force",
  "replaced",
  "rejected",
] as const;

/** A change of a price rule, which one person proposes and another one approves. */
export const PriceChangeData = named(
  "PriceChange",
  Type.Object({
    changeId: Type.Integer(),
    reference: Reference("the rule's name"),
    status: literals(PRICE_CHANGE_STATUS_NAMES),
    rule: nullable(PriceRule),
    undoes: nullable(Type.Integer({ description: "the change that it takes back" })),
    reason: Type.String(),
    effectiveFrom: nullable(Time("null: as soon as it is approved")),
    proposedBy: Type.String(),
    proposedAt: Time("when it was proposed"),
    decidedBy: nullable(Type.String()),
    decidedAt: nullable(Time("when it was approved or rejected")),
    decidedWhy: nullable(Type.String()),
    mayApprove: Type.Boolean({ description: "you have the right, and did not propose it" }),
    mayReject: Type.Boolean(),
    mayUndo: Type.Boolean({ description: "you have the right, and no later change followed" }),
  }),
);
export type PriceChangeData = Static<typeof PriceChangeData>;

/** One exchange as a quote would price it. */
const PreviewedQuote = named(
  "PreviewedQuote",
  Type.Object({
    code: Type.String({ description: "OK, or why the exchange is refused" }),
    message: Type.String(),
    quote: nullable(
      Type.Object({
        spend: ExactAmount,
        receive: ExactAmount,
        rate: Type.String(),
        midRate: Type.String(),
        transactionFee: ExactAmount,
        deliveryFee: ExactAmount,
        spread: ExactAmount,
        reference: Type.String({ description: "the rule that prices it" }),
      }),
    ),
  }),
);
export type PreviewedQuote = Static<typeof PreviewedQuote>;

export const PricePreviewData = named(
  "PricePreview",
  Type.Object({
    at: Time("the time whose rules apply"),
    before: PreviewedQuote,
    after: PreviewedQuote,
  }),
);
export type PricePreviewData = Static<typeof PricePreviewData>;

const RULE = {
  reference: Type.String({
    maxLength: 64,
    description: "an earlier rule's name, or a new one",
    examples: ["sepa-purchases"],
  }),
  ...Type.Partial(Type.Object(SELECTORS)).properties,
  ...FIGURES,
  enabled: Type.Boolean({ description: "whether the rule is in force" }),
};
const EFFECTIVE_FROM = Type.Optional(
  TimeInput("without it the change takes effect as soon as it is approved"),
);
const Reason = Type.String({ minLength: 3, maxLength: 500 });
const ChangeParams = Type.Object({
  changeId: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
});

const read = {
  caller: "person",
  kind: "operator",
  tag: "Prices",
  permission: "prices.read",
  errors: PERSON_ERRORS,
} as const;
const change = { ...read, permission: "prices.change", stepUp: true } as const;

export const PRICE_ENDPOINTS = {
  readPrices: {
    ...read,
    operationId: "readPrices",
    method: "GET",
    path: "/admin/prices",
    summary: "Read the price rules in force",
    description: "In the order of the catalogue's files, and then the rules that they do not have.",
    success: { status: 200, schema: okEnvelope(PriceBook) },
  },
  previewPrice: {
    ...read,
    operationId: "previewPrice",
    method: "GET",
    path: "/admin/prices/preview",
    summary: "Price an exchange without a change and with it",
    description:
      "Computed by the function that makes quotes, at the present prices of the market. Name a change by `changeId`, or write a rule.",
    query: Type.Object({
      changeId: Type.Optional(ChangeParams.properties.changeId),
      ...Type.Partial(Type.Object(RULE)).properties,
      effectiveFrom: EFFECTIVE_FROM,
      of: literals(OPERATION_NAMES, { description: "the operation of the exchange" }),
      spend: Reference("the currency spent"),
      receive: Reference("the currency received"),
      amount: Type.String({ maxLength: 40, description: "the amount spent" }),
      method: Reference("the payment method"),
      country: Type.Optional(Type.String({ maxLength: 2 })),
    }),
    success: { status: 200, schema: okEnvelope(PricePreviewData) },
  },
  listPriceChanges: {
    ...read,
    operationId: "listPriceChanges",
    method: "GET",
    path: "/admin/prices/changes",
    summary: "List changes of prices",
    description: "The latest proposal first.",
    query: Type.Object({
      which: Type.Optional(literals(["proposed", "scheduled", "past"])),
      ...PAGE_QUERY,
    }),
    success: { status: 200, schema: listEnvelope(PriceChangeData) },
  },
  proposePrice: {
    ...change,
    operationId: "proposePrice",
    method: "POST",
    path: "/admin/prices/changes",
    summary: "Propose a change of a price",
    description:
      "Other figures of a rule, or a new rule. Nothing changes before another person approves it.",
    body: Type.Object(
      { ...RULE, effectiveFrom: EFFECTIVE_FROM, reason: Reason },
      { additionalProperties: false },
    ),
    success: { status: 201, schema: createdEnvelope(PriceChangeData) },
  },
  approvePrice: {
    ...change,
    operationId: "approvePrice",
    method: "POST",
    path: "/admin/prices/changes/{changeId}/approve",
    summary: "Approve a change of a price",
    description:
      "Every process applies it from its time on. Nobody approves a change that they proposed.",
    params: ChangeParams,
    body: Type.Object({ reason: Type.Optional(Reason) }, { additionalProperties: false }),
    success: { status: 200, schema: okEnvelope(PriceChangeData) },
  },
  rejectPrice: {
    ...change,
    operationId: "rejectPrice",
    method: "POST",
    path: "/admin/prices/changes/{changeId}/reject",
    summary: "Reject a change of a price",
    description: "The person who proposed it may withdraw it so.",
    params: ChangeParams,
    body: Type.Object({ reason: Reason }, { additionalProperties: false }),
    success: { status: 200, schema: okEnvelope(PriceChangeData) },
  },
  undoPrice: {
    ...change,
    operationId: "undoPrice",
    method: "POST",
    path: "/admin/prices/changes/{changeId}/undo",
    summary: "Propose to undo a change of a price",
    description:
      "Makes a new change, which another person approves. The rule becomes what it was before.",
    params: ChangeParams,
    body: Type.Object({ reason: Reason }, { additionalProperties: false }),
    success: { status: 201, schema: createdEnvelope(PriceChangeData) },
  },
} as const satisfies Record<string, AdminEndpoint>;
