import type { HostMessage } from "@exchange/contract/frame";
import { render } from "preact";
import { App } from "./app.tsx";
import { type RunningCheckout, startCheckout } from "./checkout.ts";
import { chooseLocale } from "./copy/locale.ts";
import { createExit, type Exit } from "./flow/leave.ts";
import { type FrameAddress, readFrameAddress } from "./host/address.ts";
import { type HostChannel, openChannel } from "./host/channel.ts";
import { connectToHost } from "./host/connect.ts";
import { reportHeight } from "./host/height.ts";
import { eventsOf, snapshotOf } from "./host/report.ts";
import { createStore, type Store } from "./machine/store.ts";

// The instance id and the host's origin are not for a bookmark or a referrer, but a reload needs them.
const hash: string = location.hash || (history.state?.hash ?? "");
history.replaceState({ hash }, "", location.pathname + location.search);
void open(readFrameAddress(hash));

async function open(found: FrameAddress | undefined): Promise<void> {
  const store = createStore();
  const host = hostWindow();
  if (!found || !host) {
    show(store, createExit(store, undefined), { hosted: false });
    return store.dispatch({ type: "stopped", reason: "link_invalid" });
  }
  const port = await connectToHost({ own: window, host }, found);
  const channel = port && openChannel(port);
  const exit = createExit(store, channel);
  const running: { current?: RunningCheckout } = {};
  show(store, exit, { hosted: channel !== undefined, running });
  if (!channel) return store.dispatch({ type: "stopped", reason: "host_lost" });
  report(store, channel);
  listenForEscape(store, exit);
  channel.listen((message) => obey(message, { store, exit, running }));
}

/** The page that opened us, as a frame or as a window; none when somebody typed our address. */
function hostWindow(): Window | undefined {
  if (window.parent !== window) return window.parent;
  return (window.opener as Window | null) ?? undefined;
}

interface Parts {
  readonly store: Store;
  readonly exit: Exit;
  readonly running: { current?: RunningCheckout };
}

function obey(message: HostMessage, { store, exit, running }: Parts): void {
  switch (message.type) {
    case "init":
      running.current ??= startCheckout(window, store, message);
      return;
    case "init-failed":
      return store.dispatch({ type: "stopped", reason: "token_unavailable" });
    case "close-request":
      return exit.ask(message.by);
  }
}

function show(
  store: Store,
  exit: Exit,
  { hosted, running }: { readonly hosted: boolean; readonly running?: Parts["running"] },
): void {
  const root = document.getElementById("checkout");
  if (!root) return;
  root.replaceChildren();
  const actions = {
    dispatch: store.dispatch,
    exit,
    hosted,
    refreshQuote: () => running?.current?.refreshQuote(),
    retryBoot: () => running?.current?.retryBoot(),
    seeOrder: (orderId: number) => running?.current?.seeOrder(orderId),
  };
  render(<App store={store} actions={actions} />, root);
}

/** Tells the host what happens: once that we are ready, then each event, and our height. */
function report(store: Store, channel: HostChannel): void {
  store.subscribe((change) => {
    const { stage } = change.next;
    if (change.previous.stage.kind === "booting" && stage.kind !== "booting") {
      // After the first screen is drawn, when the title is its own.
      setTimeout(() => channel.ready(document.title, chooseLocale(undefined)), 0);
    }
    for (const name of eventsOf(change)) channel.event(name, snapshotOf(change.next));
  });
  const content = document.getElementById("checkout");
  if (content) reportHeight(content, channel);
}

/** Esc never reaches the host page from a frame, so it is answered here. */
function listenForEscape(store: Store, exit: Exit): void {
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.isComposing || event.defaultPrevented) return;
    const { stage, exit: leaving } = store.read();
    if (leaving !== "none") return;
    if (stage.kind === "choosing" && stage.screen === "currency") {
      return store.dispatch({ type: "wentBack" });
    }
    exit.ask("escape");
  });
}
