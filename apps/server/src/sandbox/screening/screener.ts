import type { Screener } from "../../domain/ports/screener.ts";
import { behaviourOf } from "../chains/magic-addresses.ts";

/** The last name of the customers on the sandbox's sanctions list. */
export const SANCTIONED_LAST_NAME = "Sanctioned";

/** Hits only the documented name and the documented addresses. */
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
