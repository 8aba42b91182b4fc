import type { CloseReason } from "@exchange/contract/frame";
import type { HostChannel } from "../host/channel.ts";
import type { CheckoutState } from "../machine/state.ts";
import type { Store } from "../machine/store.ts";

const HOLD_WHILE_SUBMITTING_MS = 10_000;

/** Leaving the checkout. Every way out (button, Esc, back, host) goes through here. */
export interface Exit {
  ask(reason: CloseReason): void;
  /** The customer confirmed. */
  confirm(): void;
  stay(): void;
}

/**
 * Closes at once, asks the customer first if typed data would be lost, or waits while an order is being
 * placed or paid.
 */
export function createExit(store: Store, channel: HostChannel | undefined): Exit {
  let requested: CloseReason = "user";
  const close = (): void => channel?.close(endReason(store.read(), requested));
  store.subscribe(({ next }) => {
    if (next.exit === "finishing" && !isSubmitting(next)) close();
  });
  return {
    ask(reason) {
      requested = reason;
      const state = store.read();
      if (state.exit === "finishing") return;
      if (isSubmitting(state)) {
        store.dispatch({ area: "exit", type: "exitRequested", exit: "finishing" });
        setTimeout(close, HOLD_WHILE_SUBMITTING_MS);
      } else if (losesTypedData(state)) {
        store.dispatch({ area: "exit", type: "exitRequested", exit: "confirm" });
      } else {
        close();
      }
    },
    confirm: close,
    stay: () => store.dispatch({ area: "exit", type: "exitDeclined" }),
  };
}

const isSubmitting = ({ stage }: CheckoutState): boolean =>
  (stage.kind === "choosing" || stage.kind === "ordered") && stage.submission !== "none";

/** Typed data is lost only before an order exists, and not on the first screen. */
export const losesTypedData = ({ stage }: CheckoutState): boolean =>
  stage.kind === "choosing" &&
  stage.edited &&
  stage.screen !== "amount" &&
  stage.screen !== "currency";

/** An ended checkout reports why it ended, however it was closed. */
function endReason({ stage }: CheckoutState, requested: CloseReason): CloseReason {
  if (stage.kind === "used") return "session_used";
  if (stage.kind === "ordered" && stage.order.status === "completed") return "completed";
  if (stage.kind !== "stopped") return requested;
  switch (stage.reason) {
    case "token_expired":
    case "token_invalid":
    case "token_unavailable":
    case "unknown_client":
    case "origin_not_allowed":
    case "session_used":
      return stage.reason;
    default:
      return requested;
  }
}
