import type { Static, TObject, TSchema } from "@sinclair/typebox";
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { SignerError } from "./signer-error.ts";

const AJV = new Ajv({ allErrors: true, strict: true, verbose: true, discriminator: true });

/**
 * Returns a function that parses JSON text of the schema. It throws a `SignerError` that names every problem
 * at once.
 */
export function checkerOf<Schema extends TSchema>(schema: Schema, noun: string) {
  let validate: ValidateFunction<Static<Schema>> | undefined;
  return (text: string): Static<Schema> => {
    const value = parseJson(text, noun);
    // Compiled with the first text: a service or a command that asks no signer starts sooner.
    validate ??= AJV.compile<Static<Schema>>(schema);
    if (validate(value)) return value;
    const problems = (validate.errors ?? [])
      .map(faultOf)
      .map(({ path, sentence }) => `- ${path.slice(1) || `the ${noun}`}: ${sentence}`);
    throw new SignerError(`The ${noun} is not valid:\n${[...new Set(problems)].join("\n")}`);
  };
}

function parseJson(text: string, noun: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SignerError(`The ${noun} is not JSON.`);
  }
}

/** Returns the place of a fault, such as `.endpoints[0].name`, and a sentence that says what is accepted. */
export function faultOf(error: ErrorObject): { readonly path: string; readonly sentence: string } {
  const path = error.instancePath.replaceAll(/\/(\d+)(?=\/|$)/g, "[$1]").replaceAll("/", ".");
  return { path, sentence: sentenceOf(error) };
}

/** Keywords whose accepted form the `description` of the schema says in words. The schema must be compiled with `verbose`. */
const FORMS: ReadonlySet<string> = new Set(["pattern", "type", "minItems", "maxItems"]);
const TYPES: Readonly<Record<string, string>> = {
  integer: "a whole number, without quotation marks",
  string: "text in quotation marks",
  array: "a list in square brackets",
  object: "an object in braces",
};

/** Returns the kinds of a union. A fault in one of its members is reported for that kind alone. */
const tagsOf = (union: Readonly<Record<string, unknown>> = {}): readonly unknown[] =>
  (union["oneOf"] as readonly TObject[]).map(({ properties }) => properties["kind"]?.["const"]);

function sentenceOf({ keyword, params, message, parentSchema }: ErrorObject): string {
  const form: unknown = FORMS.has(keyword) ? parentSchema?.["description"] : undefined;
  if (typeof form === "string") return `The value must be ${form}.`;
  switch (keyword) {
    case "additionalProperties":
      return `There is no member ${params["additionalProperty"]}. Remove it or correct its spelling.`;
    case "required":
      return `The member ${params["missingProperty"]} is missing. Add it.`;
    case "const":
      return `The value must be ${JSON.stringify(params["allowedValue"])}.`;
    case "enum":
      return `The value must be one of ${(params["allowedValues"] as string[]).join(", ")}.`;
    case "discriminator":
      return `The member ${params["tag"]} must be one of ${tagsOf(parentSchema).join(", ")}.`;
    case "type":
      return `The value must be ${TYPES[String(params["type"])] ?? params["type"]}.`;
    default:
      return `The value ${message ?? "is not valid"}.`;
  }
}
