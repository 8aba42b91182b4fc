import {
  documentedSigningString,
  type Outgoing,
  standardSigningString,
  type WebhookDelivery,
} from "@exchange/contract";
import { ADMIN_ENDPOINTS, type SpelledDelivery } from "@exchange/contract/admin";
import { addWebhookEndpoint } from "../../flows/webhooks/add-endpoint.ts";
import { changeWebhookEndpoint } from "../../flows/webhooks/change-endpoint.ts";
import { listWebhookEndpoints } from "../../flows/webhooks/list-endpoints.ts";
import { type DeliveryView, readWebhookDelivery } from "../../flows/webhooks/read-deliveries.ts";
import { removeWebhookEndpoint } from "../../flows/webhooks/remove-endpoint.ts";
import { replayWebhook } from "../../flows/webhooks/replay.ts";
import { rotateWebhookSecret } from "../../flows/webhooks/rotate-secret.ts";
import { sendTestWebhook } from "../../flows/webhooks/send-test.ts";
import { answerDeliveries, answerReplay } from "../webhooks/deliveries.ts";
import { presentDelivery, presentEndpoint, presentWithSecret } from "../webhooks/present.ts";
import { created, list, ok } from "../wire.ts";
import { type AdminCaller, ownMerchant } from "./callers.ts";
import { type ExportColumns, exportList, timeText } from "./export-list.ts";
import type { AdminDeps, RegisterAdmin } from "./registrar.ts";

/** Webhook endpoints of the merchant of the person who calls. */
export function registerMerchantWebhooks(register: RegisterAdmin, deps: AdminDeps): void {
  register(ADMIN_ENDPOINTS.listMerchantWebhooks, async ({ caller }) => {
    const endpoints = await listWebhookEndpoints(deps, { merchantId: ownMerchant(caller) });
    return list(endpoints.map(presentEndpoint), undefined);
  });
  register(ADMIN_ENDPOINTS.addMerchantWebhook, async ({ caller, body }) => {
    const command = { ...body, merchantId: ownMerchant(caller), operator: caller.by };
    const added = await addWebhookEndpoint(deps, command);
    return created(presentWithSecret(added), "The endpoint is registered.");
  });
  register(ADMIN_ENDPOINTS.changeMerchantWebhook, async ({ caller, params, body }) => {
    const { previousSecretUntil, ...changes } = body;
    const endpoint = await changeWebhookEndpoint(deps, {
      ...changes,
      ...keyOf(caller, params),
      by: caller.by,
      endOverlap: previousSecretUntil === null ? true : undefined,
    });
    return ok(presentEndpoint(endpoint));
  });
  register(ADMIN_ENDPOINTS.removeMerchantWebhook, async ({ caller, params }) => {
    await removeWebhookEndpoint(deps, { ...keyOf(caller, params), operator: caller.by });
    return null;
  });
  register(ADMIN_ENDPOINTS.rotateMerchantWebhookSecret, async ({ caller, params, body }) => {
    const key = keyOf(caller, params);
    const rotated = await rotateWebhookSecret(deps, { ...key, ...body, operator: caller.by });
    return ok(presentWithSecret(rotated));
  });
  register(ADMIN_ENDPOINTS.testMerchantWebhook, async ({ caller, params, body }) => {
    const command = { ...keyOf(caller, params), ...body, operator: caller.by };
    const sent = await sendTestWebhook(deps, command);
    return created(presentDelivery(sent), "The test is on its way.");
  });
}

const DELIVERY_COLUMNS: ExportColumns<Outgoing<WebhookDelivery>> = {
  delivery: ({ id }) => id,
  happened: ({ createdAt }) => timeText(createdAt),
  event: ({ eventType }) => eventType,
  eventId: ({ eventId }) => eventId,
  order: ({ orderId }) => orderId,
  test: ({ test }) => (test ? "yes" : "no"),
  status: ({ status }) => status,
  attempts: ({ attemptCount }) => attemptCount,
  lastAnswer: ({ attempts }) => attempts.at(-1)?.status ?? null,
  lastFault: ({ attempts }) => attempts.at(-1)?.fault ?? null,
  nextAttempt: ({ nextAttemptAt }) => nextAttemptAt && timeText(nextAttemptAt),
  endpoint: ({ endpointId }) => endpointId,
};

/** Deliveries of the merchant of the person who calls, and their replays. */
export function registerMerchantDeliveries(register: RegisterAdmin, deps: AdminDeps): void {
  register(ADMIN_ENDPOINTS.listMerchantDeliveries, ({ caller, query }) =>
    answerDeliveries(deps, ownMerchant(caller), query),
  );
  register(ADMIN_ENDPOINTS.exportMerchantDeliveries, ({ caller, query }) =>
    exportList("deliveries", DELIVERY_COLUMNS, (pages) =>
      answerDeliveries(deps, ownMerchant(caller), { ...query, ...pages }),
    ),
  );
  register(ADMIN_ENDPOINTS.readMerchantDelivery, async ({ caller, params }) => {
    const key = { merchantId: ownMerchant(caller), id: params.deliveryId };
    return ok(presentSignedDelivery(await readWebhookDelivery(deps, key)));
  });
  register(ADMIN_ENDPOINTS.replayMerchantDelivery, async ({ caller, params }) => {
    const key = { merchantId: ownMerchant(caller), id: params.deliveryId };
    return ok(presentDelivery(await replayWebhook(deps, key, caller.by)));
  });
  register(ADMIN_ENDPOINTS.replayMerchantDeliveries, ({ caller, body }) =>
    answerReplay(deps, body, { merchantId: ownMerchant(caller), operator: caller.by }),
  );
}

const keyOf = (caller: AdminCaller, { endpointId }: { readonly endpointId: string }) => ({
  merchantId: ownMerchant(caller),
  endpointId: endpointId.toLowerCase(),
});

/** Presents a delivery and the text that its signature covers. Only a request has a time, so `{timestamp}` stands for it. */
function presentSignedDelivery(delivery: DeliveryView): Outgoing<SpelledDelivery> {
  const { id: webhookId, eventType, orderId, payload: body } = delivery;
  const named = (signed: string) => signed.replace(`${webhookId}.0.`, `${webhookId}.{timestamp}.`);
  const fields = { webhookId, timestamp: 0, eventType, orderId, body };
  return {
    delivery: presentDelivery(delivery),
    body,
    signedStrings: {
      documented: named(documentedSigningString(fields)),
      standard: named(standardSigningString(fields)),
    },
  };
}
