import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { Operator } from "../../domain/operators/operator.ts";
import { peopleToResume, type StopKey } from "../../domain/payouts/stop.ts";
import { findMerchant } from "../../storage/merchants/merchants.ts";
import { putStop } from "../../storage/payouts/stops.ts";
import type { Queryable } from "../../storage/postgres/database.ts";
import type { Deps } from "../deps.ts";
import { requireOperator } from "../operators/require-operator.ts";
import { Refusal } from "../refusal.ts";
import { requireCurrency, requireReason } from "../requirements.ts";

export interface StopPayouts extends StopKey {
  readonly reason: string;
  readonly by: Operator;
}

/**
 * Stops payouts of a kind. When it returns, no payout that the stop covers is released or signed.
 * Two people must agree to end a stop of all payouts or of a rail; one person ends any other. Returns
 * whether the stop is new. Refuses INVALID_INPUT and NOT_FOUND.
 */
export async function stopPayouts(
  deps: Pick<Deps, "database" | "catalogue" | "environment">,
  command: StopPayouts,
): Promise<boolean> {
  const operator = requireOperator(deps, command.by);
  const reason = requireReason(command.reason);
  await requireSubject(deps.database, deps.catalogue(), command);
  const { kind, subject } = command;
  const stop = { kind, subject, reason, setBy: operator.person };
  return putStop(deps.database, { ...stop, peopleToResume: peopleToResume(kind) }, operator);
}

async function requireSubject(
  queryable: Queryable,
  catalogue: Catalogue,
  { kind, subject }: StopKey,
): Promise<void> {
  switch (kind) {
    case "all":
      if (subject !== "") throw unknown("A stop of everything has no subject.");
      return;
    case "rail":
      if (!isRail(catalogue, subject)) {
        throw unknown(
          `There is no rail "${subject}": name chain:bitcoin, bank:sepa or card, or chain or bank for all of them.`,
        );
      }
      return;
    case "network":
      if (!catalogue.networks.some(({ code }) => code === subject))
        throw unknown(`There is no network "${subject}": name its code, such as bitcoin.`);
      return;
    case "currency":
      requireCurrency(catalogue, subject);
      return;
    case "method":
      if (!catalogue.paymentMethods.some(({ reference }) => reference === subject))
        throw unknown(`There is no payment method "${subject}": name its reference, such as sepa.`);
      return;
    case "pair":
      if (!isPair(catalogue, subject)) {
        throw unknown(
          `There is no pair "${subject}": name the references of what is spent and received, such as eur-btc.`,
        );
      }
      return;
    case "merchant":
      if (!(await findMerchant(queryable, subject)))
        throw unknown(`There is no merchant ${subject}.`);
  }
}

const unknown = (message: string): Refusal => new Refusal("NOT_FOUND", { message });

const RAIL_FAMILIES: readonly string[] = ["chain", "bank", "card"];

function isRail(catalogue: Catalogue, subject: string): boolean {
  const [family = "", name, ...rest] = subject.split(":");
  if (rest.length > 0) return false;
  if (name === undefined) return RAIL_FAMILIES.includes(family);
  if (family === "chain") return catalogue.networks.some(({ code }) => code === name);
  return family === "bank" && catalogue.paymentMethods.some(({ reference }) => reference === name);
}

/** A reference may hold hyphens itself, so every position for the split is tried. */
const isPair = (catalogue: Catalogue, subject: string): boolean =>
  catalogue.currencies.some(
    ({ reference }) =>
      subject.startsWith(`${reference}-`) &&
      catalogue.currencies.some((other) => other.reference === subject.slice(reference.length + 1)),
  );
