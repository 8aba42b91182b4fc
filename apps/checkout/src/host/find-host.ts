import { type CheckoutOpening, isAmongOrigins } from "@exchange/contract/frame";
import { type FrameAddress, readFrameAddress } from "./address.ts";
import { type HostChannel, openChannel } from "./channel.ts";
import { connectToHost } from "./connect.ts";
import { readOpening, recallOpening, storeOpening } from "./opening.ts";
import { openReturn } from "./return.ts";

const CLOSE_WITHIN_MS = 500;

/** The page that opened the checkout, or the reason why there is none. */
export type Host =
  | {
      readonly kind: "found";
      readonly channel: HostChannel;
      /** The checkout is a dialog over the page. It is a window, or a part of the page, otherwise. */
      readonly isDialog: boolean;
      /** The page may not show the checkout. It receives the reason only. */
      readonly refusal?: Refusal | undefined;
    }
  | { readonly kind: "missing"; readonly reason: "link_invalid" | "host_lost" };

type Refusal = Extract<CheckoutOpening, { mode: "refused" }>;

const INVALID: Host = { kind: "missing", reason: "link_invalid" };
const LOST: Host = { kind: "missing", reason: "host_lost" };

/**
 * Finds the page that opened this one and verifies it, before any message is sent. The browser
 * verifies a frame: it shows us on the merchant's origins only. A window is verified by the origins
 * that the service wrote into the page, a redirect by the service, which saw the posting page.
 */
export async function findHost(view: Window): Promise<Host> {
  const address = takeAddress(view);
  const mode = new URLSearchParams(view.location.search).get("mode");
  const opening = readOpening(view);
  const refusal = opening?.mode === "refused" ? opening : undefined;
  if (view.parent !== view) {
    if (!address || !["modal", "inline"].includes(mode ?? "")) return INVALID;
    return connect(view, view.parent, address, refusal);
  }
  if (mode === "redirect") return findReturn(view, opening);
  if (mode !== "popup" || !address) return INVALID;
  const isVerified =
    opening?.mode === "popup" && isAmongOrigins(opening.origins, address.hostOrigin);
  if (!isVerified && !refusal) return INVALID;
  // A shop's page can sever its link to the windows it opens (Cross-Origin-Opener-Policy).
  return view.opener ? connect(view, view.opener as Window, address, refusal) : LOST;
}

/**
 * Moves the instance id and the host's origin from the address, where a bookmark would copy them, to the history
 * state, where a reload finds them.
 */
function takeAddress(view: Window): FrameAddress | undefined {
  const { location, history } = view;
  const hash: string = location.hash || (history.state?.hash ?? "");
  // It also turns the reload of a page that was opened by POST into a GET. The state keeps the number of its step.
  history.replaceState({ ...history.state, hash }, "", location.pathname + location.search);
  return readFrameAddress(hash);
}

async function connect(
  view: Window,
  host: Window,
  address: FrameAddress,
  refusal: Refusal | undefined,
): Promise<Host> {
  const port = await connectToHost({ own: view, host }, address);
  if (!port) return LOST;
  const channel = openChannel(port);
  if (view.parent !== view) {
    const isDialog = !/mode=inline/.test(view.location.search);
    return { kind: "found", channel, isDialog, refusal };
  }
  const close: HostChannel["close"] = (reason) => {
    channel.close(reason);
    // The shop's page closes this window. If that page is gone, the window closes itself.
    view.setTimeout(() => view.close(), CLOSE_WITHIN_MS);
  };
  return { kind: "found", channel: { ...channel, close }, isDialog: false, refusal };
}

function findReturn(view: Window, posted: CheckoutOpening | undefined): Host {
  if (posted) storeOpening(view, posted);
  const opening = posted ?? recallOpening(view);
  if (opening?.mode !== "redirect") return INVALID;
  return { kind: "found", channel: openReturn(view, opening), isDialog: false };
}
