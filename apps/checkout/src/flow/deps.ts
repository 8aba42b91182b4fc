import type { CheckoutApi } from "../api/calls.ts";
import type { Store } from "../machine/store.ts";

/** What the flows need of the page they run in. */
export interface Page {
  now(): number;
  isVisible(): boolean;
  /** Runs when the page is seen again after it was hidden. */
  onVisible(run: () => void): void;
}

export interface FlowDeps {
  readonly store: Store;
  readonly api: CheckoutApi;
  readonly page: Page;
}

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
