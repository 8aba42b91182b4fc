import type { OrderView } from "../../domain/orders/view.ts";
import { publicReason } from "../../flows/orders/event-payload.ts";
import { type OrderKey, readOrder } from "../../flows/orders/read.ts";
import { Refusal } from "../../flows/refusal.ts";
import type { SandboxDeps } from "../deps.ts";
import { type OrderPosition, positionOf } from "./order-position.ts";
import { planAdvance, waysOn } from "./plan-advance.ts";
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
 *
 * Refuses NOT_FOUND, PROVIDER_UNAVAILABLE, and INVALID_ORDER_STATE with the statuses that the order can
 * reach.
 */
export async function advanceOrder(deps: SandboxDeps, command: AdvanceOrder): Promise<OrderView> {
  const { target, patienceMs, ...key } = command;
  const before = await readOrder(deps, key);
  const position = positionOf(deps, before);
  const steps = planAdvance(position, target);
  if (!steps) throw cannot(position, target);
  for (const step of steps) await runStep(deps, key, step);
  const wasThere = ({ timeline }: OrderView): boolean =>
    timeline
      .slice(before.timeline.length)
      .some(
        ({ status, statusReason }) =>
          status === target.status &&
          (target.reason === undefined || statusReason === target.reason),
      );
  const reached = await watchOrder(deps, key, { until: wasThere, patienceMs });
  if (!reached) throw await tookTooLong(deps, key);
  return reached;
}

function cannot(position: OrderPosition, target: Target): Refusal {
  const ways = waysOn(position).map(({ status, reasons }) => ({
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
