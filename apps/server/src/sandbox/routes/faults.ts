import { ENDPOINTS, type WebhookFault as WebhookFaultData } from "@exchange/contract";
import type { Deps } from "../../flows/deps.ts";
import type { Register } from "../../http/registrar.ts";
import { ok, toUnixSeconds } from "../../http/wire.ts";
import {
  clearWebhookFaults,
  listWebhookFaults,
  plantWebhookFault,
  type WebhookFault,
} from "../faults/plant-webhook-fault.ts";

/** Registers the endpoints that plant faults into a merchant's webhooks. */
export function registerWebhookFaults(register: Register, deps: Deps): void {
  register(ENDPOINTS.plantWebhookFault, async ({ caller, body }) => {
    const { fault: kind, ...where } = body;
    const merchantId = caller.merchant.id;
    return ok(presentFault(await plantWebhookFault(deps, { merchantId, kind, ...where })));
  });
  register(ENDPOINTS.listWebhookFaults, async ({ caller }) =>
    ok((await listWebhookFaults(deps, caller.merchant.id)).map(presentFault)),
  );
  register(ENDPOINTS.clearWebhookFaults, async ({ caller }) => {
    await clearWebhookFaults(deps, caller.merchant.id);
    return null;
  });
}

const presentFault = (fault: WebhookFault): WebhookFaultData => ({
  id: fault.id,
  fault: fault.kind,
  endpointId: fault.endpointId,
  eventType: fault.eventType,
  delaySeconds: fault.delaySeconds,
  deliveriesLeft: fault.deliveriesLeft,
  createdAt: toUnixSeconds(fault.createdAt),
});
