import {
  isRoleName,
  PERSON_LANGUAGES,
  ROLES,
  type RoleKind,
  type RoleName,
  rolesOf,
} from "@exchange/contract/admin";
import type { Operator } from "../../domain/operators/operator.ts";
import type { Person, PersonLanguage } from "../../domain/people/person.ts";
import { Refusal } from "../refusal.ts";
import { isReadable } from "../requirements.ts";

/** Returns whether the actor may see and manage a person: of their own merchant, or as the operator all. */
export const isWithin = (
  by: Pick<Operator, "console">,
  { merchantId }: Pick<Person, "merchantId">,
): boolean => {
  const own = by.console?.merchantId ?? null;
  return own === null || own === merchantId;
};

/** Returns the roles if they exist and a person of this kind may have them. Refuses INVALID_INPUT. */
export function requireRoles(
  roles: readonly string[],
  { merchantId }: Pick<Person, "merchantId">,
): readonly RoleName[] {
  const kind: RoleKind = merchantId === null ? "operator" : "merchant";
  const fitting = roles.filter(isRoleName).filter((name) => ROLES[name].kind === kind);
  if (fitting.length === roles.length && roles.length > 0) return fitting;
  throw new Refusal("INVALID_INPUT", {
    message: `Choose roles of ${kind === "operator" ? "the operator" : "a merchant"}: ${rolesOf(kind).join(", ")}.`,
    details: [{ field: "roles", issue: "names a role that this person cannot have" }],
  });
}

const NAME_LENGTH_MAX = 100;
/** Returns the name without spaces around it. Refuses INVALID_INPUT. */
export function requireName(text: string): string {
  const name = text.trim();
  if (name !== "" && name.length <= NAME_LENGTH_MAX && isReadable(name)) return name;
  throw new Refusal("INVALID_INPUT", {
    message: `The name must have 1 to ${NAME_LENGTH_MAX} characters besides the spaces around it, and no control characters.`,
    details: [{ field: "name", issue: "is empty, too long or has control characters" }],
  });
}

/** Returns the language of mails to a person. Refuses INVALID_INPUT. */
export function requireLanguage(text: string): PersonLanguage {
  const language = PERSON_LANGUAGES.find((one) => one === text);
  if (language !== undefined) return language;
  throw new Refusal("INVALID_INPUT", {
    message: "The language of mails to a person is en or de.",
    details: [{ field: "language", issue: "is not a language of mails to people" }],
  });
}

/** An unknown person and one of another merchant have the same answer. */
export const personNotFound = (): Refusal =>
  new Refusal("NOT_FOUND", {
    message: "There is no person with this id. Look in the list of people.",
  });
