import type { RefundAddressRequest } from "@exchange/contract";
import { keepRefundAddress } from "../../storage/orders/details.ts";
import { lockOrder } from "../../storage/orders/orders.ts";
import type { OrderView } from "../../storage/orders/views.ts";
import type { Deps } from "../deps.ts";
import { Refusal } from "../refusal.ts";
import { checkRefundAddress } from "./check-destination.ts";
import { currencyOf } from "./event-payload.ts";
import { type OrderKey, readOrder } from "./read.ts";
import { returnExcess } from "./return-excess.ts";

/**
 * Keeps where the customer's coins go back to, and returns what only waited for that. Refuses
 * NOT_FOUND, INVALID_INPUT, the address errors, and INVALID_ORDER_STATE while coins are on their way
 * to another address.
 */
export async function tellRefundAddress(
  deps: Deps,
  command: OrderKey & { readonly to: RefundAddressRequest },
): Promise<OrderView> {
  const { order } = await readOrder(deps, command);
  const currency = currencyOf(deps.catalogue(), order.spendAssetId);
  const to =
    currency.kind === "crypto" && checkRefundAddress(deps.catalogue(), currency, command.to);
  if (!to) {
    throw new Refusal("INVALID_INPUT", {
      message: "This order is not paid with coins: money goes back to where it came from.",
      details: [{ field: "refundAddress", issue: "is not used for this order" }],
    });
  }
  await deps.database.transaction(async (tx) => {
    const locked = await lockOrder(tx, command.orderId);
    if (!locked) throw new Refusal("NOT_FOUND");
    if (locked.status === "refund_pending" || locked.status === "refunded") {
      throw new Refusal("INVALID_ORDER_STATE", { message: "The coins are on their way already." });
    }
    await returnExcess(tx, deps, await keepRefundAddress(tx, locked, to));
  });
  deps.wakeJobs();
  return readOrder(deps, command);
}
