import type { Operator } from "../../domain/operators/operator.ts";
import { logControl } from "../../storage/audit/control-log.ts";
import { dropDeliveries } from "../../storage/webhooks/deliveries.ts";
import { recordEndpointLog } from "../../storage/webhooks/endpoint-log.ts";
import {
  lockWebhookEndpoint,
  removeWebhookEndpoint as remove,
} from "../../storage/webhooks/endpoints.ts";
import type { Deps } from "../deps.ts";
import { requireOperator } from "../operators/require-operator.ts";
import { isUuid, noSuchEndpoint } from "./require-endpoint.ts";

export interface RemoveWebhookEndpoint {
  readonly merchantId: string;
  readonly endpointId: string;
  /** The person at the command line or in the console. Absent when the merchant's server removes the endpoint. */
  readonly operator?: Operator | undefined;
}

/**
 * Removes an endpoint: deletes its secrets and drops its pending deliveries. Refuses NOT_FOUND when
 * the merchant has no such endpoint.
 */
export async function removeWebhookEndpoint(
  deps: Pick<Deps, "database" | "environment">,
  command: RemoveWebhookEndpoint,
): Promise<void> {
  if (!isUuid(command.endpointId)) throw noSuchEndpoint();
  const operator = command.operator && requireOperator(deps, command.operator);
  await deps.database.transaction(async (tx) => {
    const endpoint = await lockWebhookEndpoint(tx, command);
    if (!endpoint) throw noSuchEndpoint();
    await remove(tx, command);
    await recordEndpointLog(tx, { ...command, what: "removed" });
    if (!operator) return;
    const { url, eventTypes, state } = endpoint;
    await logControl(tx, {
      operator,
      action: "remove_webhook_endpoint",
      subject: command.endpointId,
      details: { client: command.merchantId },
      before: { url, eventTypes, state },
      after: null,
    });
  });
  // Not in the same transaction. A removed endpoint is never claimed, so its deliveries may be
  // dropped later, and no worker that records an attempt takes these locks in the opposite order.
  // The clearing of each hour drops the deliveries that a crash or a simultaneous order leaves here.
  await dropDeliveries(deps.database, command);
}
