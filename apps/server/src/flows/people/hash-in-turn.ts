import type { Person } from "../../domain/people/person.ts";
import { hashPassword } from "../../secrets/passwords.ts";
import type { Deps } from "../deps.ts";
import { makeTurns } from "../in-turn.ts";
import { Refusal } from "../refusal.ts";

/**
 * Hashes one password after another. Each takes 12 MiB and a good part of a second. Anybody may send passwords to
 * check, so without a bound strangers could use up the memory and the processor of a process that also pays.
 */
export const hashInTurn = makeTurns({
  turnsMax: 8,
  message:
    "Too many people are signing in with a password. Try again in a few seconds, or use a passkey.",
});

/** Returns the hash of a new password. Refuses INVALID_INPUT for one that is easy to guess. */
export function hashNewPassword(
  { ids }: Pick<Deps, "ids">,
  person: Pick<Person, "email" | "name">,
  password: string,
): Promise<string> {
  requireGoodPassword(password, person);
  return hashInTurn(() => hashPassword(password, (count) => ids.bytes(count)));
}

/** Refuses a password with the person's name or address in it, or with a common word (ASVS 6.2.11). */
function requireGoodPassword(
  password: string,
  { email, name }: Pick<Person, "email" | "name">,
): void {
  const text = password.toLowerCase();
  const [local = ""] = email.split("@");
  const isPoor =
    new Set(password).size < 5 ||
    [email, local, name.toLowerCase()].some((word) => word.length > 3 && text.includes(word)) ||
    /^(.*)(password|passwort|exchange|qwerty|12345678)(.*)$/.test(text);
  if (!isPoor) return;
  throw new Refusal("INVALID_INPUT", {
    message:
      "This password is easy to guess. Use four words that have nothing to do with you or the service.",
    details: [{ field: "password", issue: "is easy to guess" }],
  });
}
