import { type Outgoing, PAGE_LIMIT_DEFAULT } from "@exchange/contract";
import { ADMIN_ENDPOINTS, type LoggedRequest } from "@exchange/contract/admin";
import {
  type LoggedRequest as RequestRow,
  searchRequests,
} from "../../flows/merchants/request-log.ts";
import { decodeCursor, encodeCursor } from "../cursor.ts";
import { list, toUnixSeconds } from "../wire.ts";
import { ownMerchant } from "./callers.ts";
import { type ExportColumns, exportList, timeText } from "./export-list.ts";
import type { AdminDeps, AdminHandler, RegisterAdmin } from "./registrar.ts";

const LIST = "admin_requests";

/** The request log of the caller's merchant. */
export function registerRequests(register: RegisterAdmin, deps: AdminDeps): void {
  const listRequests: AdminHandler<typeof ADMIN_ENDPOINTS.listRequests> = async ({
    caller,
    query,
  }) => {
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
  };
  register(ADMIN_ENDPOINTS.listRequests, listRequests);
  register(ADMIN_ENDPOINTS.exportRequests, (call) =>
    exportList("requests", REQUEST_COLUMNS, (pages) =>
      listRequests({ ...call, query: { ...call.query, ...pages } }),
    ),
  );
}

const REQUEST_COLUMNS: ExportColumns<Outgoing<LoggedRequest>> = {
  request: ({ requestId }) => requestId,
  time: ({ at }) => timeText(at),
  method: ({ method }) => method,
  path: ({ path }) => path,
  status: ({ status }) => status,
  code: ({ code }) => code,
  reason: ({ reason }) => reason,
  key: ({ keyId }) => keyId,
  order: ({ orderId }) => orderId,
  milliseconds: ({ milliseconds }) => milliseconds,
};

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
