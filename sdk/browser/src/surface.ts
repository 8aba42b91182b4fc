import type { CloseReason, CloseRequestBy } from "@exchange/contract/frame";
import type { PanelTexts } from "./panel-texts.ts";

/** The owner of a surface. It receives the customer's actions on the surface. */
export interface SurfaceHost {
  readonly words: PanelTexts;
  /** The CSS color-scheme. */
  readonly colours: string;
  readonly instance: string;
  /** The element of the page that shows the checkout, in place of a dialog. */
  readonly place: Element | undefined;
  /** Whether the Back button may close the checkout. */
  readonly holdsBack: boolean;
  /** The customer asks to close; the checkout may ask for confirmation. */
  ask(by: CloseRequestBy): void;
  /** Leaves the page for the checkout as soon as the token is there. */
  leavePage(): void;
  /** The frame has loaded a page, which may be an error of the browser. */
  frameLoaded(): void;
  /** The checkout has ended. */
  end(reason: CloseReason): void;
}

/** The place that shows the checkout: a modal or a part of the page, or a window of its own. */
export interface Surface extends Partial<FrameView> {
  /** The checkout's window. In a modal, each load has another window. */
  window(): Window | null | undefined;
  isGone(): boolean;
  focus(): void;
  remove(): void;
}

/** Functions that a window does not have. */
export interface FrameView {
  loadFrame(): void;
  /** Shows an error, with a button that tries again. */
  fail(message: string, button: string, onAgain: () => void): void;
  /** Reveals the checkout. It takes the focus from the panel, and not from another field of the page. */
  showFrame(): void;
  resizeFrame(height: number): void;
  rename(title: string): void;
  /** Makes the Back button go back this many steps before it closes the checkout, where that button is held. */
  holdSteps: ((steps: number) => void) | undefined;
}
