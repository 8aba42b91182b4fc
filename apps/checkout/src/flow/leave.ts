import type { CloseReason } from "@exchange/contract/frame";
import type { HostChannel } from "../host/channel.ts";
import type { CheckoutState } from "../machine/state.ts";
import type { Store } from "../machine/store.ts";

const HOLD_WHILE_PLACING_MS = 10_000;

/** Leaving the checkout. Every way out (button, Esc, back, host) asks here. */
export interface Exit {
  ask(reason: CloseReason): void;
  /** The customer confirmed. */
  confirm(): void;
  stay(): void;
}

/**
 * Closes at once, asks back when typed data would be lost, or waits while an order is being placed.
 */
export function createExit(store: Store, channel: HostChannel | undefined): Exit {
  let asked: CloseReason = "user";
  const close = (): void => channel?.close(endReason(store.read(), asked));
  store.subscribe(({ next }) => {
    if (next.exit === "finishing" && !isSubmitting(next)) close();
  });
  return {
    ask(reason) {
      asked = reason;
      const state = store.read();
      if (state.exit === "finishing") return;
      if (isSubmitting(state)) {
        store.dispatch({ type: "exitAsked", confirm: "finishing" });
        setTimeout(close, HOLD_WHILE_PLACING_MS);
      } else if (losesTypedData(state)) {
        store.dispatch({ type: "exitAsked", confirm: "confirm" });
      } else {
        close();
      }
    },
    confirm: close,
    stay: () => store.dispatch({ type: "exitDeclined" }),
  };
}

const isSubmitting = ({ stage }: CheckoutState): boolean =>
  (stage.kind === "choosing" && stage.placing !== "idle") ||
  (stage.kind === "ordered" && stage.paying !== "idle");

/** Only between the first typed data and the order, and never on the first screen. */
export const losesTypedData = ({ stage }: CheckoutState): boolean =>
  stage.kind === "choosing" &&
  stage.typed &&
  stage.screen !== "amount" &&
  stage.screen !== "currency";

/** An ended checkout says why it ended, however it was closed. */
function endReason({ stage }: CheckoutState, asked: CloseReason): CloseReason {
  if (stage.kind === "used") return "session_used";
  if (stage.kind === "ordered" && stage.order.status === "completed") return "completed";
  if (stage.kind !== "stopped") return asked;
  switch (stage.reason) {
    case "token_expired":
    case "token_invalid":
    case "token_unavailable":
    case "session_used":
      return stage.reason;
    default:
      return asked;
  }
}
