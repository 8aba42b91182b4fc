import {
  listWebhookEndpoints as list,
  type WebhookEndpoint,
} from "../../storage/webhooks/endpoints.ts";
import type { Deps } from "../deps.ts";

export type { WebhookEndpoint } from "../../storage/webhooks/endpoints.ts";

/** Lists a merchant's endpoints, active and disabled, oldest first, without their secrets. */
export const listWebhookEndpoints = (
  deps: Pick<Deps, "database">,
  question: { readonly merchantId: string },
): Promise<WebhookEndpoint[]> => list(deps.database, question.merchantId);
