import type { Static, TSchema } from "@sinclair/typebox";
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { SignerError } from "./signer-error.ts";

const AJV = new Ajv({ allErrors: true, strict: true });

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
    const problems = (validate.errors ?? []).map(describeProblem);
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

function describeProblem({ instancePath, message, params }: ErrorObject): string {
  const extra = "additionalProperty" in params ? ` "${params["additionalProperty"]}"` : "";
  return `- ${instancePath || "/"} ${message ?? "is wrong"}${extra}`;
}
