import { writesOfExcess } from "../../domain/orders/transitions.ts";
import type { OrderView } from "../../domain/orders/view.ts";
import type { Deps } from "../deps.ts";
import { isSettled, newExcessRefunds } from "../payouts/owe.ts";
import { Refusal } from "../refusal.ts";
import { advanceOrder } from "./advance.ts";
import { checkRefundAddress, type RefundAddress } from "./check-destination.ts";
import { heldOf, readMoney } from "./held-money.ts";
import { type OrderKey, readOrder } from "./read.ts";
import { stepOfWrites } from "./step-of.ts";

/**
 * Records the refund address of the customer's coins, and returns the money that waited for it.
 * Refuses NOT_FOUND, INVALID_INPUT, the address errors, and INVALID_ORDER_STATE while coins are on
 * their way to another address.
 */
export async function tellRefundAddress(
  deps: Deps,
  command: OrderKey & { readonly to: RefundAddress },
): Promise<OrderView> {
  const { order: before } = await readOrder(deps, command);
  const currency = deps.catalogue().requireCurrency(before.spendAssetId);
  const refund =
    currency.kind === "crypto" && checkRefundAddress(deps.catalogue(), currency, command.to);
  if (!refund) {
    throw new Refusal("INVALID_INPUT", {
      message:
        "This order is not paid with coins. The money is returned to the card or account that paid.",
      details: [{ field: "refundAddress", issue: "is not used for this order" }],
    });
  }
  await advanceOrder(deps, command, async (order) => {
    if (order.status === "refund_pending" || order.status === "refunded") {
      throw new Refusal("INVALID_ORDER_STATE", { message: "The coins are on their way already." });
    }
    if (!isSettled(order)) return { refund };
    const received = await readMoney(deps.database, order.id);
    const debtor = { order: { ...order, ...refund }, intents: received.intents };
    const excess = newExcessRefunds(deps, debtor, heldOf(order, received));
    return { ...stepOfWrites(order, writesOfExcess(excess)), refund };
  });
  deps.wakeJobs();
  return readOrder(deps, command);
}
