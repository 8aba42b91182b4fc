import { type Static, Type } from "@sinclair/typebox";
import { listEnvelope, okEnvelope } from "../envelopes.ts";
import { OrderIdParams } from "../orders.ts";
import { PAGE_QUERY } from "../pages.ts";
import { literals, named, nullable } from "../schema.ts";
import { type AdminEndpoint, PERSON_ERRORS } from "./endpoint.ts";
import { Posting } from "./order-story.ts";
import { SPAN_QUERY } from "./reports.ts";
import { ENTRY_KINDS, LEDGER_ACCOUNTS } from "./words.ts";

/** An entry of the ledger with its postings, which balance. Debits are positive. */
export const LedgerEntry = named(
  "LedgerEntry",
  Type.Object({
    entryId: Type.Integer(),
    at: Type.Integer({ description: "Unix seconds; when it takes effect" }),
    merchantId: Type.String({ description: "whose books it is in" }),
    orderId: nullable(Type.Integer()),
    key: Type.String({ description: "the fact that it books, which is booked once" }),
    kind: literals(ENTRY_KINDS),
    reverses: nullable(Type.String({ description: "the key of the entry that it undoes" })),
    postings: Type.Array(Posting),
  }),
);
export type LedgerEntry = Static<typeof LedgerEntry>;

const Coins = (description: string) =>
  Type.String({ description: `${description}, exact and in whole coins` });

/** The balance of an account before and after a span, and its movements between. */
export const StatementSum = named(
  "StatementSum",
  Type.Object({
    account: literals(LEDGER_ACCOUNTS),
    currency: Type.String(),
    opening: Coins("balance before the first day"),
    debits: Coins("added by the span's entries"),
    credits: Coins("taken by the span's entries"),
    closing: Coins("balance after the last day"),
  }),
);
export type StatementSum = Static<typeof StatementSum>;

export const Statement = named(
  "Statement",
  Type.Object({
    merchantId: Type.String(),
    merchantName: Type.String(),
    from: Type.String(),
    to: Type.String(),
    sums: Type.Array(StatementSum),
  }),
);
export type Statement = Static<typeof Statement>;

const read = {
  caller: "person",
  tag: "Ledger",
  permission: "ledger.read",
  errors: PERSON_ERRORS,
  method: "GET",
} as const;

const { from, to, merchantId } = SPAN_QUERY;

export const LEDGER_ENDPOINTS = {
  listEntries: {
    ...read,
    operationId: "listEntries",
    path: "/admin/ledger/entries",
    summary: "Search the ledger's entries",
    description:
      "The newest first: those of an order, or those of a span of days, with `account` and `currency` as filters. A merchant's people read their merchant's books alone.",
    query: Type.Object({
      orderId: Type.Optional(OrderIdParams.properties.orderId),
      account: Type.Optional(
        Type.String({ minLength: 1, maxLength: 64, description: "such as liquidity" }),
      ),
      currency: Type.Optional(
        Type.String({ minLength: 1, maxLength: 64, description: "a reference, such as btc" }),
      ),
      from: Type.Optional(from),
      to: Type.Optional(to),
      merchantId,
      ...PAGE_QUERY,
    }),
    success: { status: 200, schema: listEnvelope(LedgerEntry) },
  },
  readStatement: {
    ...read,
    operationId: "readStatement",
    path: "/admin/statements",
    summary: "Read the opening and closing sums of a merchant's books",
    description:
      "The sums of each account. The entries between them are in the report `statement`, and in the list of entries.",
    query: Type.Object(SPAN_QUERY),
    success: { status: 200, schema: okEnvelope(Statement) },
  },
} as const satisfies Record<string, AdminEndpoint>;
