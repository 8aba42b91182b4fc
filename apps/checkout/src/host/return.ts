import {
  type CheckoutOpening,
  type CheckoutSnapshot,
  type CloseReason,
  RETURN_PARAMETERS,
} from "@exchange/contract/frame";
import type { HostChannel } from "./channel.ts";
import { readHostMessage } from "./guards.ts";
import { forgetOpening } from "./opening.ts";

type Redirect = Extract<CheckoutOpening, { mode: "redirect" }>;

/** An entry may belong to the bank's frame, which loaded a page. Its traversal fires no popstate here. */
const TRAVEL_WITHIN_MS = 1_000;

const FAILURES: readonly CloseReason[] = [
  "session_used",
  "token_expired",
  "token_invalid",
  "token_unavailable",
  "crashed",
];

/** Opens the channel of a redirect: the shop's page is gone, so it learns the outcome from the address of the way back. */
export function openReturn(view: Window, opening: Redirect): HostChannel {
  let sessionId = "";
  let order: CheckoutSnapshot | undefined;
  let isTravelling = false;
  return {
    listen(onMessage) {
      const { token, options } = opening;
      const message = readHostMessage({ type: "init", token, options });
      if (message) onMessage(message);
    },
    ready() {},
    resize() {},
    steps() {},
    event(_name, snapshot: CheckoutSnapshot) {
      sessionId ||= snapshot.sessionId;
      if (snapshot.orderId && snapshot.screen !== "used") order = snapshot;
    },
    close(reason) {
      forgetOpening(view);
      const outcome = order ? outcomeOf(order) : FAILURES.includes(reason) ? "failed" : "closed";
      const orderId = order?.orderId;
      const address = returnAddress(opening.returnUrl, { outcome, sessionId, orderId });
      // `replace` removes this page from the history: Back from the shop must not lead to a finished checkout.
      const steps = Number(view.history.state?.step ?? 0);
      if (steps === 0) return view.location.replace(address);
      // A slow device must not be sent back twice.
      if (isTravelling) return;
      isTravelling = true;
      const leave = (): void => {
        isTravelling = false;
        view.clearTimeout(timer);
        view.removeEventListener("popstate", leave);
        view.location.replace(address);
      };
      const timer = view.setTimeout(leave, TRAVEL_WITHIN_MS);
      view.addEventListener("popstate", leave);
      view.history.go(-steps);
    },
  };
}

/** A customer who left before the card was decided may still pay. */
const outcomeOf = ({ outcome }: CheckoutSnapshot): string =>
  outcome === undefined || outcome === "unpaid" ? "pending" : outcome;

interface Return {
  readonly outcome: string;
  readonly sessionId: string;
  readonly orderId: number | undefined;
}

function returnAddress(returnUrl: string, { outcome, sessionId, orderId }: Return): string {
  const address = new URL(returnUrl);
  const parameters = address.searchParams;
  for (const name of Object.values(RETURN_PARAMETERS)) parameters.delete(name);
  parameters.set(RETURN_PARAMETERS.outcome, outcome);
  if (sessionId) parameters.set(RETURN_PARAMETERS.session, sessionId);
  if (orderId) parameters.set(RETURN_PARAMETERS.order, String(orderId));
  return address.href;
}
