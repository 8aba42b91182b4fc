import { Refusal } from "../refusal.ts";

const NAME = /^[a-z0-9][a-z0-9._@-]{0,63}$/;
/** The service's own names. A stop that one of them sets is lifted by people. */
const RESERVED: ReadonlySet<string> = new Set(["auditor", "system"]);

/**
 * Returns the operator's name in its stored form, in which "Anna" and "anna " are one person.
 * Refuses INVALID_INPUT.
 */
export function requirePerson(text: string): string {
  const name = text.trim().toLowerCase();
  if (NAME.test(name) && !RESERVED.has(name)) return name;
  throw new Refusal("INVALID_INPUT", {
    message:
      "An operator's name has 1 to 64 letters, digits or . _ @ - and is neither auditor nor system.",
  });
}
