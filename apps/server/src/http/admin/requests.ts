import { type Outgoing, PAGE_LIMIT_DEFAULT } from "@exchange/contract";
import { ADMIN_ENDPOINTS, type LoggedRequest } from "@exchange/contract/admin";
import {
  type LoggedRequest as RequestRow,
  searchRequests,
} from "../../flows/merchants/request-log.ts";
import { decodeCursor, encodeCursor } from "../cursor.ts";
import { list, toUnixSeconds } from "../wire.ts";
import { ownMerchant } from "./callers.ts";
import type { AdminDeps, RegisterAdmin } from "./registrar.ts";

const LIST = "admin_requests";

/** The log of requests of the merchant of the person who calls. */
export function registerRequests(register: RegisterAdmin, deps: AdminDeps): void {
  register(ADMIN_ENDPOINTS.listRequests, async ({ caller, query }) => {
    const { cursor, limit = PAGE_LIMIT_DEFAULT, requestId, outcome } = query;
    const page = await searchRequests(deps, {
      merchantId: ownMerchant(caller),
      requestId,
      isFailed: outcome === "failed",
      olderThan: cursor === undefined ? null : decodeCursor(LIST, cursor)[0],
      limit,
    });
    const next = page.last && encodeCursor(LIST, [BigInt(page.last.id)]);
    return list(page.items.map(present), next);
  });
}

const present = (request: RequestRow): Outgoing<LoggedRequest> => ({
  requestId: request.requestId,
  at: toUnixSeconds(request.at),
  method: request.method,
  path: request.route.replace(/:(\w+)/g, "{$1}"),
  status: request.status,
  code: request.code,
  reason: request.reason,
  keyId: request.keyId,
  orderId: request.orderId === null ? null : Number(request.orderId),
  milliseconds: request.milliseconds,
});
