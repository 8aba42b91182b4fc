import type { Screener } from "../../domain/ports/screener.ts";
import { behaviourOf } from "../chains/magic-addresses.ts";

/** A customer of this last name is on the sandbox's list. */
export const SANCTIONED_LAST_NAME = "Sanctioned";

/** Hits the documented name and the documented addresses, and nothing else. */
export function sandboxScreener(): Screener {
  return {
    name: "sandbox",
    screen: async ({ address, customer }) => {
      const isListed =
        customer.lastName?.trim().toLowerCase() === SANCTIONED_LAST_NAME.toLowerCase();
      const isTainted = address !== null && behaviourOf(address) === "sanctioned";
      return isListed || isTainted ? "hit" : "clear";
    },
  };
}
