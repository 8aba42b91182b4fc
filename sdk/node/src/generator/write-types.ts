import { API_ERRORS, WEBHOOK_EVENT_TYPES } from "@exchange/contract";
import { type MerchantCall, partName, resolve } from "./document.ts";
import { comment, membersOf, nameOf, type Schema, typeOf } from "./schema-types.ts";

/** Schemas of webhooks and errors. No success answer refers to them. */
const ALWAYS_USED = ["WebhookPayload", "ErrorBody"];

/** Returns the schemas of requests and answers as TypeScript, and the list of error codes. */
export function writeTypes(calls: readonly MerchantCall[]): string {
  const own = calls.flatMap(ownTypes);
  const named = [...reachableFrom(calls)].sort().map((name) => declare(name, lookUp(name)));
  const text = [...named, ERROR_DETAIL, ...own].join("\n");
  const eventTypes = unionOf(WEBHOOK_EVENT_TYPES);
  return [
    text.replaceAll(eventTypes, "WebhookEventType"),
    `export type WebhookEventType = ${eventTypes};\n`,
    `/** Every code the service answers an error with. */`,
    `export type ErrorCode = ${unionOf(Object.keys(API_ERRORS))};\n`,
  ].join("\n");
}

/** Declares the inputs and results of an endpoint that the document does not name. */
function ownTypes({ endpoint, query, body, data }: MerchantCall): string[] {
  const parts: readonly (readonly [string, Schema | undefined])[] = [
    ["Query", query],
    ["Request", body],
    ["Data", data],
  ];
  return parts.flatMap(([suffix, schema]) =>
    schema !== undefined && needsName(schema) ? [declare(partName(endpoint, suffix), schema)] : [],
  );
}

/** A reference already has a name, and a list is written inline. */
export const needsName = (schema: Schema): boolean =>
  schema.$ref === undefined && schema.type !== "array";

function declare(name: string, schema: Schema): string {
  const note = comment(schema.description);
  const isPlainObject = schema.type === "object" && schema.properties !== undefined;
  if (isPlainObject) return `${note}export interface ${name} {\n${membersOf(schema)}}\n`;
  return `${note}export type ${name} = ${typeOf(schema)};\n`;
}

/** Returns the names of the schemas that calls, webhooks and errors use. */
export function reachableFrom(calls: readonly MerchantCall[]): ReadonlySet<string> {
  const parts = calls.flatMap(({ params, query, body, data }) => [
    ...params.map(({ schema }) => schema),
    ...[query, body, data].filter((schema) => schema !== undefined),
  ]);
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const { $ref } = value as Schema;
    if ($ref === undefined) return Object.values(value).forEach(visit);
    const name = nameOf($ref);
    if (found.has(name)) return;
    found.add(name);
    visit(lookUp(name));
  };
  for (const part of parts) visit(part);
  for (const name of ALWAYS_USED) visit({ $ref: `#/components/schemas/${name}` });
  return found;
}

export const lookUp = (name: string): Schema => resolve({ $ref: name });

const ERROR_DETAIL = `/** One thing that is wrong with a request. */
export type ErrorDetail = NonNullable<ErrorBody["details"]>[number];
`;

/** The same text that `typeOf` returns for an enum. */
const unionOf = (values: readonly string[]): string =>
  values.map((value) => JSON.stringify(value)).join("|");
