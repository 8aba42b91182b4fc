import { type Endpoint, keyScopeOf, servedEndpoint } from "./endpoint.ts";
import { ENDPOINTS } from "./endpoints.ts";
import { ErrorBody } from "./envelopes.ts";
import { GLOSSARY } from "./glossary.ts";
import { errorResponseName, errorResponses } from "./openapi-errors.ts";
import { PARAMETER_EXAMPLES, REQUEST_EXAMPLES, RESPONSE_EXAMPLES } from "./openapi-examples.ts";
import { type Json, makeSchemaBook, type SchemaBook } from "./openapi-schemas.ts";
import { SCRIPT_PATH_ITEM } from "./openapi-script.ts";
import { WEBHOOKS } from "./openapi-webhooks.ts";
import { isBodyOptional, meaningIn } from "./schema.ts";

export interface OpenApiOptions {
  /** Address of this deployment, without a path. */
  readonly publicUrl: string;
  readonly environment: string;
  /** Card numbers may reach the service. */
  readonly takesCards: boolean;
}

const TAGS = [
  ["Tokens", "Public tokens: what your server creates for each checkout."],
  ["Browser SDK", "The script that opens the checkout on your page."],
  ["Catalogue", "Currencies, payment methods, countries and limits."],
  ["Quotes", "The current price of an exchange."],
  ["Orders", "Reading and cancelling orders from your server."],
  ["Wallets", "Addresses you keep for your customers."],
  ["Sessions", "The outcome of the sessions you created tokens for."],
  ["Events", "The content of webhooks, for merchants that fetch it instead."],
  ["Sandbox", "In the sandboxes only: time and payments on demand."],
  ["Checkout", "Calls of the popup with the public token. You do not make them yourself."],
  ["Webhooks", "Signed notifications to your server."],
] as const;

const INTRODUCTION = `Offer your customers crypto purchases, sales, swaps and transfers.

1. Your server creates a public token for one session.
2. Your page loads the script and opens the checkout with that token.
3. Your server gets signed webhooks when the order is created and when it is fulfilled.

Calls from your server carry \`x-api-key\` and \`x-client-id\`. Never send the key to a browser.

Amounts are JSON numbers of at most 8 decimals and 15 significant digits, in fixed notation.
A number with more digits is refused anywhere in a body, so put an id that is text in quotes.
Errors have a \`code\` that is part of this interface and a \`message\` for people, which is not.
Every answer has an \`X-Request-Id\`; quote it when you ask for help. Rate limits are in the
\`RateLimit-*\` headers. POSTs from your server take an \`Idempotency-Key\`: the same key and body get
the stored answer for 24 hours, with \`Idempotent-Replayed: true\`.`;

/** The OpenAPI 3.1 document, made from the same schemas that validate requests. */
export function buildOpenApiDocument(options: OpenApiOptions) {
  const book = makeSchemaBook();
  const paths: Record<string, Json> = { "/sdk/exchange.js": SCRIPT_PATH_ITEM };
  const isProd = options.environment === "prod";
  for (const each of Object.values<Endpoint>(ENDPOINTS)) {
    const endpoint = servedEndpoint(each, options);
    if (!endpoint) continue;
    const item = (paths[endpoint.path] as Record<string, Json> | undefined) ?? {};
    paths[endpoint.path] = { ...item, [endpoint.method.toLowerCase()]: operation(endpoint, book) };
  }
  const webhooks = WEBHOOKS(book);
  book.refer(ErrorBody);
  return {
    openapi: "3.1.0",
    info: {
      title: "Exchange",
      version: "1.0.0",
      description: INTRODUCTION,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      contact: { name: "The operator of this service", url: options.publicUrl },
    },
    servers: [
      { url: `${options.publicUrl}/v1`, description: `The ${options.environment} environment` },
    ],
    tags: TAGS.filter(([name]) => !(isProd && name === "Sandbox")).map(([name, description]) => ({
      name,
      description,
    })),
    paths,
    webhooks,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      headers: HEADERS,
      parameters: { IdempotencyKey: IDEMPOTENCY_KEY },
      responses: errorResponses(),
      schemas: book.definitions(),
    },
  };
}

export type OpenApiDocument = ReturnType<typeof buildOpenApiDocument>;

const SECURITY_SCHEMES = {
  apiKey: {
    type: "apiKey",
    in: "header",
    name: "x-api-key",
    description:
      "Your secret key. Use it on your server only. It may be limited to some scopes; each call names the one it needs.",
  },
  clientId: { type: "apiKey", in: "header", name: "x-client-id", description: "Your client id." },
  publicToken: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "The accessToken of one session.",
  },
} as const;

