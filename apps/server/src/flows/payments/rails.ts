import type { DeliveryMethod, PaymentMethod } from "../../domain/catalogue/methods.ts";
import type { Operation } from "../../domain/catalogue/operation.ts";
import type { Deps } from "../deps.ts";
import { Refusal } from "../refusal.ts";

export type RailDeps = Pick<Deps, "cardProcessor" | "chain" | "bank">;

/** Refuses PROVIDER_UNAVAILABLE for an order whose money could not come in or go out. */
export function requireRails(
  deps: RailDeps,
  order: {
    readonly payment: PaymentMethod;
    readonly delivery: DeliveryMethod;
    /** The network of the coins that the customer pays with. */
    readonly spendNetworkCode: string | null;
    /** The network that the customer is paid on. */
    readonly networkCode: string | null;
  },
): void {
  const { payment, delivery, spendNetworkCode, networkCode } = order;
  if (!takesIn(deps, payment, spendNetworkCode)) {
    throw unavailable(nameIn(payment.name, spendNetworkCode), "takes");
  }
  if (!paysOut(deps, delivery, networkCode)) {
    throw unavailable(nameIn(delivery.name, networkCode), "pays by");
  }
}

/** "Blockchain transfer on ethereum", or the method's name alone where no network is part of it. */
const nameIn = (name: string, networkCode: string | null): string =>
  networkCode === null ? name : `${name} on ${networkCode}`;

/** A live network without a hot wallet takes coins and pays none. */
function paysOut(
  { chain, bank }: RailDeps,
  { type }: DeliveryMethod,
  networkCode: string | null,
): boolean {
  if (type !== "on_chain") return bank !== undefined;
  return chain !== undefined && chain.paysOn?.(networkCode ?? "") !== false;
}

/** In `prod` the networks that the rails file does not name have no gateway. */
function takesIn(deps: RailDeps, { type }: PaymentMethod, networkCode: string | null): boolean {
  switch (type) {
    case "card":
      return deps.cardProcessor !== undefined;
    case "bank_transfer":
      return deps.bank !== undefined;
    case "crypto":
      return deps.chain !== undefined && deps.chain.takesOn?.(networkCode ?? "") !== false;
    default:
      return false;
  }
}

const unavailable = (name: string, verb: string): Refusal =>
  new Refusal("PROVIDER_UNAVAILABLE", {
    message: `No provider that ${verb} ${name} is configured.`,
  });

/** Returns the operations whose rails are configured. */
export function orderableOperations(deps: RailDeps): readonly Operation[] {
  const fiatIn = deps.cardProcessor !== undefined || deps.bank !== undefined;
  const possible: Readonly<Record<Operation, boolean>> = {
    buy: fiatIn && deps.chain !== undefined,
    sell: deps.chain !== undefined && deps.bank !== undefined,
    crypto_to_crypto: deps.chain !== undefined,
    fiat_to_fiat: fiatIn && deps.bank !== undefined,
  };
  return (Object.keys(possible) as Operation[]).filter((operation) => possible[operation]);
}
