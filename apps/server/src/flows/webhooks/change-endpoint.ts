import type { WebhookEventType } from "@exchange/contract";
import type { Tx } from "../../storage/postgres/database.ts";
import {
  type EndpointLogEntryKind,
  recordEndpointLog,
} from "../../storage/webhooks/endpoint-log.ts";
import {
  changeWebhookEndpoint as change,
  endSecretOverlap,
  type WebhookEndpoint,
} from "../../storage/webhooks/endpoints.ts";
import type { Deps } from "../deps.ts";
import { isUuid, noSuchEndpoint, requireWebhookEndpoint } from "./require-endpoint.ts";
import { readWebhookTarget } from "./target.ts";

export interface ChangeWebhookEndpoint {
  readonly merchantId: string;
  readonly endpointId: string;
  readonly by: "merchant" | "operator";
  readonly url?: string | undefined;
  readonly eventTypes?: readonly WebhookEventType[] | undefined;
  /**
   * False holds the endpoint's events. True sends them, whether a person or the breaker disabled
   * it.
   */
  readonly enabled?: boolean | undefined;
  /** Deletes the secret from before the last rotation. */
  readonly endOverlap?: true | undefined;
}

/**
 * Changes the named members and nothing else. Refuses NOT_FOUND, and INVALID_INPUT for a URL that
 * no webhook may go to.
 */
export async function changeWebhookEndpoint(
  deps: Pick<Deps, "database" | "webhookTargets" | "wakeWebhooks">,
  command: ChangeWebhookEndpoint,
): Promise<WebhookEndpoint> {
  if (!isUuid(command.endpointId)) throw noSuchEndpoint();
  const url = command.url && readWebhookTarget(deps.webhookTargets, command.url);
  const changed = await deps.database.transaction(async (tx) => {
    const endpoint = await change(tx, { ...command, url });
    if (!endpoint) throw noSuchEndpoint();
    await recordChanges(tx, { ...command, url });
    if (!command.endOverlap) return endpoint;
    if (await endSecretOverlap(tx, command)) {
      await recordEndpointLog(tx, { ...command, what: "overlap_ended", detail: command.by });
    }
    return requireWebhookEndpoint(tx, command);
  });
  deps.wakeWebhooks();
  return changed;
}

async function recordChanges(tx: Tx, command: ChangeWebhookEndpoint): Promise<void> {
  const { merchantId, endpointId, by, url, eventTypes, enabled } = command;
  const record = (what: EndpointLogEntryKind, detail: string) =>
    recordEndpointLog(tx, { merchantId, endpointId, what, detail: `${by}: ${detail}` });
  if (url !== undefined) await record("changed", url);
  if (eventTypes !== undefined) await record("changed", eventTypes.join(", "));
  if (enabled !== undefined) await record(enabled ? "enabled" : "disabled", "by hand");
}