const SECURITY: Readonly<Record<Endpoint["caller"], Json>> = {
  merchant: [{ apiKey: [], clientId: [] }],
  browser: [{ publicToken: [] }],
  anybody: [],
};

const integerHeader = (description: string) => ({ description, schema: { type: "integer" } });

const HEADERS = {
  XRequestId: {
    description: "Identifies this request in our logs.",
    schema: { type: "string", format: "uuid" },
  },
  RateLimitLimit: integerHeader("Requests allowed in a window."),
  RateLimitRemaining: integerHeader("Requests left in this window."),
  RateLimitReset: integerHeader("Seconds until the window ends."),
  RetryAfter: integerHeader("Seconds to wait before the next request."),
  IdempotentReplayed: {
    description: "Present if this is the stored answer of an earlier request.",
    schema: { type: "string", enum: ["true"] },
  },
} as const;

const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  in: "header",
  description:
    "Your name for this request, stored for 24 hours. The same key and body get the stored answer; another body is refused.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
} as const;

const ref = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });

function operation(endpoint: Endpoint, book: SchemaBook): Json {
  const { operationId, success } = endpoint;
  const isKeyed = endpoint.caller === "merchant" && endpoint.method === "POST";
  const parameters = [
    ...parametersOf("path", endpoint.params, book),
    ...parametersOf("query", endpoint.query, book),
    ...(isKeyed ? [ref("parameters", "IdempotencyKey")] : []),
  ];
  const errors = endpoint.errors.map((status) => [
    String(status),
    ref("responses", errorResponseName(status, endpoint.errors)),
  ]);
  return {
    operationId,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: withScope(endpoint),
    security: SECURITY[endpoint.caller],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(endpoint.body ? { requestBody: requestBody(endpoint, book) } : {}),
    responses: {
      [success.status]: {
        description: SUCCESS_DESCRIPTIONS[success.status],
        headers: responseHeaders({ isKeyed }),
        ...(success.status === 204 ? {} : { content: responseContent(endpoint, book) }),
      },
      ...Object.fromEntries(errors),
    },
  };
}

const SUCCESS_DESCRIPTIONS = {
  200: "The answer.",
  201: "Created.",
  204: "Done. There is no body.",
} as const;

const responseContent = ({ operationId, success, stream }: Endpoint, book: SchemaBook) => ({
  [stream ? "text/event-stream" : "application/json"]: {
    schema: book.refer(success.schema),
    ...exampleOf(RESPONSE_EXAMPLES, operationId),
  },
});

function withScope(endpoint: Endpoint): string {
  const { caller, description } = endpoint;
  if (caller === "merchant") {
    return `${description}\n\nThe API key needs the scope \`${keyScopeOf(endpoint)}\`.`;
  }
  return endpoint.scope === undefined
    ? description
    : `${description}\n\nNeeds the scope \`${endpoint.scope}\`.`;
}

function requestBody(endpoint: Endpoint, book: SchemaBook): Json {
  const { body } = endpoint;
  const schema = body ? book.refer(body) : {};
  // The example of a body that takes a card shows one.
  const isWithoutCard = body !== undefined && body === endpoint.bodyWithoutCard;
  const example = isWithoutCard
    ? { example: { type: "bank_transfer" } }
    : exampleOf(REQUEST_EXAMPLES, endpoint.operationId);
  const required = body === undefined || !isBodyOptional(body);
  return { required, content: { "application/json": { schema, ...example } } };
}

function exampleOf(
  examples: Readonly<Record<string, Json>>,
  operationId: string,
): { readonly example?: Json } {
  const example = examples[operationId];
  return example === undefined ? {} : { example };
}

const responseHeaders = ({ isKeyed }: { readonly isKeyed: boolean }) => ({
  "X-Request-Id": ref("headers", "XRequestId"),
  "RateLimit-Limit": ref("headers", "RateLimitLimit"),
  "RateLimit-Remaining": ref("headers", "RateLimitRemaining"),
  "RateLimit-Reset": ref("headers", "RateLimitReset"),
  ...(isKeyed ? { "Idempotent-Replayed": ref("headers", "IdempotentReplayed") } : {}),
});

function parametersOf(
  place: "path" | "query",
  schema: Endpoint["query"],
  book: SchemaBook,
): readonly Json[] {
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => ({
    name,
    in: place,
    required: schema?.required?.includes(name) ?? false,
    description: property.description ?? meaningIn(GLOSSARY, undefined, name)?.description ?? "",
    schema: book.refer(property),
    ...(name in PARAMETER_EXAMPLES ? { example: PARAMETER_EXAMPLES[name] } : {}),
  }));
}
