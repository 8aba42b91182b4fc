import type { ErrorCode } from "@exchange/contract";
import type { TSchema } from "@sinclair/typebox";
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { Refusal } from "../flows/refusal.ts";
import { textIssue } from "./body/scan.ts";

type Place = "body" | "query" | "path";

/** Checks one part of a request; throws the precise refusal. Coerces `path` and `query` in place. */
export type Validate = (value: unknown) => void;

const OPTIONS = {
  allErrors: true,
  verbose: true,
  strict: true,
  allowUnionTypes: true,
  discriminator: true,
} as const;
// Amounts that come as strings in a body are refused; everything in a URL is a string.
const BODIES = new Ajv(OPTIONS);
const URLS = new Ajv({ ...OPTIONS, coerceTypes: true });
const DETAILS_MAX = 10;

/** Members with a code of their own for a value that is not on their list (completion, section 8). */
const CODES: Readonly<Record<string, ErrorCode>> = {
  operationType: "INVALID_OPERATION_TYPE",
  countryCode: "INVALID_COUNTRY",
};

/** Members whose own members are named by the client. */
const FREE_FORM = new Set(["metadata", "payout"]);

export function makeValidator(place: Place, schema: TSchema): Validate {
  let check: ValidateFunction | undefined;
  return (value) => {
    if (place === "body") refuseMissingBody(value);
    else refuseBadParameters({ place, schema }, value as Record<string, unknown>);
    // Compiled with the first request: all of them together are a good part of a start.
    check ??= (place === "body" ? BODIES : URLS).compile(schema);
    if (check(value)) return;
    throw toRefusal(place, check.errors ?? []);
  };
}

function refuseMissingBody(value: unknown): void {
  if (value !== undefined) return;
  throw new Refusal("INVALID_INPUT", {
    message: "Invalid JSON in the request body: the body is empty.",
    details: [{ path: "body", issue: "the body is empty" }],
  });
}

/** Ajv would also read "1e3" and "0x10" as whole numbers. */
const WHOLE_NUMBER = /^-?\d{1,16}$/;

function refuseBadParameters(
  expected: { readonly place: Place; readonly schema: TSchema },
  values: Record<string, unknown>,
): void {
  const { place, schema } = expected;
  for (const [name, value] of Object.entries(values)) {
    const path = `${place}.${name.slice(0, 40)}`;
    if (Array.isArray(value)) throw givenTwice(path);
    if (name === "__proto__") throw refuse({ path, issue: "is not allowed as a name" });
    const issue = textIssue(String(value));
    if (issue !== undefined) throw refuse({ path, issue });
    const isWhole = schema["properties"]?.[name]?.type === "integer";
    if (isWhole && !WHOLE_NUMBER.test(String(value))) {
      throw refuse({ path, issue: "must be a whole number" });
    }
  }
}

/** A repeated parameter has no value that could be wrong, so its code is the general one. */
const givenTwice = (path: string): Refusal =>
  new Refusal("INVALID_INPUT", {
    message: `The request is not valid: ${path} is given twice.`,
    details: [{ path, issue: "is given twice" }],
  });

/** A parameter that is not there has no value that could be wrong: the general code says so. */
const IS_MISSING = "is missing";

interface Fault {
  readonly path: string;
  readonly issue: string;
}

function toRefusal(place: Place, errors: readonly ErrorObject[]): Refusal {
  const faults = new Map<string, Fault>();
  for (const error of errors) {
    const path = pathOf(place, error);
    // A union reports each of its branches and then itself: the last one says it all.
    if (!faults.has(path) || error.keyword === "anyOf") {
      faults.set(path, { path, issue: issueOf(error) });
    }
  }
  const details = [...faults.values()].slice(0, DETAILS_MAX);
  const [first = { path: place, issue: "is not valid" }] = details;
  return refuse(first, details);
}

function refuse(first: Fault, details: readonly Fault[] = [first]): Refusal {
  const code = first.issue === IS_MISSING ? "INVALID_INPUT" : codeOf(first.path);
  const prefix = code === "INVALID_INPUT" ? "The request is not valid: " : "";
  return new Refusal(code, { message: `${prefix}${first.path} ${first.issue}.`, details });
}

function codeOf(path: string): ErrorCode {
  const parts = path.split(".");
  if (FREE_FORM.has(parts[1] ?? "")) return "INVALID_INPUT";
  const name = parts.findLast((part) => !/^\d+$/.test(part)) ?? "";
  return (Object.hasOwn(CODES, name) && CODES[name]) || "INVALID_INPUT";
}

function pathOf(place: Place, error: ErrorObject): string {
  const parts = error.instancePath.split("/").slice(1);
  const { missingProperty, additionalProperty } = error.params as Record<string, unknown>;
  const tag = error.keyword === "discriminator" ? error.params["tag"] : undefined;
  for (const name of [missingProperty, additionalProperty, tag]) {
    if (typeof name === "string") parts.push(name.slice(0, 40));
  }
  return [place, ...parts].join(".");
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  object: "must be an object",
  array: "must be a list",
  string: "must be a string",
  number: "must be a number",
  integer: "must be a whole number",
  boolean: "must be true or false",
};

function issueOf(error: ErrorObject): string {
  switch (error.keyword) {
    case "required":
      return IS_MISSING;
    case "additionalProperties":
      return "is not a known member";
    case "type":
      return TYPE_NAMES[String(error.schema)] ?? `must be of type ${String(error.schema)}`;
    case "anyOf":
      return unionIssue(error.schema);
    case "discriminator":
      return discriminatorIssue(error);
    case "enum":
      return `must be one of ${(error.schema as unknown[]).join(", ")}`;
    case "const":
      return `must be ${String(error.schema)}`;
    default:
      return error.message ?? "is not valid";
  }
}

function unionIssue(branches: unknown): string {
  const values = (branches as readonly { const?: string }[]).flatMap(({ const: value }) =>
    value === undefined ? [] : [value],
  );
  return values.length > 0 ? `must be one of ${values.join(", ")}` : "is not valid";
}

/** The bodies told apart by one member, such as a payment's `type`. */
function discriminatorIssue({ params, parentSchema }: ErrorObject): string {
  const tag = String(params["tag"]);
  const branches = (parentSchema?.["oneOf"] ?? []) as readonly TSchema[];
  const values = branches.map(({ properties }) => properties?.[tag]?.const).join(", ");
  return `must be one of ${values}`;
}
