import type { CloseReason } from "@exchange/contract/frame";
import type { HostChannel } from "../host/channel.ts";
import { asksFirst, stepBack } from "../machine/back.ts";
import type { CheckoutState } from "../machine/state.ts";
import type { Store } from "../machine/store.ts";
import type { DraftStorage } from "./draft-storage.ts";

const HOLD_WHILE_SUBMITTING_MS = 10_000;

/** Leaving the checkout. Every way out (button, Esc, back, host) goes through here. */
export interface Exit {
  /** Whether a page of the shop can close the checkout. Nobody closes an order's own page, which Back leaves. */
  readonly hasHost: boolean;
  /** The checkout is over, though its page may still be here for a moment. */
  readonly isClosed: boolean;
  ask(reason: CloseReason): void;
  /** The browser's Back: one step back, and out of the checkout from its first step. */
  back(): void;
  /** The customer confirmed. */
  confirm(): void;
  stay(): void;
}

/**
 * Closes at once, asks the customer first if there is a reason, or waits while an order is being placed or paid.
 */
export function createExit(
  store: Store,
  channel: HostChannel | undefined,
  draft: Pick<DraftStorage, "write">,
): Exit {
  let requested: CloseReason = "user";
  let isClosed = false;
  let holding: ReturnType<typeof setTimeout> | undefined;
  const stay = (): void => store.dispatch({ area: "exit", type: "exitDeclined" });
  const close = (): void => {
    clearTimeout(holding);
    isClosed = true;
    draft.write(undefined);
    channel?.close(endReason(store.read(), requested));
  };
  const finish = (): void => {
    close();
    // The page may stay, and its dialog has no way out.
    stay();
  };
  store.subscribe(({ next }) => {
    if (next.exit === "finishing" && !isSubmitting(next)) finish();
  });
  const ask = (reason: CloseReason): void => {
    requested = reason;
    // The page is still here: a customer may have stopped the browser on its way to the shop.
    isClosed = false;
    const state = store.read();
    if (state.exit === "finishing") return;
    if (isOnItsWay(state)) {
      store.dispatch({ area: "exit", type: "exitRequested", exit: "finishing" });
      holding = setTimeout(finish, HOLD_WHILE_SUBMITTING_MS);
    } else if (asksFirst(state)) {
      store.dispatch({ area: "exit", type: "exitRequested", exit: "confirm" });
    } else {
      close();
    }
  };
  const back = (): void => {
    const state = store.read();
    if (state.exit === "confirm") return stay();
    // An order on its way is not left by accident. Its screen shows how it ends.
    if (isOnItsWay(state)) return;
    const event = stepBack(state.stage);
    if (event) store.dispatch(event);
    else ask("back");
  };
  return {
    hasHost: channel !== undefined,
    get isClosed() {
      return isClosed;
    },
    ask,
    back,
    confirm: close,
    stay,
  };
}

const isSubmitting = ({ stage }: CheckoutState): boolean =>
  (stage.kind === "choosing" || stage.kind === "ordered") && stage.submission !== "none";

/** Whether an answer is about to come. After a lost answer to a payment nobody knows when the service can be reached. */
const isOnItsWay = (state: CheckoutState): boolean =>
  isSubmitting(state) && !(state.stage.kind === "ordered" && state.stage.submission === "unknown");

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
