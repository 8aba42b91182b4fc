import type { HostMessage } from "@exchange/contract/frame";
import { render } from "preact";
import { App } from "./app.tsx";
import { applyLanguage, writingOf } from "./appearance/language.ts";
import { type RunningCheckout, startCheckout } from "./checkout.ts";
import { startSpeaking } from "./copy/choice.ts";
import { onSpeech, spokenLocale } from "./copy/speech.ts";
import { createExit, type Exit } from "./flow/leave.ts";
import type { HostChannel } from "./host/channel.ts";
import { findHost } from "./host/find-host.ts";
import { reportHeight } from "./host/height.ts";
import { eventsOf, snapshotOf } from "./host/report.ts";
import { createStore, type Store } from "./machine/store.ts";

onSpeech((locale) => applyLanguage(document.documentElement, locale));
void startSpeaking({ languages: navigator.languages, memory: memoryOf(window) });
void open();

async function open(): Promise<void> {
  const store = createStore();
  keepLocale(store);
  const host = await findHost(window);
  if (host.kind === "missing") {
    show(store, createExit(store, undefined), { hosted: false });
    return store.dispatch({ type: "stopped", reason: host.reason });
  }
  const { channel, isFrame } = host;
  const exit = createExit(store, channel);
  const running: { current?: RunningCheckout } = {};
  show(store, exit, { hosted: true, running });
  report(store, channel);
  listenForEscape(store, isFrame ? exit : undefined);
  channel.listen((message) => obey(message, { store, exit, running }));
}

/** What is on the screen is in one locale, whenever it came. */
function keepLocale(store: Store): void {
  const tell = (): void => store.dispatch({ type: "localeChanged", locale: spokenLocale() });
  onSpeech(tell);
  store.subscribe(tell);
}

/** A browser that blocks what frames keep throws already when it is asked for. */
function memoryOf(view: Window): Storage | undefined {
  try {
    return view.sessionStorage;
  } catch {
    return undefined;
  }
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
  // After the screen is drawn, when the title is its own.
  const ready = () => setTimeout(() => sayReady(channel), 0);
  let told = spokenLocale();
  onSpeech((locale) => {
    if (locale !== told && store.read().stage.kind !== "booting") ready();
    told = locale;
  });
  store.subscribe((change) => {
    const { stage } = change.next;
    if (change.previous.stage.kind === "booting" && stage.kind !== "booting") ready();
    for (const name of eventsOf(change)) {
      const code = name === "error" && stage.kind === "stopped" ? stage.reason : undefined;
      channel.event(name, snapshotOf(change.next), code);
    }
  });
  const content = document.getElementById("checkout");
  if (content) reportHeight(content, channel);
}

function sayReady(channel: HostChannel): void {
  const locale = spokenLocale();
  channel.ready(document.title, locale, writingOf(locale));
}

/** Esc never reaches the host page from a frame, so it is answered here. It closes no window. */
function listenForEscape(store: Store, exit: Exit | undefined): void {
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.isComposing || event.defaultPrevented) return;
    const { stage, exit: leaving } = store.read();
    if (leaving !== "none") return;
    if (stage.kind === "choosing" && stage.screen === "currency") {
      return store.dispatch({ type: "wentBack" });
    }
    exit?.ask("escape");
  });
}
