import type { OrderStatus } from "../../domain/orders/status.ts";
import type { OrderView } from "../../domain/orders/view.ts";
import type { Deps } from "../../flows/deps.ts";
import { type OrderKey, readOrder } from "../../flows/orders/read.ts";
import { Refusal } from "../../flows/refusal.ts";
import { hurryJobs } from "../../storage/jobs/jobs.ts";

const LOOK_AGAIN_MS = 60;
/** The longest wait. A card payment takes a second, on a busy machine several. */
const PATIENCE_MS = 15_000;

/**
 * Reads an order until the condition holds, and hurries its jobs meanwhile. Returns the order then, or
 * undefined when that takes too long.
 */
export async function watchOrder(
  deps: Deps,
  key: OrderKey,
  watch: {
    readonly until: (view: OrderView) => boolean | Promise<boolean>;
    readonly patienceMs?: number | undefined;
  },
): Promise<OrderView | undefined> {
  const endsAt = performance.now() + (watch.patienceMs ?? PATIENCE_MS);
  for (;;) {
    const view = await readOrder(deps, key);
    if (await watch.until(view)) return view;
    if (performance.now() >= endsAt) return undefined;
    await deps.database.transaction((tx) => hurryJobs(tx, key.orderId));
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}

/** Waits for one of the statuses. Refuses INVALID_ORDER_STATE when the order does not reach it in time. */
export async function requireStatus(
  deps: Deps,
  key: OrderKey,
  statuses: readonly OrderStatus[],
): Promise<void> {
  const until = ({ order }: OrderView): boolean => statuses.includes(order.status);
  if (!(await watchOrder(deps, key, { until }))) throw await tookTooLong(deps, key);
}

/** The refusal when all steps ran and the order did not follow, such as a payout that needs an approval. */
export async function tookTooLong(deps: Deps, key: OrderKey): Promise<Refusal> {
  const { order } = await readOrder(deps, key);
  const why = order.statusReason === null ? "" : ` (${order.statusReason})`;
  return new Refusal("INVALID_ORDER_STATE", {
    message: `The order did not reach the status in time. It is ${order.status}${why}.`,
  });
}
