import { personOf } from "../../domain/payouts/person.ts";
import { Refusal } from "../refusal.ts";

/** Returns the operator's name in its stored form. Refuses INVALID_INPUT. */
export function requirePerson(text: string): string {
  const person = personOf(text);
  if (person !== undefined) return person;
  throw new Refusal("INVALID_INPUT", {
    message:
      "An operator's name has 1 to 64 letters, digits or . _ @ - and is neither auditor nor system.",
  });
}
