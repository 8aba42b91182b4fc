import type { HostMessage } from "@exchange/contract/frame";
import { directionOf } from "@exchange/ui/languages";
import { render } from "preact";
import { App } from "./app.tsx";
import { startCheckout } from "./checkout.ts";
import { startSpeaking } from "./copy/choice.ts";
import { onSpeech, spokenLocale } from "./copy/speech.ts";
import { openDraftStorage } from "./flow/draft-storage.ts";
import { fetchLater } from "./flow/later.ts";
import { createExit, type Exit } from "./flow/leave.ts";
import { type HostChannel, reportHeight } from "./host/channel.ts";
import { findHost } from "./host/find-host.ts";
import { readOperator } from "./host/opening.ts";
import { eventsOf, snapshotOf } from "./host/report.ts";
import { stepBack } from "./machine/back.ts";
import { createStore, type Store } from "./machine/store.ts";

const memory = memoryOf(window);
const draft = openDraftStorage(memory);
onSpeech(setPageLanguage);
void startSpeaking({ languages: navigator.languages, memory });
void open();

async function open(): Promise<void> {
  const store = createStore();
  syncLocale(store);
  // The secret of an order's own page, which opens the checkout without a shop's page around it.
  const token = /^\/o\/([\w-]+)$/.exec(location.pathname)?.[1];
  if (token) {
    // Its first screen is one of the later ones.
    void fetchLater();
    const exit = createExit(store, undefined, draft);
    show(store, { exit, hosted: false });
    keepPlace(store, { exit, report: undefined });
    return startCheckout(window, store, { token, options: {}, draft });
  }
  const host = await findHost(window);
  if (host.kind === "missing") {
    show(store, { exit: createExit(store, undefined, draft), hosted: false });
    return store.dispatch({ area: "checkout", type: "stopped", reason: host.reason });
  }
  const { channel, isDialog, refusal } = host;
  const exit = createExit(store, channel, draft);
  show(store, { exit, hosted: true });
  report(store, channel);
  // The page around a frame has the history of both.
  keepPlace(store, { exit, report: window.parent === window ? undefined : channel.steps });
  listenForEscape(store, isDialog ? exit : undefined);
  channel.listen(createMessageHandler(store, exit));
  if (!refusal) return;
  // The console of this frame is a part of the page's.
  console.error(`exchange: ${refusal.hint ?? refusal.code}`);
  store.dispatch({ area: "checkout", type: "stopped", reason: refusal.code });
}

/** Browsers use it to read the page aloud, to hyphenate and to lay it out. */
function setPageLanguage(locale: string): void {
  document.documentElement.lang = locale;
  document.documentElement.dir = directionOf(locale);
}

/** Keeps the state in the locale of the loaded texts. */
function syncLocale(store: Store): void {
  const sync = (): void =>
    store.dispatch({ area: "checkout", type: "localeChanged", locale: spokenLocale() });
  onSpeech(sync);
  store.subscribe(sync);
}

/** A browser that blocks the storage of frames throws as soon as the property is read. */
function memoryOf(view: Window): Storage | undefined {
  try {
    return view.sessionStorage;
  } catch {
    return undefined;
  }
}

/** There is nothing to go back to before the first screen is shown. */
function keepPlace(
  store: Store,
  place: { readonly exit: Exit; readonly report: ((steps: number) => void) | undefined },
): void {
  const stop = store.subscribe(({ next: { stage } }) => {
    if (stage.kind === "booting") return;
    stop();
    fetchLater().then(
      (later) => later.keepPlace({ ...place, view: window, store, draft }),
      // Without the file there is no second step.
      () => undefined,
    );
  });
}

function createMessageHandler(store: Store, exit: Exit): (message: HostMessage) => void {
  let isStarted = false;
  return (message) => {
    switch (message.type) {
      case "init":
        // A page that may not show the checkout has stopped it, and its token is not used.
        if (!isStarted && store.read().stage.kind === "booting") {
          startCheckout(window, store, { ...message, draft });
        }
        isStarted = true;
        return;
      case "init-failed":
        return store.dispatch({ area: "checkout", type: "stopped", reason: "token_unavailable" });
      case "close-request":
        return message.by === "back" ? exit.back() : exit.ask(message.by);
    }
  };
}

function show(store: Store, actions: { readonly exit: Exit; readonly hosted: boolean }): void {
  const root = document.getElementById("checkout");
  if (!root) return;
  root.replaceChildren();
  render(<App store={store} {...actions} operator={readOperator(window)} />, root);
}

/** Reports to the host: once that the checkout is ready, then each event, and the height. */
function report(store: Store, channel: HostChannel): void {
  // The title belongs to the screen only after the screen is drawn.
  const ready = () => setTimeout(() => reportReady(channel), 0);
  let reportedLocale = spokenLocale();
  onSpeech((locale) => {
    if (locale !== reportedLocale && store.read().stage.kind !== "booting") ready();
    reportedLocale = locale;
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

function reportReady(channel: HostChannel): void {
  const locale = spokenLocale();
  channel.ready(document.title, locale, directionOf(locale));
}

/** Esc in a frame never reaches the host page, so it is handled here. It closes a dialog only. */
function listenForEscape(store: Store, exit: Exit | undefined): void {
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.isComposing || event.defaultPrevented) return;
    const { stage, exit: leaving } = store.read();
    if (leaving !== "none") return;
    const isPicker = stage.kind === "choosing" && stage.screen === "currency";
    const back = isPicker && stepBack(stage);
    if (back) return store.dispatch(back);
    if (!exit) return;
    // Otherwise the browser closes the dialog that asks, in the same press.
    event.preventDefault();
    exit.ask("escape");
  });
}
