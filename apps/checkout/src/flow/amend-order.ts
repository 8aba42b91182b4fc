import type { RefundAddressRequest } from "@exchange/contract";
import type { FlowDeps } from "./deps.ts";

/** Cancels the order. The order itself says whether that worked. */
export async function cancelOrder({ api, store }: FlowDeps, orderId: number): Promise<void> {
  const answer = await api.cancelOrder(orderId);
  // After a lost answer or a refusal: the order may have ended or may have been paid meanwhile.
  const result = answer.ok ? answer : await api.readOrder(orderId);
  const order = result.ok ? result.data : undefined;
  store.dispatch({ area: "cancellation", type: "cancelAnswered", order });
}

interface RefundAddress {
  readonly orderId: number;
  readonly request: RefundAddressRequest;
}

/** Saves the address for returned coins of an order that exists. */
export async function saveRefundAddress(
  { api, store }: FlowDeps,
  { orderId, request }: RefundAddress,
): Promise<void> {
  const answer = await api.saveRefundAddress(orderId, request);
  if (answer.ok) {
    return store.dispatch({ area: "refund", type: "refundAddressSaved", order: answer.data });
  }
  const { problem } = answer;
  const isWrong = problem.kind === "refused" && problem.status < 429 && problem.status !== 401;
  const fault = isWrong ? "refused" : "unreachable";
  store.dispatch({ area: "refund", type: "refundFailed", fault });
}
