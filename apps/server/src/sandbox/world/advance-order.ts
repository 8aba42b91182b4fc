import type { OrderView } from "../../domain/orders/view.ts";
import { publicReason } from "../../flows/orders/event-payload.ts";
import { type OrderKey, readOrder } from "../../flows/orders/read.ts";
import { Refusal } from "../../flows/refusal.ts";
import { statement } from "../../storage/postgres/database.ts";
import type { SandboxDeps } from "../deps.ts";
import { type OrderPosition, positionOf } from "./order-position.ts";
import { planAdvance, reachableStatuses } from "./plan-advance.ts";
import { runStep } from "./run-step.ts";
import type { Target } from "./script.ts";
import { tookTooLong, watchOrder } from "./watch-order.ts";

export type AdvanceOrder = OrderKey & {
  readonly target: Target;
  /** The time that the order may take to follow after the last step. */
  readonly patienceMs?: number;
};

/**
 * Moves an order to its next status by simulating customers, banks, chains and operators. Only the flows
 * that these use write to the order. Returns the order once it reached the status, even if it went on.
 * An order goes on by itself, so a status that its timeline shows after the last one that was asked for
 * is reached already. The order is then returned as it is.
 *
 * Refuses NOT_FOUND, PROVIDER_UNAVAILABLE, and INVALID_ORDER_STATE with the statuses that the order can
 * reach.
 */
export async function advanceOrder(deps: SandboxDeps, command: AdvanceOrder): Promise<OrderView> {
  const { target, patienceMs, ...key } = command;
  // Read first, so that the order's timeline is not older.
  const followed = await readFollowed(deps, key);
  const before = await readOrder(deps, key);
  const passed = followed === undefined ? undefined : itemsUpTo(before, target, followed);
  if (passed !== undefined) {
    await keepFollowed(deps, key, passed);
    return before;
  }
  const position = positionOf(deps, before);
  const steps = planAdvance(position, target);
  if (!steps) throw cannot(position, target);
  for (const step of steps) await runStep(deps, key, step);
  const itemsNow = (view: OrderView) => itemsUpTo(view, target, before.timeline.length);
  const until = (view: OrderView): boolean => itemsNow(view) !== undefined;
  const reached = await watchOrder(deps, key, { until, patienceMs });
  const items = reached && itemsNow(reached);
  if (!reached || items === undefined) throw await tookTooLong(deps, key);
  await keepFollowed(deps, key, items);
  return reached;
}

/** Counts the items of the timeline up to the first one after `skipped` that is the target. */
function itemsUpTo(view: OrderView, target: Target, skipped: number): number | undefined {
  const index = view.timeline.findIndex(
    ({ status, statusReason }, at) =>
      at >= skipped &&
      status === target.status &&
      (target.reason === undefined || statusReason === target.reason),
  );
  return index < 0 ? undefined : index + 1;
}

const READ_FOLLOWED = statement(
  "sandbox_advances_read",
  `select timeline_items as items from sandbox.advances where merchant_id = $1 and order_id = $2`,
);

// Of two calls at once the later item counts.
const KEEP_FOLLOWED = statement(
  "sandbox_advances_keep",
  `insert into sandbox.advances as kept (merchant_id, order_id, timeline_items) values ($1, $2, $3)
   on conflict (merchant_id, order_id)
   do update set timeline_items = greatest(kept.timeline_items, excluded.timeline_items)`,
);

/** Returns the items of the timeline that earlier calls followed; undefined before the first call. */
async function readFollowed(
  { database }: SandboxDeps,
  { merchantId, orderId }: OrderKey,
): Promise<number | undefined> {
  const [row] = await database.query<{ items: number }>(READ_FOLLOWED, [merchantId, orderId]);
  return row?.items;
}

async function keepFollowed(
  { database }: SandboxDeps,
  { merchantId, orderId }: OrderKey,
  items: number,
): Promise<void> {
  await database.query(KEEP_FOLLOWED, [merchantId, orderId, items]);
}

function cannot(position: OrderPosition, target: Target): Refusal {
  const ways = reachableStatuses(position).map(({ status, reasons }) => ({
    status,
    reasons: reasons.map(publicReason),
  }));
  const why = target.reason === undefined ? "" : ` with the reason ${publicReason(target.reason)}`;
  const open = ways.map(({ status, reasons }) =>
    reasons.length === 0 ? status : `${status} (${reasons.join(", ")})`,
  );
  const next = open.length === 0 ? "It has no next status." : `It can become: ${open.join("; ")}.`;
  return new Refusal("INVALID_ORDER_STATE", {
    message: `An order that is ${position.status} cannot become ${target.status}${why}. ${next}`,
    details: ways.map(({ status, reasons }) => ({
      field: "status",
      issue: reasons.length === 0 ? status : `${status}: ${reasons.join(", ")}`,
    })),
  });
}
