import { ENDPOINTS } from "@exchange/contract";
import type { Deps } from "../../flows/deps.ts";
import { tokenizeCard } from "../../flows/payments/tokenize-card.ts";
import type { Register } from "../registrar.ts";
import { ok } from "../wire.ts";

/**
 * Registers the call that stores the debit card for a customer's payout before the order is placed.
 */
export function registerCards(register: Register, deps: Deps): void {
  register(ENDPOINTS.tokenizeCard, async ({ body }) => {
    const { token, brand, lastFour } = await tokenizeCard(deps, body.card);
    return ok({ cardToken: token, brand, lastFour });
  });
}
