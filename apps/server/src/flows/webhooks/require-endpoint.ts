import { placeOfTarget } from "../../domain/webhooks/targets.ts";
import type { Queryable, Tx } from "../../storage/postgres/database.ts";
import { listBannedUrls } from "../../storage/webhooks/banned-urls.ts";
import {
  type EndpointKey,
  findWebhookEndpoint,
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
 * Refuses INVALID_INPUT for a merchant's URL that leads to the place of an endpoint which the operator disabled. Otherwise a
 * merchant that was taken over would register the URL again.
 */
export async function requireOpenUrl(
  tx: Tx,
  target: { readonly merchantId: string; readonly url: string },
): Promise<void> {
  if (!(await isBanned(tx, target))) return;
  const why = "belongs to an endpoint that the operator disabled";
  throw new Refusal("INVALID_INPUT", {
    message: `The URL ${why}. Use another URL, or ask the operator to enable the endpoint.`,
    details: [{ field: "url", issue: why }],
  });
}

/**
 * Whether the operator disabled an endpoint at the place of this URL, even if it was moved or removed since. The ban ends
 * once the operator adds an endpoint there.
 */
async function isBanned(
  tx: Tx,
  { merchantId, url }: { readonly merchantId: string; readonly url: string },
): Promise<boolean> {
  const place = placeOfTarget(url);
  const host = new URL(url).hostname.replace(/\.+$/, "");
  const listed = await listBannedUrls(tx, { merchantId, part: `://${host}` });
  const there = listed.filter((one) => {
    if (!URL.canParse(one.url)) return false;
    // A query after the path shows that the path is complete.
    if (!one.isCut || one.url.includes("?")) return placeOfTarget(one.url) === place;
    return place.startsWith(placeOfTarget(one.url.replace(/(?:%[\da-f]{0,2})+$/i, "")));
  });
  return there.some(
    (ban) =>
      !ban.isAllowed && !there.some(({ isAllowed, number }) => isAllowed && number > ban.number),
  );
}

/** Reads one endpoint of a merchant, without its secret. */
export const readWebhookEndpoint = (
  deps: Pick<Deps, "database">,
  key: EndpointKey,
): Promise<WebhookEndpoint> => requireWebhookEndpoint(deps.database, key);
