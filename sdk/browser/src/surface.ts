import type { CloseReason, CloseRequestBy } from "@exchange/contract/frame";

/** What a surface shows the checkout for, and whom it tells of what the customer does to it. */
export interface SurfaceHost {
  readonly title: string;
  readonly theme: "auto" | "light" | "dark";
  readonly instance: string;
  /** Whether the Back button may be made to close the checkout. */
  readonly holdsBack: boolean;
  /** Somebody wants out; the checkout may ask back. */
  ask(by: CloseRequestBy): void;
  /** It is over already. */
  end(reason: CloseReason): void;
}

/** Where the checkout is seen: in a modal on the page, or in a window of its own. */
export interface Surface {
  /** The window that speaks for the checkout; in a modal another one after each load. */
  window(): Window | null | undefined;
  isGone(): boolean;
  focus(): void;
  remove(): void;
  /** What only a modal can do. */
  readonly modal?: ModalView;
}

export interface ModalView {
  load(address: string): void;
  /** Says what is wrong, with a button that does something about it. */
  fail(message: string, button: string, onAgain: () => void): void;
  /** The checkout has spoken: it is seen from now on. */
  show(): void;
  resize(height: number): void;
  rename(title: string): void;
}
