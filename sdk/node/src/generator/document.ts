import { buildOpenApiDocument, ENDPOINTS, type Endpoint } from "@exchange/contract";
import { capital } from "./names.ts";
import { nameOf, type Schema } from "./schema-types.ts";

/** A merchant endpoint with the schemas of its parts. Named parts are references. */
export interface MerchantCall {
  readonly endpoint: Endpoint;
  /** Path parameters in the order of the path. */
  readonly params: readonly { readonly name: string; readonly schema: Schema }[];
  readonly query: Schema | undefined;
  readonly body: Schema | undefined;
  /** Content of the envelope, or the whole body without one; undefined when there is no body. */
  readonly data: Schema | undefined;
  /** The answer has no envelope: the interface documents its result itself. */
  readonly isUnwrapped: boolean;
  /** The query member that takes `nextCursor`. */
  readonly cursor: string | undefined;
}

interface Parameter {
  readonly name?: string;
  readonly in?: string;
  readonly required?: boolean;
  readonly schema?: Schema;
  readonly description?: string;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

type Content = Readonly<Record<"application/json", { readonly schema: Schema }>>;

const DOCUMENT = buildOpenApiDocument({
  publicUrl: "https://exchange.example",
  environment: "dev",
  takesCards: true,
}) as unknown as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

/** Returns the schema that a reference points to. */
export function resolve(schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const found = DOCUMENT.components.schemas[nameOf(schema.$ref)];
  if (found === undefined) throw new Error(`the document has no ${schema.$ref}`);
  return resolve(found);
}

export const MERCHANT_ENDPOINTS: readonly Endpoint[] = Object.values<Endpoint>(ENDPOINTS).filter(
  ({ caller }) => caller === "merchant",
);

/** Endpoints whose documented answer has a `success` of its own, and therefore no envelope. */
const UNWRAPPED: ReadonlySet<string> = new Set(["lookUpWallet"]);

export const merchantCalls = (): readonly MerchantCall[] => MERCHANT_ENDPOINTS.map(toCall);

function toCall(endpoint: Endpoint): MerchantCall {
  const operation = DOCUMENT.paths[endpoint.path]?.[endpoint.method.toLowerCase()];
  if (operation === undefined) throw new Error(`${endpoint.operationId} is not in the document`);
  const parameters = operation.parameters ?? [];
  const names = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const query = querySchema(parameters.filter((parameter) => parameter.in === "query"));
  const body = operation.requestBody?.content["application/json"].schema;
  if (query && body) throw new Error(`${endpoint.operationId} has both a query and a body`);
  const answer = operation.responses[endpoint.success.status]?.content?.["application/json"].schema;
  const cursor = answer?.properties?.["nextCursor"] && cursorOf(query);
  const isUnwrapped = UNWRAPPED.has(endpoint.operationId);
  if (answer !== undefined && !isUnwrapped && answer.properties?.["data"] === undefined) {
    throw new Error(`${endpoint.operationId} answers without the envelope`);
  }
  return {
    endpoint,
    params: names.map((name) => ({ name, schema: paramSchema(parameters, name) })),
    query: withCursor(query, cursor),
    body,
    data: isUnwrapped ? answer : answer?.properties?.["data"],
    isUnwrapped,
    cursor,
  };
}

function paramSchema(parameters: readonly Parameter[], name: string): Schema {
  const found = parameters.find((parameter) => parameter.in === "path" && parameter.name === name);
  if (found?.schema === undefined) throw new Error(`the path parameter ${name} has no schema`);
  return found.schema;
}

function querySchema(parameters: readonly Parameter[]): Schema | undefined {
  if (parameters.length === 0) return undefined;
  const properties = parameters.map(({ name = "", schema = {}, description }) => [
    name,
    description === undefined ? schema : { ...schema, description },
  ]);
  const required = parameters.filter((parameter) => parameter.required);
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    required: required.map(({ name = "" }) => name),
  };
}

/** A list that takes neither has one page today. If it gets more, it takes `cursor`. */
const cursorOf = (query: Schema | undefined): string =>
  query?.properties?.["after"] === undefined ? "cursor" : "after";

/** `nextCursor` is text, so every cursor takes text. The `after` of events is a number too. */
function withCursor(query: Schema | undefined, cursor: string | undefined): Schema | undefined {
  const parameter = cursor === undefined ? undefined : query?.properties?.[cursor];
  if (!query || cursor === undefined || parameter?.anyOf === undefined) return query;
  const numbers = parameter.anyOf.filter(({ type }) => type === "integer");
  const taken = { ...parameter, anyOf: [...numbers, { type: "string" }] };
  return { ...query, properties: { ...query.properties, [cursor]: taken } };
}

/** Returns a name for a part that the document does not name. */
export const partName = (endpoint: Endpoint, suffix: string): string =>
  capital(endpoint.operationId) + suffix;
