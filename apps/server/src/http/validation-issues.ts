import { acceptedOf } from "@exchange/contract";
import type { TSchema } from "@sinclair/typebox";
import type { ErrorObject } from "ajv";

/** A missing parameter has no value, so the general code applies. */
export const IS_MISSING = "is missing";
/** A member that the call does not have has no code, whatever its name is. */
export const IS_UNKNOWN = "is not a known member";

const TYPE_NAMES: Readonly<Record<string, string>> = {
  object: "must be an object",
  array: "must be a list",
  string: "must be a string",
  number: "must be a number",
  integer: "must be a whole number",
  boolean: "must be true or false",
};

const counted = (count: number, noun: string): string =>
  `${count} ${count === 1 ? noun : `${noun}s`}`;

const BOUNDS: Readonly<Record<string, (bound: number) => string>> = {
  minLength: (bound) =>
    bound === 1 ? "must not be empty" : `must have at least ${counted(bound, "character")}`,
  maxLength: (bound) => `must have at most ${counted(bound, "character")}`,
  minimum: (bound) => `must be at least ${bound}`,
  maximum: (bound) => `must be at most ${bound}`,
  exclusiveMinimum: (bound) => `must be above ${bound}`,
  minItems: (bound) => `must have at least ${counted(bound, "item")}`,
  maxItems: (bound) => `must have at most ${counted(bound, "item")}`,
  minProperties: (bound) => `must have at least ${counted(bound, "member")}`,
  maxProperties: (bound) => `must have at most ${counted(bound, "member")}`,
};

/** Says what is accepted. A text of the validator itself would show patterns and keywords. */
export function issueOf(error: ErrorObject): string {
  const { parentSchema } = error;
  // A number with words, such as a time: neither its type nor its bounds say the unit.
  const accepted = parentSchema?.["type"] === "integer" ? acceptedOf(parentSchema) : undefined;
  if (accepted !== undefined) return `must be ${accepted}`;
  const bound = BOUNDS[error.keyword]?.(Number(error.schema));
  if (bound !== undefined) return bound;
  switch (error.keyword) {
    case "required":
      return IS_MISSING;
    case "additionalProperties":
      return IS_UNKNOWN;
    case "uniqueItems":
      return "must not have the same item twice";
    case "type":
      return TYPE_NAMES[String(error.schema)] ?? `must be of type ${String(error.schema)}`;
    case "anyOf":
      return unionIssue(error);
    case "discriminator":
      return discriminatorIssue(error);
    case "enum":
      return `must be one of ${(error.schema as unknown[]).join(", ")}`;
    case "const":
      return `must be ${String(error.schema)}`;
    case "pattern":
      return patternIssue(error);
    default:
      return "is not valid";
  }
}

function patternIssue({ parentSchema, propertyName }: ErrorObject): string {
  const accepted = acceptedOf(parentSchema ?? {});
  if (accepted === undefined) return "is not valid";
  return propertyName === undefined ? `must be ${accepted}` : `must have a name of ${accepted}`;
}

function unionIssue({ schema, parentSchema }: ErrorObject): string {
  const accepted = acceptedOf(parentSchema ?? {});
  if (accepted !== undefined) return `must be ${accepted}`;
  const values = (schema as readonly { const?: string }[]).flatMap(({ const: value }) =>
    value === undefined ? [] : [value],
  );
  return values.length > 0 ? `must be one of ${values.join(", ")}` : "is not valid";
}

/** Bodies that one member discriminates, such as a payment's `type`. */
function discriminatorIssue({ params, parentSchema }: ErrorObject): string {
  const tag = String(params["tag"]);
  const branches = (parentSchema?.["oneOf"] ?? []) as readonly TSchema[];
  const values = branches.map(({ properties }) => properties?.[tag]?.const).join(", ");
  return `must be one of ${values}`;
}
