import { decide } from "../domain/orders/machine.ts";
import type { OrderView } from "../storage/order-views.ts";
import { lockOrder } from "../storage/orders.ts";
import type { Deps } from "./deps.ts";
import { carryOutMove } from "./move-order.ts";
import { readOrder } from "./read-order.ts";
import { Refusal } from "./refusal.ts";

export interface CancelOrder {
  readonly merchantId: string;
  readonly sessionId?: string;
  readonly orderId: bigint;
  readonly actor: "customer" | "merchant" | "operator";
}

/** Ends an order that is not paid. Refuses NOT_FOUND and INVALID_ORDER_STATE. */
export async function cancelOrder(deps: Deps, command: CancelOrder): Promise<OrderView> {
  await readOrder(deps, command);
  await deps.database.transaction(async (tx) => {
    const order = await lockOrder(tx, command.orderId);
    if (!order) throw new Refusal("NOT_FOUND");
    const event = { kind: "cancelled", by: command.actor } as const;
    const move = decide(order, event, order.lockedAt);
    if (!move) {
      throw new Refusal("INVALID_ORDER_STATE", {
        message: `An order that is ${order.status} cannot be cancelled.`,
      });
    }
    await carryOutMove(tx, deps, { order, move });
  });
  deps.wakeWebhooks();
  return readOrder(deps, command);
}
