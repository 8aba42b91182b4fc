import { DOCUMENTED_EVENT_TYPES, WEBHOOK_LIMITS, type WebhookEventType } from "@exchange/contract";
import { isOfMerchant, type Operator } from "../../domain/operators/operator.ts";
import { formatWebhookSecret, WEBHOOK_SECRET_BYTES } from "../../domain/webhooks/secret.ts";
import { logControl } from "../../storage/audit/control-log.ts";
import { recordEndpointLog } from "../../storage/webhooks/endpoint-log.ts";
import {
  insertWebhookEndpoint,
  listWebhookEndpoints,
  lockMerchantEndpoints,
  type NewWebhookEndpoint,
  type WebhookEndpoint,
  webhookSecretPlace,
} from "../../storage/webhooks/endpoints.ts";
import type { Deps } from "../deps.ts";
import { requireOperator } from "../operators/require-operator.ts";
import { Refusal } from "../refusal.ts";
import { requireOpenUrl } from "./require-endpoint.ts";
import { readWebhookTarget } from "./target.ts";

export interface AddWebhookEndpoint {
  readonly merchantId: string;
  readonly url: string;
  /** The two documented events by default. */
  readonly eventTypes?: readonly WebhookEventType[] | undefined;
  /** The person at the command line or in the console. Absent when the merchant's server adds the endpoint. */
  readonly operator?: Operator | undefined;
}

/** The secret is in the clear here and never again. */
export interface AddedWebhookEndpoint {
  readonly endpoint: WebhookEndpoint;
  readonly secret: string;
}

type AddDeps = Pick<Deps, "database" | "environment" | "ids" | "secrets" | "webhookTargets">;

/**
 * Registers a URL for a merchant's webhooks. Refuses INVALID_INPUT for a URL that no webhook may go to, a URL that
 * the operator disabled, an empty list of events or one endpoint too many. Refuses NOT_FOUND for an unknown merchant.
 */
export async function addWebhookEndpoint(
  deps: AddDeps,
  command: AddWebhookEndpoint,
): Promise<AddedWebhookEndpoint> {
  const { merchantId } = command;
  const url = readWebhookTarget(deps.webhookTargets, command.url);
  const eventTypes = [...new Set(command.eventTypes ?? DOCUMENTED_EVENT_TYPES)];
  if (eventTypes.length === 0) {
    throw new Refusal("INVALID_INPUT", { message: "Name at least one event type." });
  }
  const id = deps.ids.uuid();
  const secret = formatWebhookSecret(deps.ids.bytes(WEBHOOK_SECRET_BYTES));
  const place = webhookSecretPlace({ merchantId, endpointId: id });
  const secretSealed = deps.secrets.seal(secret, place);
  const operator = command.operator && requireOperator(deps, command.operator);
  const added = { id, merchantId, url, eventTypes, secretSealed };
  const endpoint = await insert(deps, added, operator);
  return { endpoint, secret };
}

function insert(
  deps: AddDeps,
  endpoint: NewWebhookEndpoint,
  operator: Operator | undefined,
): Promise<WebhookEndpoint> {
  const { merchantId, url } = endpoint;
  return deps.database.transaction(async (tx) => {
    if (!(await lockMerchantEndpoints(tx, merchantId))) {
      throw new Refusal("NOT_FOUND", { message: "There is no such merchant." });
    }
    const others = await listWebhookEndpoints(tx, merchantId);
    if (others.length >= WEBHOOK_LIMITS.endpointsMax) {
      throw new Refusal("INVALID_INPUT", {
        message: `A merchant has at most ${WEBHOOK_LIMITS.endpointsMax} webhook endpoints. Remove one first.`,
      });
    }
    const by = !operator || isOfMerchant(operator) ? "merchant" : "operator";
    if (by === "merchant") await requireOpenUrl(tx, endpoint);
    const added = await insertWebhookEndpoint(tx, endpoint);
    const detail = `${by}: ${url}`;
    await recordEndpointLog(tx, { merchantId, endpointId: added.id, what: "added", detail });
    if (operator) {
      await logControl(tx, {
        operator,
        action: "add_webhook_endpoint",
        subject: added.id,
        details: { client: merchantId },
        before: null,
        after: { url, eventTypes: added.eventTypes },
      });
    }
    return added;
  });
}
