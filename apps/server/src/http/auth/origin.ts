import type { FastifyRequest } from "fastify";
import type { Deps } from "../../flows/deps.ts";
import { Refusal } from "../../flows/refusal.ts";

/**
 * Refuses browser endpoints to pages other than the checkout's own. A browser names the page's
 * origin on every cross-origin call and on every POST. A server-side client names none.
 */
export function refuseForeignOrigin(
  deps: Pick<Deps, "environment" | "publicUrl">,
  headers: FastifyRequest["headers"],
): void {
  const { origin, host } = headers;
  if (origin === undefined || origin === new URL(deps.publicUrl).origin) return;
  // A sandbox is opened by several names: localhost, 127.0.0.1, a tunnel.
  const isOwnHost = origin === `http://${host}` || origin === `https://${host}`;
  if (deps.environment !== "prod" && isOwnHost) return;
  throw new Refusal("ORIGIN_NOT_ALLOWED");
}
