import { acceptedOf, type ErrorCode, isBodyOptional } from "@exchange/contract";
import type { TSchema } from "@sinclair/typebox";
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { Refusal } from "../flows/refusal.ts";
import { textIssue } from "./body/scan.ts";
import { IS_MISSING, IS_UNKNOWN, issueOf } from "./validation-issues.ts";

type Place = "body" | "query" | "path";

const PLACES: Readonly<Record<string, Place>> = {
  body: "body",
  querystring: "query",
  params: "path",
};

const OPTIONS = {
  allErrors: true,
  verbose: true,
  strict: true,
  allowUnionTypes: true,
  discriminator: true,
} as const;
// In a body, amounts in strings are refused. In a URL every value is a string.
const BODIES = new Ajv(OPTIONS);
const URLS = new Ajv({ ...OPTIONS, coerceTypes: true });
const DETAILS_MAX = 10;

/**
 * Members with an error code of their own for a value outside their list (completion, section 8).
 */
const CODES: Readonly<Record<string, ErrorCode>> = {
  operationType: "INVALID_OPERATION_TYPE",
  countryCode: "INVALID_COUNTRY",
};

/** Members that hold names chosen by the client. */
const FREE_FORM = new Set(["metadata", "payout"]);

/** Validates one part of a request for Fastify. Its error is the precise refusal. */
type Validate = (value: unknown) => { readonly value: unknown } | { readonly error: Refusal };

/** Compiles a schema of a route for Fastify. Path and query are coerced in place. */
export function compileValidator({
  schema,
  httpPart,
}: {
  readonly schema: TSchema;
  readonly httpPart?: string;
}): Validate {
  const place = PLACES[httpPart ?? ""] ?? "body";
  let check: ValidateFunction | undefined;
  return (sent) => {
    // An absent body that requires no member is the same request as an empty object.
    const isEmpty = place === "body" && isAbsent(sent) && isBodyOptional(schema);
    const value = isEmpty ? {} : sent;
    const early = place === "body" ? missingBody(value) : badParameters({ place, schema }, value);
    if (early) return { error: early };
    // Compiled with the first request. Compiling all schemas would take a large part of the start.
    check ??= (place === "body" ? BODIES : URLS).compile(schema);
    if (!check(value)) return { error: toRefusal(place, check.errors ?? []) };
    const error = reversedRange(place, value);
    return error ? { error } : { value };
  };
}

/** Fastify passes null for a missing body. */
const isAbsent = (value: unknown): boolean => value === undefined || value === null;

function missingBody(value: unknown): Refusal | undefined {
  if (!isAbsent(value)) return undefined;
  return new Refusal("INVALID_INPUT", {
    message: "Invalid JSON in the request body: the body is empty.",
    details: [{ path: "body", issue: "the body is empty" }],
  });
}

/** Ajv also coerces "1e3" and "0x10" to whole numbers. */
const WHOLE_NUMBER = /^-?\d{1,16}$/;

function badParameters(
  { place, schema }: { readonly place: Place; readonly schema: TSchema },
  values: unknown,
): Refusal | undefined {
  const properties = schema["properties"] as Readonly<Record<string, TSchema>>;
  for (const [name, value] of Object.entries(values ?? {})) {
    const path = `${place}.${name.slice(0, 40)}`;
    if (name === "__proto__") return refuse({ path, issue: "is not allowed as a name" });
    if (!Object.hasOwn(properties, name)) return unknownParameter(path, Object.keys(properties));
    if (Array.isArray(value)) return repeated(path);
    const issue = textIssue(String(value));
    if (issue !== undefined) return refuse({ path, issue });
    if (takesWhole(properties[name], value) && !WHOLE_NUMBER.test(String(value))) {
      return refuse({
        path,
        issue: `must be ${acceptedOf(properties[name] ?? {}) ?? "a whole number"}`,
      });
    }
  }
  return undefined;
}

/** Whether the value must be a whole number. A union may also take words, such as "now". */
function takesWhole(schema: TSchema | undefined, value: unknown): boolean {
  const branches: readonly TSchema[] = schema?.["anyOf"] ?? [schema ?? {}];
  const isWord = branches.some((branch) => branch["const"] === value);
  return !isWord && branches.some((branch) => branch["type"] === "integer");
}

/** The members of a range of times. The first moment is in the range, and the second one is not. */
const RANGES = [
  ["createdFrom", "createdTo"],
  ["from", "before"],
] as const;

/** A range that ends before it begins would return an empty list, as if nothing had happened. */
function reversedRange(place: Place, value: unknown): Refusal | undefined {
  const members = value as Readonly<Record<string, unknown>>;
  for (const [first, second] of RANGES) {
    const [from, to] = [members[first], members[second]];
    if (typeof from !== "number" || typeof to !== "number" || from <= to) continue;
    const issue = `is later than ${place}.${second}. Both are Unix seconds, and the range begins at ${first}: send the earlier time there`;
    return refuse({ path: `${place}.${first}`, issue });
  }
  return undefined;
}

/** An unknown filter that was ignored would return the items that it should exclude. */
const unknownParameter = (path: string, parameters: readonly string[]): Refusal => {
  const accepted =
    parameters.length === 0 ? "This call takes none" : `This call takes ${parameters.join(", ")}`;
  return new Refusal("INVALID_INPUT", {
    message: `The request is not valid: ${path} is not a known parameter. ${accepted}.`,
    details: [{ path, issue: "is not a known parameter" }],
  });
};

/** A repeated parameter has no single value, so the general code applies. */
const repeated = (path: string): Refusal =>
  new Refusal("INVALID_INPUT", {
    message: `The request is not valid: ${path} appears twice.`,
    details: [{ path, issue: "appears twice" }],
  });

interface Fault {
  readonly path: string;
  readonly issue: string;
}

function toRefusal(place: Place, errors: readonly ErrorObject[]): Refusal {
  const faults = new Map<string, Fault>();
  for (const error of errors) {
    const path = pathOf(place, error);
    // A union reports each of its branches and then itself. The last report covers all of them.
    if (!faults.has(path) || error.keyword === "anyOf") {
      faults.set(path, { path, issue: issueOf(error) });
    }
  }
  const details = [...faults.values()].slice(0, DETAILS_MAX);
  const [first = { path: place, issue: "is not valid" }] = details;
  return refuse(first, details);
}

function refuse(first: Fault, details: readonly Fault[] = [first]): Refusal {
  const hasValue = first.issue !== IS_MISSING && first.issue !== IS_UNKNOWN;
  const code = hasValue ? codeOf(first.path) : "INVALID_INPUT";
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
  const named = error.propertyName ?? error.params["propertyName"];
  for (const name of [missingProperty, additionalProperty, tag, named]) {
    if (typeof name === "string") parts.push(name.slice(0, 40));
  }
  return [place, ...parts].join(".");
}
