import type { FlowDeps } from "./deps.ts";

/** Ends the order when the customer has confirmed it; the order says what became of it. */
export function followCancelling(deps: FlowDeps): void {
  deps.store.subscribe(({ next, previous }) => {
    const { stage } = next;
    if (stage.kind !== "ordered" || stage.cancelling !== "cancelling") return;
    if (previous.stage.kind === "ordered" && previous.stage.cancelling === "cancelling") return;
    void cancel(deps, stage.order.orderId);
  });
}

async function cancel({ api, store }: FlowDeps, orderId: number): Promise<void> {
  const answer = await api.cancelOrder(orderId);
  // A lost answer or a refusal: the order may have ended or may have been paid meanwhile.
  const order = answer.ok ? answer : await api.readOrder(orderId);
  if (order.ok) store.dispatch({ type: "orderRead", order: order.data });
  store.dispatch({ type: "cancelFailed" });
}
