import type { CheckoutApi } from "../api/calls.ts";
import type { Store } from "../machine/store.ts";

/** What happens to the page: it is seen or not, and the device has a network or none. */
export type PageChange = "visible" | "hidden" | "online" | "offline";

/** What the flows need of the page they run in. */
export interface Page {
  now(): number;
  isVisible(): boolean;
  on(change: PageChange, run: () => void): void;
}

export interface FlowDeps {
  readonly store: Store;
  readonly api: CheckoutApi;
  readonly page: Page;
}

/** Waits, or less long when the signal says so. */
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
