import { type Static, Type } from "@sinclair/typebox";
import { okEnvelope } from "../envelopes.ts";
import { OPERATION_TYPES } from "../operation-types.ts";
import { literals, matching, named, nullable } from "../schema.ts";
import { type AdminEndpoint, PERSON_ERRORS } from "./endpoint.ts";

const Reference = matching("^[a-z0-9-]{1,64}$", "the reference of a currency");
const Currencies = Type.Array(Type.Object({ reference: Type.String(), name: Type.String() }));

/** Calls of the merchants' API that read, or that make nothing which moves money. */
export const TRIED_CALLS = [
  "createPublicToken",
  "createQuote",
  "listCurrencies",
  "listPaymentMethods",
  "readExchangeLimits",
  "listCountries",
  "listOrders",
] as const;

/** A call with the fields of its form. */
export const TriedCall = named(
  "TriedCall",
  Type.Object({
    operationId: literals(TRIED_CALLS),
    summary: Type.String(),
    method: Type.String(),
    path: Type.String(),
    query: Type.Array(
      Type.Object({
        name: Type.String(),
        required: Type.Boolean(),
        description: Type.String(),
        values: Type.Array(Type.String(), { description: "all that are accepted; none for text" }),
        example: Type.String(),
      }),
    ),
    body: nullable(Type.String({ description: "an example as JSON" })),
  }),
);
export type TriedCall = Static<typeof TriedCall>;

/** The answer of the merchants' API as it was. */
export const TriedAnswer = named(
  "TriedAnswer",
  Type.Object({
    status: Type.Integer(),
    headers: Type.Array(Type.Object({ name: Type.String(), value: Type.String() })),
    body: Type.String(),
  }),
);
export type TriedAnswer = Static<typeof TriedAnswer>;

/** Code for a merchant's page and server, built from choices. */
export const InstallKit = named(
  "InstallKit",
  Type.Object({
    clientId: Type.String(),
    origins: Type.Array(Type.String(), { description: "their pages may open the popup" }),
    operationType: literals(OPERATION_TYPES),
    baseCurrency: Type.String({ description: "the chosen one, or the first that fits" }),
    targetCurrency: Type.String({ description: "the chosen one, or the first that fits" }),
    spend: Currencies,
    receive: Currencies,
    page: Type.String({ description: "HTML for the merchant's page" }),
    tokenPath: Type.String({ description: "the page asks its own server for a token there" }),
    tokenCall: Type.Array(
      Type.Object({ lang: Type.String(), label: Type.String(), source: Type.String() }),
      { description: "how the merchant's server makes a token, with the key in API_KEY" },
    ),
    guideUrl: Type.String(),
    shopUrl: nullable(Type.String({ description: "the example shop, where one runs" })),
    apiUrl: Type.String({ description: "the address that the paths of calls follow" }),
    calls: Type.Array(TriedCall, { description: "the calls to try; none in `prod`" }),
  }),
);
export type InstallKit = Static<typeof InstallKit>;

/** Builds the code of a merchant's page and server. */
export const INSTALL_ENDPOINTS = {
  readInstallKit: {
    operationId: "readInstallKit",
    method: "GET",
    path: "/admin/install",
    caller: "person",
    kind: "merchant",
    tag: "Install",
    permission: "integration.read",
    summary: "Build the code for a page and its server",
    description:
      "With `terms` server the exchange is locked in the token, and otherwise the customer may change it.",
    query: Type.Object({
      operationType: Type.Optional(literals(OPERATION_TYPES)),
      baseCurrency: Type.Optional(Reference),
      targetCurrency: Type.Optional(Reference),
      baseAmount: Type.Optional(
        matching("^[0-9]{1,12}(\\.[0-9]{1,8})?$", "an amount such as 100 or 0.5"),
      ),
      terms: Type.Optional(literals(["page", "server"])),
      accent: Type.Optional(matching("^#[0-9a-fA-F]{6}$", "a colour such as #0a7d4f")),
      radius: Type.Optional(matching("^([0-9]|1[0-9]|20)$", "pixels from 0 to 20")),
      mode: Type.Optional(literals(["auto", "light", "dark"])),
    }),
    success: { status: 200, schema: okEnvelope(InstallKit) },
    errors: PERSON_ERRORS,
  },
  tryCall: {
    operationId: "tryCall",
    method: "POST",
    path: "/admin/install/try",
    caller: "person",
    kind: "merchant",
    tag: "Install",
    permission: "integration.read",
    summary: "Send a call to the merchants' API",
    description:
      "The service makes the call as your merchant, from your network address and with the given API key, and answers with the answer. The key's scopes, networks and limits hold. The key is neither stored nor logged. In `prod` there is no such call.",
    body: Type.Object(
      {
        operationId: literals(TRIED_CALLS),
        apiKey: matching("^[\\x21-\\x7e]{1,256}$", "an API key"),
        query: Type.Optional(
          matching("^[\\x21\\x22\\x24-\\x7e]{0,2000}$", "a query such as operationType=B"),
        ),
        body: Type.Optional(
          Type.String({ maxLength: 20_000, description: "sent as it is, with the type JSON" }),
        ),
      },
      { additionalProperties: false },
    ),
    success: { status: 200, schema: okEnvelope(TriedAnswer) },
    errors: PERSON_ERRORS,
  },
} as const satisfies Record<string, AdminEndpoint>;
