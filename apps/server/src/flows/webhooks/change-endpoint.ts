import type { WebhookEventType } from "@exchange/contract";
import type { ControlAction } from "@exchange/contract/admin";
import { isOfMerchant, type Operator } from "../../domain/operators/operator.ts";
import { logControl } from "../../storage/audit/control-log.ts";
import type { Tx } from "../../storage/postgres/database.ts";
import { hurryDeliveries } from "../../storage/webhooks/deliveries.ts";
import {
  type EndpointLogEntryKind,
  recordEndpointLog,
} from "../../storage/webhooks/endpoint-log.ts";
import {
  changeWebhookEndpoint as change,
  endSecretOverlap,
  lockWebhookEndpoint,
  type WebhookEndpoint,
} from "../../storage/webhooks/endpoints.ts";
import type { Deps } from "../deps.ts";
import { requireOperator } from "../operators/require-operator.ts";
import { Refusal } from "../refusal.ts";
import {
  isUuid,
  noSuchEndpoint,
  requireOpenUrl,
  requireWebhookEndpoint,
} from "./require-endpoint.ts";
import { readWebhookTarget } from "./target.ts";

export interface ChangeWebhookEndpoint {
  readonly merchantId: string;
  readonly endpointId: string;
  /** The merchant's server, or a person. */
  readonly by: "merchant" | Operator;
  readonly url?: string | undefined;
  readonly eventTypes?: readonly WebhookEventType[] | undefined;
  /**
   * False holds the endpoint's events. True sends them, whether a person or the breaker disabled
   * it, and retries are due at once, as they are at a new URL. A merchant cannot enable an endpoint that the operator disabled.
   */
  readonly enabled?: boolean | undefined;
  /** Deletes the secret from before the last rotation. */
  readonly endOverlap?: true | undefined;
}

/**
 * Changes the named members and nothing else. Refuses NOT_FOUND, and INVALID_INPUT for a URL that
 * no webhook may go to or that the operator disabled, and for an endpoint that only the operator may enable.
 */
export async function changeWebhookEndpoint(
  deps: Pick<Deps, "database" | "environment" | "webhookTargets">,
  command: ChangeWebhookEndpoint,
): Promise<WebhookEndpoint> {
  if (!isUuid(command.endpointId)) throw noSuchEndpoint();
  const url = command.url && readWebhookTarget(deps.webhookTargets, command.url);
  return deps.database.transaction(async (tx) => {
    const before = await lockWebhookEndpoint(tx, command);
    if (!before) throw noSuchEndpoint();
    requireMayEnable(before, command);
    const by = authorOf(command);
    const isMoved = url && url !== before.url;
    const isEnabled = command.enabled === true && before.state === "disabled";
    if (by === "merchant" && (isMoved || isEnabled)) {
      await requireOpenUrl(tx, { ...command, url: url || before.url });
    }
    const endpoint = await change(tx, { ...command, by, url });
    if (!endpoint) throw noSuchEndpoint();
    if (isMoved || isEnabled) await hurryDeliveries(tx, command);
    await recordChanges(tx, { ...command, url });
    await logChange(tx, deps, { command, before, after: endpoint });
    if (!command.endOverlap) return endpoint;
    if (await endSecretOverlap(tx, command)) {
      await recordEndpointLog(tx, { ...command, what: "overlap_ended", detail: by });
    }
    return requireWebhookEndpoint(tx, command);
  });
}

const authorOf = ({ by }: ChangeWebhookEndpoint): "merchant" | "operator" =>
  by === "merchant" || isOfMerchant(by) ? "merchant" : "operator";

function requireMayEnable(endpoint: WebhookEndpoint, command: ChangeWebhookEndpoint): void {
  const isOperators = endpoint.disabledReason === "operator";
  if (authorOf(command) === "operator" || command.enabled !== true || !isOperators) return;
  throw new Refusal("INVALID_INPUT", {
    message: "The operator disabled this endpoint. Ask the operator to enable it.",
    details: [{ field: "enabled", issue: "can be set by the operator only" }],
  });
}

/** Logs the change of a person. */
async function logChange(
  tx: Tx,
  deps: Pick<Deps, "environment">,
  change: {
    readonly command: ChangeWebhookEndpoint;
    readonly before: WebhookEndpoint;
    readonly after: WebhookEndpoint;
  },
): Promise<void> {
  const { command, before, after } = change;
  if (command.by === "merchant") return;
  const stateOf = ({ url, eventTypes, state, disabledReason }: WebhookEndpoint) => ({
    ...{ url, eventTypes, state, disabledReason },
  });
  await logControl(tx, {
    operator: requireOperator(deps, command.by),
    action: actionOf(command),
    subject: command.endpointId,
    details: {
      client: command.merchantId,
      ...(command.endOverlap && { ended: "the previous secret" }),
    },
    before: stateOf(before),
    after: stateOf(after),
  });
}

const actionOf = ({ enabled }: ChangeWebhookEndpoint): ControlAction =>
  enabled === undefined
    ? "change_webhook_endpoint"
    : enabled
      ? "enable_webhook_endpoint"
      : "disable_webhook_endpoint";

async function recordChanges(tx: Tx, command: ChangeWebhookEndpoint): Promise<void> {
  const { merchantId, endpointId, url, eventTypes, enabled } = command;
  const by = authorOf(command);
  const record = (what: EndpointLogEntryKind, detail: string) =>
    recordEndpointLog(tx, { merchantId, endpointId, what, detail: `${by}: ${detail}` });
  if (url !== undefined) await record("changed", url);
  if (eventTypes !== undefined) await record("changed", eventTypes.join(", "));
  if (enabled !== undefined) await record(enabled ? "enabled" : "disabled", "by hand");
}
