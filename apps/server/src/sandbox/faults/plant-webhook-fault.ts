import type { WebhookEventType, WebhookFaultKind } from "@exchange/contract";
import type { Deps } from "../../flows/deps.ts";
import { Refusal } from "../../flows/refusal.ts";
import { requireWebhookEndpoint } from "../../flows/webhooks/require-endpoint.ts";
import {
  clearWebhookFaults as clear,
  insertWebhookFault,
  listWebhookFaults as list,
  type WebhookFault,
} from "./store.ts";

export type { WebhookFault } from "./store.ts";

export interface PlantWebhookFault {
  readonly merchantId: string;
  readonly kind: WebhookFaultKind;
  readonly endpointId?: string | undefined;
  readonly eventType?: WebhookEventType | undefined;
  /** The number of deliveries to hit; 1 by default. */
  readonly deliveries?: number | undefined;
  /** For `delay` and `reorder` only; 5 by default. */
  readonly delaySeconds?: number | undefined;
}

const DELAY_SECONDS_DEFAULT = 5;
/** The most faults of one merchant that may wait for deliveries. */
const FAULTS_MAX = 100;

/**
 * Plants a fault into a merchant's next webhooks. Refuses NOT_FOUND for another merchant's endpoint, and
 * INVALID_INPUT for a delay of a fault that has none and for one fault too many.
 */
export async function plantWebhookFault(
  deps: Pick<Deps, "database" | "ids">,
  command: PlantWebhookFault,
): Promise<WebhookFault> {
  const { merchantId, kind, endpointId, eventType, deliveries = 1 } = command;
  const delays = kind === "delay" || kind === "reorder";
  if (!delays && command.delaySeconds !== undefined) {
    throw new Refusal("INVALID_INPUT", {
      message: "delaySeconds is accepted for the faults delay and reorder only.",
      details: [{ field: "delaySeconds", issue: `is not accepted for ${kind}` }],
    });
  }
  if (endpointId !== undefined) {
    await requireWebhookEndpoint(deps.database, { merchantId, endpointId });
  }
  if ((await list(deps.database, merchantId)).length >= FAULTS_MAX) {
    throw new Refusal("INVALID_INPUT", {
      message: `At most ${FAULTS_MAX} faults may wait at a time. Clear them first.`,
    });
  }
  const fault = await insertWebhookFault(deps.database, {
    merchantId,
    id: deps.ids.uuid(),
    kind,
    endpointId: endpointId ?? null,
    eventType: eventType ?? null,
    delaySeconds: delays ? (command.delaySeconds ?? DELAY_SECONDS_DEFAULT) : null,
    deliveriesLeft: deliveries,
  });
  if (!fault) throw new Error("an insert returned no row");
  return fault;
}

/** Returns the faults with deliveries left to hit, oldest first. */
export const listWebhookFaults = (
  deps: Pick<Deps, "database">,
  merchantId: string,
): Promise<WebhookFault[]> => list(deps.database, merchantId);

export const clearWebhookFaults = (
  deps: Pick<Deps, "database">,
  merchantId: string,
): Promise<void> => clear(deps.database, merchantId);
