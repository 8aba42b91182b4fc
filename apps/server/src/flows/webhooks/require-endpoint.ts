import type { Queryable, Tx } from "../../storage/postgres/database.ts";
import {
  type EndpointKey,
  findWebhookEndpoint,
  isDisabledByOperator,
  type WebhookEndpoint,
} from "../../storage/webhooks/endpoints.ts";
import type { Deps } from "../deps.ts";
import { Refusal } from "../refusal.ts";

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a text may be compared with a column of UUIDs. */
export const isUuid = (text: string): boolean => UUID.test(text);

export const noSuchEndpoint = (): Refusal =>
  new Refusal("NOT_FOUND", { message: "The merchant has no such webhook endpoint." });

/** Reads the merchant's endpoint. Refuses NOT_FOUND, also for one of another merchant. */
export async function requireWebhookEndpoint(
  queryable: Queryable,
  key: EndpointKey,
): Promise<WebhookEndpoint> {
  const found = isUuid(key.endpointId) && (await findWebhookEndpoint(queryable, key));
  if (!found) throw noSuchEndpoint();
  return found;
}

/**
 * Refuses INVALID_INPUT for a merchant's URL whose endpoint the operator disabled. Otherwise a merchant that was
 * taken over would register the URL again.
 */
export async function requireOpenUrl(
  tx: Tx,
  target: { readonly merchantId: string; readonly url: string },
): Promise<void> {
  if (!(await isDisabledByOperator(tx, target))) return;
  const why = "belongs to an endpoint that the operator disabled";
  throw new Refusal("INVALID_INPUT", {
    message: `The URL ${why}. Use another URL, or ask the operator to enable the endpoint.`,
    details: [{ field: "url", issue: why }],
  });
}

/** Reads one endpoint of a merchant, without its secret. */
export const readWebhookEndpoint = (
  deps: Pick<Deps, "database">,
  key: EndpointKey,
): Promise<WebhookEndpoint> => requireWebhookEndpoint(deps.database, key);
