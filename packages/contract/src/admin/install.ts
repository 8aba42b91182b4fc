import { type Static, Type } from "@sinclair/typebox";
import { okEnvelope } from "../envelopes.ts";
import { OPERATION_TYPES } from "../operation-types.ts";
import { literals, matching, named, nullable } from "../schema.ts";
import { type AdminEndpoint, PERSON_ERRORS } from "./endpoint.ts";

const Reference = matching("^[a-z0-9-]{1,64}$", "the reference of a currency");
const Currencies = Type.Array(Type.Object({ reference: Type.String(), name: Type.String() }));

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
} as const satisfies Record<string, AdminEndpoint>;
