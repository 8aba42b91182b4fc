import type { OrderStatus } from "../../domain/orders/status.ts";
import type { Deps } from "../../flows/deps.ts";
import { type OrderKey, type OrderView, readOrder } from "../../flows/orders/read.ts";
import { Refusal } from "../../flows/refusal.ts";
import { hurryJobs } from "../../storage/jobs/jobs.ts";

const LOOK_AGAIN_MS = 60;
/** A card payment takes a second, on a busy machine several; nothing is waited for any longer. */
const PATIENCE_MS = 15_000;

/**
 * Looks at an order until the condition holds, and makes its jobs look at the world meanwhile. Gives
 * the order as it is then; undefined when that takes too long.
 */
export async function watchOrder(
  deps: Deps,
  key: OrderKey,
  watch: {
    readonly until: (view: OrderView) => boolean | Promise<boolean>;
    readonly patienceMs?: number;
  },
): Promise<OrderView | undefined> {
  const endsAt = performance.now() + (watch.patienceMs ?? PATIENCE_MS);
  for (;;) {
    const view = await readOrder(deps, key);
    if (await watch.until(view)) return view;
    if (performance.now() >= endsAt) return undefined;
    await hurryJobs(deps.database, key.orderId);
    deps.wakeJobs();
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}

/** The same, where its end is certain unless the order went elsewhere. */
export async function requireStatus(
  deps: Deps,
  key: OrderKey,
  statuses: readonly OrderStatus[],
): Promise<void> {
  const until = ({ order }: OrderView): boolean => statuses.includes(order.status);
  if (!(await watchOrder(deps, key, { until }))) throw await tookTooLong(deps, key);
}

/** The world was played and the order did not follow, such as a payout that waits for an approval. */
export async function tookTooLong(deps: Deps, key: OrderKey): Promise<Refusal> {
  const { order } = await readOrder(deps, key);
  const why = order.statusReason === null ? "" : ` (${order.statusReason})`;
  return new Refusal("INVALID_ORDER_STATE", {
    message: `The order did not get there in time: it is ${order.status}${why}.`,
  });
}
