import { holdBackButton } from "./back-button.ts";
import { append } from "./dom.ts";
import type { Surface, SurfaceHost } from "./surface.ts";

const RIGHTS = {
  allow: "camera;clipboard-read;clipboard-write",
  sandbox:
    "allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox" as unknown as DOMTokenList,
};

/**
 * Style sheet of the dialog's shadow root, on top of the browser's own for a modal dialog.
 * `!important` keeps the page's rules out of the host; system colours follow the dialog's
 * `color-scheme`. The outline is visible where the device forces its colours, which have no backdrop.
 */
const DIALOG_STYLE =
  ":host{all:initial!important;display:contents!important}" +
  "dialog,section{padding:0;border:0;outline:1px solid #0000;overflow:hidden;border-radius:16px;font:16px/1.5 system-ui;" +
  "width:min(440px,100vw - 32px,100%);height:640px;margin:auto}" +
  "dialog{max-height:88vh;margin:6vh auto}" +
  "dialog::backdrop{background:#0009}" +
  "iframe{width:100%;height:100%;border:0}" +
  "div{padding:120px 24px;text-align:center}" +
  "button{padding:8px 24px;margin:4px;border:1px solid;border-radius:16px;font:inherit}" +
  "@media(max-width:520px){dialog{min-width:100%;min-height:100%;margin:0;border-radius:0}}" +
  "@media not (prefers-reduced-motion){dialog{transition:height .2s}}";

/** Shows the dialog, or the part of the page, in a shadow root of its own. */
function showDialog(host: SurfaceHost, element: HTMLElement): HTMLDialogElement {
  element.dataset["exchange"] = "checkout";
  const root = element.attachShadow({ mode: "open" });
  adopt(root, DIALOG_STYLE);
  // Browsers with closedby send no cancel event; others would close the dialog after it.
  const onCancel = (event: Event): void => {
    event.preventDefault();
    host.ask("escape");
  };
  const dialog = append(root, host.place ? ("section" as "dialog") : "dialog", {
    ariaLabel: host.words[0],
    tabIndex: -1,
    closedBy: "none",
    oncancel: onCancel,
    // A handler that returns false would cancel every other key.
    onkeydown: (event: KeyboardEvent) => {
      if (event.key === "Escape") onCancel(event);
    },
    // If the browser closes the dialog anyway, the checkout ends.
    onclose: () => host.end("escape"),
  });
  dialog.style.colorScheme = host.colours;
  if (!host.place) dialog.showModal();
  return dialog;
}

/**
 * The modal on the merchant's page: a native dialog in a shadow root with the checkout's frame. In a
 * `container` it is a region of the page instead, and the page stays usable. A small panel of our own is shown
 * until the frame's hello and the page's token. Without an address the panel stays until the host has left the page.
 * Styles are a constructed sheet and CSSOM only, so that a strict policy of the page needs only `frame-src`.
 */
export function openModal(host: SurfaceHost, address: string): Surface {
  const focusedBefore = document.activeElement as HTMLElement | null;
  const unlockScroll = host.place ? undefined : lockScroll();
  const element = append(host.place ?? document.body ?? document.documentElement, "div");
  const dialog = showDialog(host, element);
  const panel = append(dialog, "div");
  const text = append(panel, "p", { role: "status" });
  const again = append(panel, "button");
  append(panel, "button", { textContent: host.words[2], onclick: () => host.end("user") });
  const holdSteps = address && host.holdsBack ? holdBackButton(host) : undefined;

  const showPanel = (message: string, button = "", onAgain: (() => void) | null = null): void => {
    again.onclick = onAgain;
    panel.hidden = false;
    again.hidden = !button;
    again.textContent = button;
    text.textContent = message;
    frame.hidden = true;
    (button ? again : dialog).focus();
  };

  // A new frame for each load: another address in the old one would add a history entry.
  let frame: HTMLIFrameElement;
  const load = (): void => {
    frame?.remove();
    // An empty frame loads nothing, and a panel with a button has said why the frame is not shown.
    const onload = () => address && again.hidden && host.frameLoaded();
    frame = append(dialog, "iframe", { ...RIGHTS, title: host.words[0], src: address, onload });
    showPanel(host.words[1]);
    if (!address) host.leavePage();
  };
  load();
  return {
    window: () => frame.contentWindow,
    // A page that replaces its body removes the dialog.
    isGone: () => !element.isConnected,
    focus: () => (panel.hidden ? frame : dialog).focus(),
    remove() {
      element.remove();
      unlockScroll?.();
      holdSteps?.(-1);
      focusedBefore?.focus({ preventScroll: true });
    },
    loadFrame: load,
    fail: showPanel,
    showFrame() {
      panel.hidden = true;
      frame.hidden = false;
      if (element.matches(":focus-within")) frame.focus();
    },
    resizeFrame(height) {
      dialog.style.height = `${height}px`;
    },
    rename(title) {
      dialog.ariaLabel = title;
      frame.title = title;
    },
    holdSteps,
  };
}

/** Stops the page behind the dialog from scrolling, without touching its own styles. */
function lockScroll(): () => unknown {
  // Browsers ignore the value `false`.
  const hasScrollbar = innerWidth > document.documentElement.clientWidth;
  return adopt(
    document,
    `html{overflow:hidden!important;scrollbar-gutter:${hasScrollbar && "stable"}}`,
  );
}

/** Adds a style sheet. Returns a function that removes it. */
function adopt({ adoptedStyleSheets }: DocumentOrShadowRoot, style: string): () => unknown {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  adoptedStyleSheets.push(sheet);
  // The page may have replaced its sheets meanwhile. The index is then 4294967295, and `splice` removes nothing.
  return () => adoptedStyleSheets.splice(adoptedStyleSheets.indexOf(sheet) >>> 0, 1);
}
