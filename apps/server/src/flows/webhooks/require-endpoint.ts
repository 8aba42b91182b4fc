import type { Queryable } from "../../storage/postgres/database.ts";
import {
  type EndpointKey,
  findWebhookEndpoint,
  type WebhookEndpoint,
} from "../../storage/webhooks/endpoints.ts";
import type { Deps } from "../deps.ts";
import { Refusal } from "../refusal.ts";

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a text may be asked for in a column of UUIDs. */
export const isUuid = (text: string): boolean => UUID.test(text);

export const noSuchEndpoint = (): Refusal =>
  new Refusal("NOT_FOUND", { message: "The merchant has no such webhook endpoint." });

/** The merchant's endpoint. Refuses NOT_FOUND, for one of another merchant as well. */
export async function requireWebhookEndpoint(
  queryable: Queryable,
  key: EndpointKey,
): Promise<WebhookEndpoint> {
  const found = isUuid(key.endpointId) && (await findWebhookEndpoint(queryable, key));
  if (!found) throw noSuchEndpoint();
  return found;
}

/** One endpoint of a merchant, without its secret. */
export const readWebhookEndpoint = (
  deps: Pick<Deps, "database">,
  key: EndpointKey,
): Promise<WebhookEndpoint> => requireWebhookEndpoint(deps.database, key);
