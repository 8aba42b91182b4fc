import { dropDeliveries } from "../../storage/webhooks/deliveries.ts";
import { recordEndpointLog } from "../../storage/webhooks/endpoint-log.ts";
import { removeWebhookEndpoint as remove } from "../../storage/webhooks/endpoints.ts";
import type { Deps } from "../deps.ts";
import { isUuid, noSuchEndpoint } from "./require-endpoint.ts";

/**
 * Removes an endpoint: deletes its secrets and drops its pending deliveries. Refuses NOT_FOUND when
 * the merchant has no such endpoint.
 */
export async function removeWebhookEndpoint(
  deps: Pick<Deps, "database">,
  command: { readonly merchantId: string; readonly endpointId: string },
): Promise<void> {
  if (!isUuid(command.endpointId)) throw noSuchEndpoint();
  await deps.database.transaction(async (tx) => {
    if (!(await remove(tx, command))) throw noSuchEndpoint();
    await recordEndpointLog(tx, { ...command, what: "removed" });
  });
  // Not in the same transaction. A removed endpoint is never claimed, so its deliveries may be
  // dropped later, and no worker that records an attempt takes these locks in the opposite order.
  await dropDeliveries(deps.database, command);
}
