import { ENDPOINTS, type OrdersQuery, PAGE_LIMIT_DEFAULT } from "@exchange/contract";
import type { Deps } from "../../flows/deps.ts";
import { listOrders, type OrderFilter, type OrderPosition } from "../../flows/orders/list.ts";
import { decodeCursor, encodeCursor } from "../cursor.ts";
import type { Register } from "../registrar.ts";
import { list, toOperation } from "../wire.ts";
import { presentOrder } from "./present.ts";

export function registerOrderList(register: Register, deps: Deps): void {
  register(ENDPOINTS.listOrders, async ({ caller, query }) => {
    const filter = toFilter(caller.merchant.id, query);
    const { items, last } = await listOrders(deps, filter, query.limit ?? PAGE_LIMIT_DEFAULT);
    const catalogue = deps.catalogue();
    return list(
      items.map((view) => presentOrder(view, catalogue)),
      last && encodeCursor("orders", [last.createdAtMicros, last.id]),
    );
  });
}

const toFilter = (merchantId: string, query: OrdersQuery): OrderFilter => ({
  merchantId,
  status: query.status,
  operation: query.operationType && toOperation(query.operationType),
  sessionId: query.sessionId,
  createdFrom: query.createdFrom,
  createdTo: query.createdTo,
  after: query.cursor === undefined ? undefined : toPosition(query.cursor),
});

function toPosition(cursor: string): OrderPosition {
  const [createdAtMicros, id = 0n] = decodeCursor("orders", cursor);
  return { createdAtMicros, id };
}
