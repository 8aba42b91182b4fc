import type { CheckoutOptions } from "@exchange/contract/frame";
import { checkoutApi } from "./api/calls.ts";
import { createCaller } from "./api/client.ts";
import { createStreamer } from "./api/stream.ts";
import { applyMerchantColour, applyTheme } from "./appearance/theme.ts";
import { boot } from "./flow/boot.ts";
import { followCancelling } from "./flow/cancel-order.ts";
import { followWallet } from "./flow/check-wallet.ts";
import type { FlowDeps, Page } from "./flow/deps.ts";
import { followOrder } from "./flow/follow-order.ts";
import { followPayoutCard } from "./flow/keep-card.ts";
import { followRefundAddress } from "./flow/keep-refund-address.ts";
import { followQuotes } from "./flow/live-quote.ts";
import { followPaying } from "./flow/pay-order.ts";
import { followPlacing } from "./flow/place-order.ts";
import { seeOrder } from "./flow/see-order.ts";
import { followOperation } from "./flow/switch-operation.ts";
import type { Store } from "./machine/store.ts";

/** What runs once the host has sent a token. */
export interface RunningCheckout {
  refreshQuote(): void;
  retryBoot(): void;
  seeOrder(orderId: number): void;
}

interface Start {
  readonly token: string;
  readonly options: CheckoutOptions;
}

/** Starts the flows with the token and opens the first screen. The token goes nowhere else. */
export function startCheckout(view: Window, store: Store, start: Start): RunningCheckout {
  const { options } = start;
  applyTheme(view.document.documentElement, options.theme);
  const send = namingMerchant(view);
  const api = checkoutApi(createCaller(start.token, send), createStreamer(start.token, send));
  const deps: FlowDeps = { store, api, page: pageOf(view) };
  applyColourOnce(view, store);
  const quotes = followQuotes(deps);
  followOperation(deps);
  followWallet(deps);
  followPayoutCard(deps);
  followPlacing(deps);
  followPaying(deps);
  followOrder(deps);
  followCancelling(deps);
  followRefundAddress(deps);
  const retryBoot = (): void => {
    const { stage } = store.read();
    if (stage.kind !== "booting" || stage.notice !== "unreachable") return;
    store.dispatch({ type: "bootRetried" });
    void boot(deps, options);
  };
  deps.page.on("online", retryBoot);
  void boot(deps, options);
  return {
    refreshQuote: quotes.refresh,
    retryBoot,
    seeOrder: (orderId) => void seeOrder(deps, orderId),
  };
}

function applyColourOnce(view: Window, store: Store): void {
  const stop = store.subscribe(({ next: { stage } }) => {
    const session =
      stage.kind === "choosing"
        ? stage.world.session
        : stage.kind === "ordered" || stage.kind === "used"
          ? stage.session
          : undefined;
    if (!session) return;
    stop();
    applyMerchantColour(view, session.merchant.primaryColor);
  });
}

const pageOf = (view: Window): Page => {
  const { document } = view;
  return {
    now: () => Date.now(),
    isVisible: () => document.visibilityState === "visible",
    on(change, run) {
      if (change === "online" || change === "offline") return view.addEventListener(change, run);
      document.addEventListener("visibilitychange", () => {
        if (document.visibilityState === change) run();
      });
    },
  };
};

/** Every call says on whose pages this is shown: with a token of another merchant it is refused. */
function namingMerchant(view: Window): typeof fetch {
  const clientId = new URLSearchParams(view.location.search).get("clientId") ?? "";
  return (address, init) => {
    const headers = new Headers(init?.headers);
    headers.set("x-client-id", clientId);
    return view.fetch(address, { ...init, headers });
  };
}
