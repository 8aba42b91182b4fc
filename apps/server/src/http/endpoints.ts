import type { Deps } from "../flows/deps.ts";
import { registerLimits } from "./catalogue/limits.ts";
import { registerCards, registerCheckoutSession } from "./checkout/routes.ts";
import { registerEvents } from "./events/routes.ts";
import { registerOrderList, registerOrders } from "./orders/routes.ts";
import { registerQuotes } from "./quotes/routes.ts";
import type { Register } from "./registrar.ts";
import { registerSessions } from "./sessions/routes.ts";
import { registerTokens } from "./tokens/routes.ts";
import { registerWallets } from "./wallets/routes.ts";
import { registerWebhookDeliveries } from "./webhooks/deliveries.ts";
import { registerWebhookEndpoints } from "./webhooks/routes.ts";

/**
 * Registers every endpoint of the contract's table except those with cached or streamed answers.
 */
export function registerEndpoints(register: Register, deps: Deps): void {
  registerTokens(register, deps);
  registerLimits(register, deps);
  registerQuotes(register, deps);
  registerCheckoutSession(register, deps);
  registerCards(register, deps);
  registerOrders(register, deps);
  registerOrderList(register, deps);
  registerSessions(register, deps);
  registerWallets(register, deps);
  registerEvents(register, deps);
  registerWebhookEndpoints(register, deps);
  registerWebhookDeliveries(register, deps);
}
