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
  /** How many deliveries it hits; 1 when undefined. */
  readonly deliveries?: number | undefined;
  /** Of `delay` and `reorder` only; 5 when undefined. */
  readonly delaySeconds?: number | undefined;
}

const DELAY_SECONDS_DEFAULT = 5;
/** Faults of one merchant that have something left to hit. */
const FAULTS_MAX = 100;

/**
 * Makes a merchant's next webhooks go wrong on purpose. Refuses NOT_FOUND for another's endpoint, and
 * INVALID_INPUT for a delay where none belongs and one fault too many.
 */
export async function plantWebhookFault(
  deps: Pick<Deps, "database" | "ids">,
  command: PlantWebhookFault,
): Promise<WebhookFault> {
  const { merchantId, kind, endpointId, eventType, deliveries = 1 } = command;
  const delays = kind === "delay" || kind === "reorder";
  if (!delays && command.delaySeconds !== undefined) {
    throw new Refusal("INVALID_INPUT", {
      message: "delaySeconds belongs to the faults delay and reorder.",
      details: [{ path: "body.delaySeconds", issue: `has no meaning for ${kind}` }],
    });
  }
  if (endpointId !== undefined) {
    await requireWebhookEndpoint(deps.database, { merchantId, endpointId });
  }
  if ((await list(deps.database, merchantId)).length >= FAULTS_MAX) {
    throw new Refusal("INVALID_INPUT", {
      message: `At most ${FAULTS_MAX} faults wait at a time. Clear them first.`,
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

/** The faults that have something left to hit, oldest first. */
export const listWebhookFaults = (
  deps: Pick<Deps, "database">,
  merchantId: string,
): Promise<WebhookFault[]> => list(deps.database, merchantId);

export const clearWebhookFaults = (
  deps: Pick<Deps, "database">,
  merchantId: string,
): Promise<void> => clear(deps.database, merchantId);
