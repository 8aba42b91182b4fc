import { DOCUMENTED_EVENT_TYPES, type WebhookEventType } from "@exchange/contract";
import { formatWebhookSecret, WEBHOOK_SECRET_BYTES } from "../domain/webhooks/secret.ts";
import {
  assertAllowedTarget,
  type TargetPolicy,
  TargetRefused,
} from "../domain/webhooks/targets.ts";
import {
  insertWebhookEndpoint,
  type WebhookEndpoint,
  webhookSecretPlace,
} from "../storage/webhook-endpoints.ts";
import type { Deps } from "./deps.ts";
import { Refusal } from "./refusal.ts";

export interface AddWebhookEndpoint {
  readonly merchantId: string;
  readonly url: string;
  /** The two documented events when left out. */
  readonly eventTypes?: readonly WebhookEventType[];
}

/** The secret is in clear here and never again. */
export interface AddedWebhookEndpoint {
  readonly endpoint: WebhookEndpoint;
  readonly secret: string;
}

/**
 * Registers a URL for a merchant's webhooks. Refuses with INVALID_INPUT a URL no webhook may go to
 * and an empty list of events, with NOT_FOUND an unknown merchant.
 */
export async function addWebhookEndpoint(
  deps: Pick<Deps, "database" | "ids" | "secrets" | "webhookTargets">,
  command: AddWebhookEndpoint,
): Promise<AddedWebhookEndpoint> {
  const { merchantId } = command;
  const url = readTarget(deps.webhookTargets, command.url);
  const eventTypes = [...new Set(command.eventTypes ?? DOCUMENTED_EVENT_TYPES)];
  if (eventTypes.length === 0) {
    throw new Refusal("INVALID_INPUT", { message: "Name at least one event type." });
  }
  const id = deps.ids.uuid();
  const secret = formatWebhookSecret(deps.ids.bytes(WEBHOOK_SECRET_BYTES));
  const secretSealed = deps.secrets.seal(
    secret,
    webhookSecretPlace({ merchantId, endpointId: id }),
  );
  const endpoint = await insertWebhookEndpoint(deps.database, {
    id,
    merchantId,
    url,
    eventTypes,
    secretSealed,
  });
  if (!endpoint) throw new Refusal("NOT_FOUND", { message: "There is no such merchant." });
  return { endpoint, secret };
}

/** The URL as it will be called. */
function readTarget(policy: TargetPolicy, url: string): string {
  try {
    return assertAllowedTarget(url, policy).href;
  } catch (error) {
    if (!(error instanceof TargetRefused)) throw error;
    throw new Refusal("INVALID_INPUT", {
      message: error.message,
      details: [{ path: "/url", issue: error.message }],
    });
  }
}
