import type { BoundPayout } from "../domain/payouts/payout-intent.ts";
import type { Deps } from "../flows/deps.ts";
import { chainRail } from "./chain-rail.ts";
import { bankRail, cardRail } from "./fiat-rails.ts";
import type { PayoutRail } from "./payout-rail.ts";

/** Returns the rail that makes the payout. */
export function railOf(deps: Deps, intent: BoundPayout): PayoutRail {
  switch (intent.rail) {
    case "chain":
      return chainRail(deps, intent);
    case "bank":
      return bankRail(deps, intent);
    case "card":
      return cardRail(deps, intent);
  }
}
