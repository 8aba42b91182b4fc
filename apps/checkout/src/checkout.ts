import type { CheckoutSession } from "@exchange/contract";
import type { CheckoutOptions } from "@exchange/contract/frame";
import { checkoutApi } from "./api/calls.ts";
import { createCaller } from "./api/client.ts";
import type { Streamer } from "./api/stream.ts";
import { fetchedOnce } from "./fetched-once.ts";
import type { FlowDeps, Page } from "./flow/deps.ts";
import type { DraftStorage } from "./flow/draft-storage.ts";
import { createLaterQueue, fetchLater } from "./flow/later.ts";
import { connectFlows } from "./flow/run-effects.ts";
import type { Store } from "./machine/store.ts";
import { compareClock } from "./ui/clock.ts";

interface Start {
  readonly token: string;
  readonly options: CheckoutOptions;
  readonly draft: DraftStorage;
}

/** Connects the state machine to the service with the token, which goes nowhere else. */
export function startCheckout(view: Window, store: Store, start: Start): void {
  const { token, options, draft } = start;
  draft.openFor(options);
  applyTheme(view.document.documentElement, options.appearance?.mode ?? options.theme);
  // Loads beside the session, and the first screen waits for it.
  const look = fetchedOnce(() => import("./appearance/look.ts"))().then(
    ({ createLook }) => createLook(view, options.appearance),
    () => undefined,
  );
  onceInSession(store, (session) => {
    void look.then((loaded) => loaded?.apply(session.merchant));
    if (session.environment === "dev" && "expectsEarlySuccess" in options) {
      console.warn("exchange: onSuccess waits for the money. Add onPending.");
    }
  });
  const send = namingMerchant(view);
  // Only an order is followed, and its screens are in the same file.
  const stream: Streamer = async (call) => {
    try {
      const { createStreamer } = await fetchLater();
      return await createStreamer(token, send)(call);
    } catch {
      return { kind: "unreachable" };
    }
  };
  const api = checkoutApi(createCaller(token, send), stream);
  const readSession = async () => {
    const result = await api.readSession();
    const loaded = await look;
    return loaded && result.ok ? { ...result, data: loaded.dress(result.data) } : result;
  };
  const readDraft = createDraftReader(draft);
  const deps = { store, api: { ...api, readSession }, page: pageOf(view), readDraft };
  connectFlows(deps, options, createLaterQueue(deps));
  store.dispatch({ area: "checkout", type: "started" });
}

/** Only a window that was loaded again has a draft, so a first visit fetches nothing for it. */
const createDraftReader =
  (draft: DraftStorage): FlowDeps["readDraft"] =>
  async (session) => {
    try {
      const text = draft.read();
      return text ? (await fetchLater()).parseDraft(text, session) : undefined;
    } catch {
      // Without the file or with a damaged draft the customer starts again.
      return undefined;
    }
  };

/** Sets the host's theme. Without one the customer's device decides. */
function applyTheme(root: HTMLElement, theme: CheckoutOptions["theme"]): void {
  if (theme === "light" || theme === "dark") root.dataset["theme"] = theme;
  else delete root.dataset["theme"];
}

function onceInSession(store: Store, run: (session: CheckoutSession) => void): void {
  const stop = store.subscribe(({ next: { stage } }) => {
    const session =
      stage.kind === "choosing"
        ? stage.world.session
        : stage.kind === "ordered" || stage.kind === "used"
          ? stage.session
          : undefined;
    if (!session) return;
    stop();
    run(session);
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

/** Names the merchant in every call. The service refuses a token of another merchant. An order's page names none. */
function namingMerchant(view: Window): typeof fetch {
  const clientId = new URLSearchParams(view.location.search).get("clientId");
  return async (address, init) => {
    const headers = new Headers(init?.headers);
    if (clientId !== null) headers.set("x-client-id", clientId);
    const response = await view.fetch(address, { ...init, headers });
    // The session comes first, and is never from a cache.
    compareClock(response.headers.get("date"));
    return response;
  };
}
