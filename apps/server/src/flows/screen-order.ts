import type { LeasedJob } from "../storage/jobs.ts";
import { findOrderView } from "../storage/order-views.ts";
import type { Deps } from "./deps.ts";

/** Asks the screener about an order's customer and address; clear where nothing screens. */
export async function screenOrder(deps: Deps, job: LeasedJob): Promise<"clear" | "hit"> {
  if (!deps.screener) return "clear";
  const view = await findOrderView(deps.database, job);
  if (!view) throw new Error(`order ${job.orderId} is missing`);
  const { walletAddress, networkCode, customer } = view.order;
  return deps.screener.screen({ address: walletAddress, networkCode, customer });
}
