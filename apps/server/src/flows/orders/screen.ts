import type { LeasedJob } from "../../storage/jobs/jobs.ts";
import { findOrder } from "../../storage/orders/orders.ts";
import type { Deps } from "../deps.ts";

/** Asks the screener about an order's customer and address; clear where nothing screens. */
export async function screenOrder(deps: Deps, job: LeasedJob): Promise<"clear" | "hit"> {
  if (!deps.screener) return "clear";
  const order = await findOrder(deps.database, job.orderId);
  if (!order) throw new Error(`order ${job.orderId} is missing`);
  const { walletAddress, networkCode, customer } = order;
  return deps.screener.screen({ address: walletAddress, networkCode, customer });
}
