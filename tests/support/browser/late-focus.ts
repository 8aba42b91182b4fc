import type { BrowserContext, Page } from "playwright-core";

/**
 * Notes each dialog and each heading for the focus that reaches the page before it has the focus. Observers run right after the code
 * that changed the page, and before anybody can type. Otherwise an effect after paint could take the focus from a field in which somebody
 * is already typing.
 */
const WATCH = `
  window.lateFocus = [];
  window.focusCount = 0;
  new MutationObserver((changes) => {
    for (const added of changes.flatMap((change) => [...change.addedNodes])) {
      if (!(added instanceof Element)) continue;
      for (const part of [added, ...added.querySelectorAll("dialog, h1[tabindex]")]) {
        if (!part.matches("dialog, h1[tabindex]") || !part.isConnected) continue;
        window.focusCount += 1;
        const isInTime = part.matches("dialog") ? part.open : document.activeElement === part;
        if (!isInTime) window.lateFocus.push(part.outerHTML.slice(0, 80));
      }
    }
  }).observe(document, { childList: true, subtree: true });
`;

export const watchFocus = (context: BrowserContext): Promise<unknown> =>
  context.addInitScript(WATCH);

/** Returns how many dialogs and headings were seen, and those that had no focus. */
export const focusSeen = (page: Page): Promise<{ count: number; late: string[] }> =>
  page.evaluate("({ count: window.focusCount, late: window.lateFocus })");
