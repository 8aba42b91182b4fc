import type { RefundAddressRequest } from "@exchange/contract";
import type { RefundDraft } from "../machine/state.ts";
import type { FlowDeps } from "./deps.ts";

/** Tells the service where coins go back to, when the customer says so after the order was placed. */
export function followRefundAddress(deps: FlowDeps): void {
  deps.store.subscribe(({ next, previous }) => {
    const { stage } = next;
    if (stage.kind !== "ordered" || stage.refund.status !== "saving") return;
    if (previous.stage.kind === "ordered" && previous.stage.refund.status === "saving") return;
    void keep(deps, stage.order.orderId, stage.refund);
  });
}

async function keep({ api, store }: FlowDeps, orderId: number, draft: RefundDraft): Promise<void> {
  const answer = await api.keepRefundAddress(orderId, requestFor(draft));
  if (answer.ok) return store.dispatch({ type: "refundKept", order: answer.data });
  const { problem } = answer;
  const wrong = problem.kind === "refused" && problem.status < 429 && problem.status !== 401;
  store.dispatch({ type: "refundFailed", fault: wrong ? "refused" : "unreachable" });
}

function requestFor({ address, memo }: RefundDraft): RefundAddressRequest {
  const refundAddress = address.replace(/\s/g, "");
  return memo.trim() === "" ? { refundAddress } : { refundAddress, refundMemo: memo.trim() };
}
