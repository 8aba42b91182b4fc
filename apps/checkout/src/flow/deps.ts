import type { CheckoutSession } from "@exchange/contract";
import type { CheckoutApi } from "../api/calls.ts";
import type { PageEvent } from "../machine/events.ts";
import type { Choosing } from "../machine/state.ts";
import type { Store } from "../machine/store.ts";
import type { SavedChoices } from "./draft.ts";

/** The page that the flows run in. */
export interface Page {
  now(): number;
  isVisible(): boolean;
  on(change: PageEvent["type"], run: () => void): void;
}

export interface FlowDeps {
  readonly store: Store;
  readonly api: CheckoutApi;
  readonly page: Page;
  /** Returns what this window stored for the session before it was loaded again. */
  readonly readDraft: (session: CheckoutSession) => Promise<SavedChoices | undefined>;
}

export const choosingIn = ({ store }: FlowDeps): Choosing | undefined => {
  const { stage } = store.read();
  return stage.kind === "choosing" ? stage : undefined;
};

/** Waits, or ends early when the signal aborts. */
export const pause = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    if (signal?.aborted) end();
    else signal?.addEventListener("abort", end);
  });
