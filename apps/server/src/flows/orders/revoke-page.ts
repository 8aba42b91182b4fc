import type { Operator } from "../../domain/operators/operator.ts";
import type { OrderView } from "../../domain/orders/view.ts";
import { logControl } from "../../storage/audit/control-log.ts";
import { revokeOrderPage } from "../../storage/orders/pages.ts";
import type { Deps } from "../deps.ts";
import { requireOperator } from "../operators/require-operator.ts";
import { type OrderKey, readOrder, requireOwnOrder } from "./read.ts";

export interface RevokeOrderPage extends OrderKey {
  /** The person at the command line. Absent when the merchant revokes the page. */
  readonly operator?: Operator | undefined;
}

/**
 * Ends the page of an order for its customer. When it returns, every call with the page's secret is refused. The
 * order goes on. Refuses NOT_FOUND.
 */
export async function revokePage(
  deps: Pick<Deps, "database" | "environment">,
  command: RevokeOrderPage,
): Promise<OrderView> {
  const operator = command.operator && requireOperator(deps, command.operator);
  const { orderId } = command;
  await requireOwnOrder(deps, command);
  await deps.database.transaction(async (tx) => {
    const isNew = await revokeOrderPage(tx, orderId);
    if (!operator || !isNew) return;
    await logControl(tx, {
      operator,
      action: "revoke_order_page",
      subject: String(orderId),
      before: { page: "open" },
      after: { page: "revoked" },
    });
  });
  return readOrder(deps, command);
}
