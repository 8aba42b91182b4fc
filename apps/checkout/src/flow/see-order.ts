import { type FlowDeps, pause } from "./deps.ts";
import { tokenFault } from "./refusals.ts";

const ASK_AGAIN_MS = 2_000;

/** Opens the order of a session that was used, as soon as it can be read. */
export async function seeOrder({ store, api }: FlowDeps, orderId: number): Promise<void> {
  for (;;) {
    const { stage } = store.read();
    if (stage.kind !== "used") return;
    const order = await api.readOrder(orderId);
    if (order.ok) {
      const { session, locale } = stage;
      const found = { session, locale, order: order.data, reopened: true };
      return store.dispatch({ type: "orderFound", ...found });
    }
    const reason = tokenFault(order.problem);
    if (reason) return store.dispatch({ type: "stopped", reason });
    if (order.problem.kind === "refused" && order.problem.status < 429) return;
    await pause(ASK_AGAIN_MS);
  }
}
