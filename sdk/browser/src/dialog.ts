import { DIALOG_STYLE } from "./dialog-style.ts";

/**
 * The modal on the merchant's page: a native dialog in a shadow root, with the checkout's frame and,
 * until the frame has spoken, a small panel of our own. Styles come as a constructed sheet and by
 * CSSOM only, so that a strict policy of the page needs nothing but `frame-src`.
 */
export interface CheckoutDialog {
  readonly element: HTMLElement;
  readonly frameWindow: () => Window | null;
  loadFrame(address: string): void;
  showLoading(): void;
  showFailure(message: string): void;
  showFrame(): void;
  resize(height: number): void;
  rename(title: string): void;
  focus(): void;
}

export interface CheckoutDialogOptions {
  readonly title: string;
  readonly theme: "auto" | "light" | "dark";
  /** Escape, or the dialog was closed by the browser although it should not be. */
  readonly onEscape: (options: { forced: boolean }) => void;
  readonly onRetry: () => void;
  readonly onCloseButton: () => void;
}

const HEIGHT_MIN_PX = 320;
const HEIGHT_MAX_PX = 2000;

const COLOR_SCHEMES = { auto: "light dark", light: "light", dark: "dark" } as const;

const append = <Tag extends keyof HTMLElementTagNameMap>(parent: Node, tag: Tag) =>
  parent.appendChild(document.createElement(tag));

/** A new frame for each load: another address in the old one would add a history entry. */
function makeFrame(title: string, address: string): HTMLIFrameElement {
  const frame = document.createElement("iframe");
  frame.title = title;
  frame.allow = "payment; clipboard-write";
  frame.setAttribute(
    "sandbox",
    "allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox",
  );
  frame.src = address;
  return frame;
}

/** The dialog element itself, shown, in a shadow root of its own. */
function showModal(options: CheckoutDialogOptions, element: HTMLElement): HTMLDialogElement {
  const root = element.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(DIALOG_STYLE);
  root.adoptedStyleSheets = [sheet];
  const dialog = append(root, "dialog");
  dialog.setAttribute("closedby", "none");
  dialog.ariaLabel = options.title;
  dialog.style.colorScheme = COLOR_SCHEMES[options.theme];
  dialog.tabIndex = -1;
  // Browsers that know closedby send no cancel; the others would close the dialog after it.
  const onCancel = (event: Event): void => {
    event.preventDefault();
    options.onEscape({ forced: false });
  };
  dialog.oncancel = onCancel;
  dialog.onkeydown = (event) => {
    if (event.key === "Escape") onCancel(event);
  };
  dialog.onclose = () => options.onEscape({ forced: true });
  dialog.showModal();
  return dialog;
}

export function openDialog(options: CheckoutDialogOptions): CheckoutDialog {
  const element = append(document.body ?? document.documentElement, "div");
  element.dataset["exchange"] = "checkout";
  const dialog = showModal(options, element);
  let frame: HTMLIFrameElement | undefined;

  const panel = append(dialog, "div");
  const text = append(panel, "span");
  text.role = "status";
  const retry = append(panel, "button");
  retry.textContent = "Retry";
  retry.onclick = options.onRetry;
  const close = append(panel, "button");
  close.textContent = "Close";
  close.onclick = options.onCloseButton;

  const showPanel = (message: string, { isFailure = false } = {}): void => {
    panel.hidden = false;
    retry.hidden = !isFailure;
    text.textContent = message;
    if (frame !== undefined) frame.inert = true;
    (isFailure ? retry : dialog).focus();
  };

  return {
    element,
    frameWindow: () => frame?.contentWindow ?? null,
    loadFrame(address) {
      frame?.remove();
      frame = makeFrame(options.title, address);
      dialog.prepend(frame);
    },
    showLoading: () => showPanel("Loading checkout…"),
    showFailure: (message) => showPanel(message, { isFailure: true }),
    showFrame() {
      panel.hidden = true;
      if (frame === undefined) return;
      frame.inert = false;
      frame.focus();
    },
    resize(height) {
      const clamped = Math.min(Math.max(height, HEIGHT_MIN_PX), HEIGHT_MAX_PX);
      dialog.style.setProperty("--height", `${Math.ceil(clamped)}px`);
    },
    rename(title) {
      dialog.ariaLabel = title;
      if (frame !== undefined) frame.title = title;
    },
    focus: () => (panel.hidden ? frame : dialog)?.focus(),
  };
}
