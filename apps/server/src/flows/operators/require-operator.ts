import { type Operator, SERVICE_ACCOUNT_PREFIX } from "../../domain/operators/operator.ts";
import type { Deps } from "../deps.ts";
import { Refusal } from "../refusal.ts";

/** "anna", or "anna (account root)" where the account has another name. */
export const describePerson = ({ person, account }: Operator): string =>
  person === account ? person : `${person} (account ${account})`;

/** Names the person who acted before: the operator, or one of the others, who used the operator's account. */
export const describeEarlier = (by: Operator, earlier: readonly string[]): string =>
  earlier.includes(by.person)
    ? describePerson(by)
    : `${earlier.join(" or ")}, from the account ${by.account} that ${by.person} uses too,`;

const NAME = /^[a-z0-9][a-z0-9._+@-]{0,63}$/;
/** The service's own names. A stop that one of them sets is lifted by people. */
const RESERVED: ReadonlySet<string> = new Set(["auditor", "system"]);

/**
 * Returns the operator with the name in its stored form, in which "Anna" and "anna " are one person.
 * Two people are two names and, in `staging` and `prod`, two accounts of the system. A developer's
 * machine often has one account, so in `dev` each name counts as an account. An account of the console is one person
 * everywhere. Refuses INVALID_INPUT.
 */
export function requireOperator(
  { environment }: Pick<Deps, "environment">,
  operator: Operator,
): Operator {
  const person = operator.person.trim().toLowerCase();
  const isTaken = RESERVED.has(person) || person.startsWith(SERVICE_ACCOUNT_PREFIX);
  const isServiceAccount = operator.console?.serviceAccountId !== undefined;
  if (!NAME.test(person) || (isTaken && !isServiceAccount && !person.includes("@"))) {
    throw new Refusal("INVALID_INPUT", {
      message:
        "An operator's name has 1 to 64 letters, digits or . _ + @ -, is neither auditor nor system, and does not begin with service-account. Write it as --as anna.",
    });
  }
  const isName = environment === "dev" && operator.console === undefined;
  return { ...operator, person, account: isName ? person : operator.account };
}
