import { hasEnded, mayChange } from "../machine/orders.ts";
import type { Ordered } from "../machine/state.ts";
import type { FlowDeps } from "./deps.ts";

const POLL_FIRST_MS = 400;
const POLL_SLOWEST_MS = 3_000;
/** What a bank or a person takes days for is asked about less often. */
const POLL_PATIENT_MS = 10_000;
const POLL_GROWTH = 1.4;

/**
 * Reads the order again and again until it has ended: quickly after each change, then slower, and
 * not at all while nobody is looking.
 */
export function followOrder(deps: FlowDeps): void {
  const { store, api, page } = deps;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let waitMs = POLL_FIRST_MS;
  let reading = false;

  const schedule = (): void => {
    clearTimeout(timer);
    if (reading || !isFollowing(store.read().stage) || !page.isVisible()) return;
    timer = setTimeout(() => void read(), waitMs);
    waitMs = Math.min(waitMs * POLL_GROWTH, slowest(store.read().stage));
  };

  const read = async (): Promise<void> => {
    const { stage } = store.read();
    if (!isFollowing(stage)) return;
    reading = true;
    const answer = await api.readOrder(stage.order.orderId);
    reading = false;
    if (answer.ok) {
      store.dispatch({ type: "orderRead", order: answer.data });
    } else if (answer.problem.kind === "refused" && answer.problem.status === 401) {
      store.dispatch({ type: "connectionChanged", connection: "timed_out" });
    } else {
      store.dispatch({ type: "connectionChanged", connection: "lost" });
    }
    schedule();
  };

  store.subscribe(({ next, previous }) => {
    if (!isFollowing(next.stage)) return;
    const before = previous.stage.kind === "ordered" ? previous.stage : undefined;
    if (before?.order.status === next.stage.order.status && before.paying === next.stage.paying) {
      return;
    }
    waitMs = POLL_FIRST_MS;
    schedule();
  });
  page.onVisible(() => {
    waitMs = POLL_FIRST_MS;
    schedule();
  });
}

const isFollowing = (stage: { readonly kind: string }): stage is Ordered => {
  if (stage.kind !== "ordered") return false;
  const { order, paying, connection } = stage as Ordered;
  return paying === "idle" && connection !== "timed_out" && mayChange(order);
};

function slowest(stage: { readonly kind: string }): number {
  if (!isFollowing(stage)) return POLL_SLOWEST_MS;
  const { status, payment } = stage.order;
  const takesLong = status === "in_review" || hasEnded(stage.order);
  const byBank = payment.type === "bank_transfer" && status === "awaiting_payment";
  return takesLong || byBank ? POLL_PATIENT_MS : POLL_SLOWEST_MS;
}
