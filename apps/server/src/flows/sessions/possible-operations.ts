import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { Country } from "../../domain/catalogue/country.ts";
import type { Currency } from "../../domain/catalogue/currency.ts";
import type { PaymentMethod } from "../../domain/catalogue/methods.ts";
import {
  type CurrencyKind,
  OPERATION_SIDES,
  OPERATIONS,
  type Operation,
} from "../../domain/catalogue/operation.ts";
import { canPayWith } from "../../domain/rules/availability.ts";
import { Refusal } from "../refusal.ts";

/** The terms that a merchant asks to fix, as items of the catalogue. */
export interface LockedItems {
  readonly operation?: Operation | undefined;
  readonly spend?: Currency | undefined;
  readonly receive?: Currency | undefined;
  readonly paymentMethod?: PaymentMethod | undefined;
}

/** A fixed member, and the operations that it leaves possible. */
interface Claim {
  readonly member: string;
  readonly code: Refusal["code"];
  readonly allows: (operation: Operation) => boolean;
  readonly fact: string;
  /** Says what to do instead. Without the member, the operations `left` are possible. */
  readonly accepted: (left: readonly Operation[]) => string;
}

/**
 * Returns the operations that all locked members leave possible, at least one. A locked wallet address or network leaves all
 * of them: it applies where coins are received. Refuses the member that leaves none, and names the members that it
 * contradicts.
 */
export function possibleOperations(catalogue: Catalogue, items: LockedItems): readonly Operation[] {
  const claims = claimsOf(catalogue, items);
  let left: readonly Operation[] = OPERATIONS;
  for (const [index, claim] of claims.entries()) {
    const next = left.filter(claim.allows);
    if (next.length === 0) throw contradiction(claim, { before: claims.slice(0, index), left });
    left = next;
  }
  return left;
}

function claimsOf(catalogue: Catalogue, items: LockedItems): readonly Claim[] {
  const { operation, spend, receive, paymentMethod } = items;
  const claims: Claim[] = [];
  if (operation) {
    const { spend: from, receive: to } = OPERATION_SIDES[operation];
    claims.push({
      member: "operationType",
      code: "INVALID_OPERATION_TYPE",
      allows: (one) => one === operation,
      fact: `the operation is from ${from} to ${to}`,
      accepted: () => "Use another operation",
    });
  }
  if (spend) claims.push(sideClaim(spend, "spend"));
  if (receive) claims.push(sideClaim(receive, "receive"));
  if (paymentMethod) {
    claims.push({
      member: "paymentMethod",
      code: "PAYMENT_METHOD_UNAVAILABLE",
      allows: (one) => paymentMethod.operations.has(one),
      fact: `${paymentMethod.name} does not pay in such an operation`,
      accepted: (left) => methodsWords(catalogue, left, { spend }),
    });
  }
  return claims;
}

const SIDE_MEMBERS = { spend: "baseCurrency", receive: "targetCurrency" } as const;

const kindWords = (kind: CurrencyKind): string => (kind === "fiat" ? "a fiat currency" : "a coin");

const sideClaim = (currency: Currency, side: "spend" | "receive"): Claim => ({
  member: SIDE_MEMBERS[side],
  code: "UNSUPPORTED_PAIR",
  allows: (one) => OPERATION_SIDES[one][side] === currency.kind,
  fact: `${currency.code} is ${kindWords(currency.kind)}`,
  accepted: (left) => {
    const kinds = new Set(left.map((one) => OPERATION_SIDES[one][side]));
    return `Use ${[...kinds].map(kindWords).join(" or ")} there`;
  },
});

/** Says which payment methods fit, in a sentence without its full stop. */
export function methodsWords(
  catalogue: Catalogue,
  operations: readonly Operation[],
  use: { readonly spend?: Currency | undefined; readonly country?: Country | undefined },
): string {
  const { spend, country } = use;
  const fitting = catalogue.paymentMethods.filter((method) =>
    operations.some((operation) =>
      canPayWith(method, { operation, ...(spend && { spend }), country }),
    ),
  );
  const references = fitting.map(({ reference }) => reference);
  return references.length === 0
    ? "No payment method fits"
    : `Use one of: ${references.join(", ")}`;
}

function contradiction(
  claim: Claim,
  others: { readonly before: readonly Claim[]; readonly left: readonly Operation[] },
): Refusal {
  const { before, left } = others;
  const opposed = before.filter(
    (other) => !OPERATIONS.some((one) => other.allows(one) && claim.allows(one)),
  );
  const named = opposed.length > 0 ? opposed : before;
  const members = named.map(({ member }) => `lock.${member}`).join(" and ");
  const facts = [claim, ...named].map(({ fact }) => fact).join(", and ");
  return refuseTerm(
    claim.code,
    claim.member,
    `lock.${claim.member} contradicts ${members}: ${facts}. ${claim.accepted(left)}, or leave lock.${claim.member} out.`,
  );
}

/** Refuses a member of the lock. */
export const refuseTerm = (code: Refusal["code"], member: string, message: string): Refusal =>
  new Refusal(code, { message, details: [{ field: `lock.${member}`, issue: message }] });
