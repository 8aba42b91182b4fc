import { ENDPOINTS } from "@exchange/contract";
import type { Deps } from "../../flows/deps.ts";
import { addWebhookEndpoint } from "../../flows/webhooks/add-endpoint.ts";
import { changeWebhookEndpoint } from "../../flows/webhooks/change-endpoint.ts";
import { listWebhookEndpoints } from "../../flows/webhooks/list-endpoints.ts";
import { removeWebhookEndpoint } from "../../flows/webhooks/remove-endpoint.ts";
import { readWebhookEndpoint } from "../../flows/webhooks/require-endpoint.ts";
import { rotateWebhookSecret } from "../../flows/webhooks/rotate-secret.ts";
import { sendTestWebhook } from "../../flows/webhooks/send-test.ts";
import type { MerchantCaller } from "../auth/caller.ts";
import type { Register } from "../registrar.ts";
import { list, ok } from "../wire.ts";
import { presentDelivery, presentEndpoint, presentWithSecret } from "./present.ts";

/** Registers the calls for a merchant's webhook endpoints. */
export function registerWebhookEndpoints(register: Register, deps: Deps): void {
  register(ENDPOINTS.createWebhookEndpoint, async ({ caller, body, deps: joined }) =>
    ok(
      presentWithSecret(
        await addWebhookEndpoint(joined, { merchantId: caller.merchant.id, ...body }),
      ),
    ),
  );
  register(ENDPOINTS.listWebhookEndpoints, async ({ caller }) => {
    const endpoints = await listWebhookEndpoints(deps, { merchantId: caller.merchant.id });
    return list(endpoints.map(presentEndpoint), undefined);
  });
  register(ENDPOINTS.readWebhookEndpoint, async ({ caller, params }) =>
    ok(presentEndpoint(await readWebhookEndpoint(deps, keyOf(caller, params)))),
  );
  register(ENDPOINTS.changeWebhookEndpoint, async ({ caller, params, body }) => {
    const { url, eventTypes, enabled, previousSecretUntil } = body;
    const endpoint = await changeWebhookEndpoint(deps, {
      ...keyOf(caller, params),
      by: "merchant",
      url,
      eventTypes,
      enabled,
      endOverlap: previousSecretUntil === null ? true : undefined,
    });
    return ok(presentEndpoint(endpoint));
  });
  register(ENDPOINTS.removeWebhookEndpoint, async ({ caller, params }) => {
    await removeWebhookEndpoint(deps, keyOf(caller, params));
    return null;
  });
  register(ENDPOINTS.rotateWebhookSecret, async ({ caller, params, body, deps: joined }) =>
    ok(presentWithSecret(await rotateWebhookSecret(joined, { ...keyOf(caller, params), ...body }))),
  );
  register(ENDPOINTS.testWebhookEndpoint, async ({ caller, params, body, deps: joined }) =>
    ok(presentDelivery(await sendTestWebhook(joined, { ...keyOf(caller, params), ...body }))),
  );
}

const keyOf = ({ merchant }: MerchantCaller, params: { readonly endpointId: string }) => ({
  merchantId: merchant.id,
  endpointId: params.endpointId.toLowerCase(),
});
