import { decide } from "../../domain/orders/machine.ts";
import type { HoldReason } from "../../domain/orders/status.ts";
import { type LockedOrder, lockOrder } from "../../storage/orders/orders.ts";
import type { OrderView } from "../../storage/orders/views.ts";
import { listPayoutIntents } from "../../storage/payouts/intents.ts";
import type { Tx } from "../../storage/postgres/database.ts";
import type { Deps } from "../deps.ts";
import { Refusal } from "../refusal.ts";
import { carryOutMove } from "./move.ts";
import { readOrder } from "./read.ts";

export interface HoldOrder {
  readonly merchantId: string;
  readonly orderId: bigint;
  readonly reason: HoldReason;
}

/**
 * An operator stops an order for a while. One whose payout may have left cannot be stopped any more.
 * Refuses NOT_FOUND and INVALID_ORDER_STATE.
 */
export async function holdOrder(deps: Deps, command: HoldOrder): Promise<OrderView> {
  await readOrder(deps, command);
  await deps.database.transaction(async (tx) => {
    const order = await lockOrder(tx, command.orderId);
    if (!order) throw new Refusal("NOT_FOUND");
    const intents = await listPayoutIntents(tx, order.id);
    const isSigned = intents.some(
      ({ state, releasedAt }) => state !== "void" && releasedAt !== null,
    );
    const held =
      !isSigned && (await holdLocked(tx, deps, { order, reason: command.reason, by: "operator" }));
    if (held) return;
    throw new Refusal("INVALID_ORDER_STATE", {
      message: isSigned
        ? "The payout of this order may have left already."
        : `An order that is ${order.status} cannot be held.`,
    });
  });
  deps.wakeWebhooks();
  return readOrder(deps, command);
}

/** Holds an order that is locked already; false when its status does not allow it. */
export async function holdLocked(
  tx: Tx,
  deps: Deps,
  hold: {
    readonly order: LockedOrder;
    readonly reason: HoldReason;
    readonly by: "operator" | "system";
  },
): Promise<boolean> {
  const { order, reason, by } = hold;
  const move = decide(order, { kind: "held", reason, by }, order.lockedAt);
  if (move) await carryOutMove(tx, deps, { order, move });
  return move !== undefined;
}
