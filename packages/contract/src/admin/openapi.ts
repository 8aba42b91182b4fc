import type { TObject } from "@sinclair/typebox";
import { ErrorBody } from "../envelopes.ts";
import { type Json, makeSchemaBook, type SchemaBook } from "../openapi-schemas.ts";
import { isBodyOptional, meaningIn } from "../schema.ts";
import { type AdminEndpoint, isForServiceAccounts } from "./endpoint.ts";
import { ADMIN_ENDPOINTS } from "./endpoints.ts";
import { ADMIN_GLOSSARY } from "./glossary.ts";
import { ROLE_NAMES, ROLES } from "./roles.ts";
import { TAGS } from "./tags.ts";

const INTRODUCTION = `The calls of the console. They are served on a port of their own (\`EXCHANGE_CONSOLE_PORT\`), never on the API's.

A session is a cookie that \`/admin/sign_in/*\` sets. Calls other than GET carry the console's own \`Origin\`.
A program sends the key of a service account as \`Authorization: Bearer\`, without a cookie and without an \`Origin\`. It
reaches the operations that list \`serviceAccount\` under \`security\`, as far as its role has the right. The others
refuse it with \`PERSON_REQUIRED\`.
Errors have a \`code\` and a \`message\` for people. \`STEP_UP_REQUIRED\` asks for a fresh passkey or password first:
call \`/admin/me/step_up/*\` and repeat the call.`;

const ERROR_RESPONSES: Readonly<Record<number, string>> = {
  400: "The request is not valid.",
  401: "There is no session, the sign-in failed, or the key is not valid.",
  403: "Your roles do not allow it, a fresh proof is needed, or a person must do it.",
  404: "There is no such thing, or it is not yours.",
  409: "The current state does not allow this.",
  413: "The body is larger than 64 kB.",
  415: "The body is not application/json.",
  429: "Too many requests.",
  500: "Something went wrong on our side.",
  503: "The service cannot answer right now.",
};

/** The OpenAPI 3.1 document of the console's calls, made from the schemas that validate requests. */
export function buildAdminOpenApiDocument(options: { readonly consoleUrl: string }) {
  const book = makeSchemaBook(ADMIN_GLOSSARY);
  const paths: Record<string, Record<string, Json>> = {};
  for (const endpoint of Object.values<AdminEndpoint>(ADMIN_ENDPOINTS)) {
    const item = (paths[endpoint.path] ??= {});
    item[endpoint.method.toLowerCase()] = operation(endpoint, book);
  }
  const error = { "application/json": { schema: book.refer(ErrorBody) } };
  return {
    openapi: "3.1.0",
    info: { title: "Exchange console", version: "1.0.0", description: INTRODUCTION },
    servers: [{ url: `${options.consoleUrl}/v1` }],
    tags: TAGS.map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        session: { type: "apiKey", in: "cookie", name: "__Host-exchange_console" },
        serviceAccount: { type: "http", scheme: "bearer" },
      },
      responses: Object.fromEntries(
        Object.entries(ERROR_RESPONSES).map(([status, description]) => [
          `Error${status}`,
          { description, content: error },
        ]),
      ),
      schemas: book.definitions(),
    },
  };
}

function operation(endpoint: AdminEndpoint, book: SchemaBook): Json {
  const { operationId, tag, summary, success } = endpoint;
  const parameters = [
    ...parametersOf("path", endpoint.params, book),
    ...parametersOf("query", endpoint.query, book),
  ];
  const schema = book.refer(success.schema);
  const types = endpoint.download ?? [endpoint.stream ? "text/event-stream" : "application/json"];
  const content = Object.fromEntries(types.map((type) => [type, { schema }]));
  return {
    operationId,
    tags: [tag],
    summary,
    description: `${endpoint.description}${needs(endpoint)}`,
    security: securityOf(endpoint),
    ...(parameters.length > 0 && { parameters }),
    ...(endpoint.body && {
      requestBody: {
        required: !isBodyOptional(endpoint.body),
        content: { "application/json": { schema: book.refer(endpoint.body) } },
      },
    }),
    responses: {
      [success.status]: {
        description: success.status === 204 ? "Done. There is no body." : "The answer.",
        ...(success.status !== 204 && { content }),
      },
      ...Object.fromEntries(
        endpoint.errors.map((status) => [
          status,
          { $ref: `#/components/responses/Error${status}` },
        ]),
      ),
    },
  };
}

const securityOf = (endpoint: AdminEndpoint): Json[] => [
  ...(endpoint.caller === "person" ? [{ session: [] }] : []),
  ...(isForServiceAccounts(endpoint) ? [{ serviceAccount: [] }] : []),
];

/** Says which roles may call the endpoint, and whether it asks for a fresh proof. */
function needs({ permission, kind, stepUp }: AdminEndpoint): string {
  const roles = rolesWith({ permission, kind });
  return [
    permission === undefined ? "" : `\n\nNeeds the right \`${permission}\`: ${roles.join(", ")}.`,
    stepUp
      ? "\n\nNeeds a fresh proof: a passkey, or password and code, of the last five minutes."
      : "",
  ].join("");
}

/** Returns the roles that may call an endpoint. One without a right is open to every person. */
export const rolesWith = ({
  permission,
  kind,
}: {
  readonly permission?: AdminEndpoint["permission"] | undefined;
  readonly kind?: AdminEndpoint["kind"] | undefined;
}): readonly (typeof ROLE_NAMES)[number][] =>
  ROLE_NAMES.filter((name) => {
    const role = ROLES[name];
    const isAllowed =
      permission === undefined || (role.permissions as readonly string[]).includes(permission);
    return isAllowed && (kind === undefined || role.kind === kind);
  });

const parametersOf = (
  place: "path" | "query",
  schema: TObject | undefined,
  book: SchemaBook,
): readonly Json[] =>
  Object.entries(schema?.properties ?? {}).map(([name, property]) => ({
    name,
    in: place,
    required: schema?.required?.includes(name) ?? false,
    description:
      property.description ?? meaningIn(ADMIN_GLOSSARY, "parameter", name)?.description ?? "",
    schema: book.refer(property),
  }));
