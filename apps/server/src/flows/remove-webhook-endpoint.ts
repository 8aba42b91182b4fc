import { dropDeliveries } from "../storage/deliveries.ts";
import { removeWebhookEndpoint as remove } from "../storage/webhook-endpoints.ts";
import type { Deps } from "./deps.ts";
import { Refusal } from "./refusal.ts";

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Removes an endpoint: its secret is forgotten and what was still to be sent is dropped. Refuses
 * with NOT_FOUND when the merchant has no such endpoint.
 */
export async function removeWebhookEndpoint(
  deps: Pick<Deps, "database">,
  command: { readonly merchantId: string; readonly endpointId: string },
): Promise<void> {
  // Two statements, not one transaction: a removed endpoint is never claimed, so its deliveries may
  // be dropped later, and no worker that records an attempt meets these locks the other way round.
  const isRemoved = UUID.test(command.endpointId) && (await remove(deps.database, command));
  if (!isRemoved) {
    throw new Refusal("NOT_FOUND", { message: "The merchant has no such webhook endpoint." });
  }
  await dropDeliveries(deps.database, command);
}
