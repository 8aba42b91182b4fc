import type { Surface } from "./surface.ts";

const WIDTH = 460;
const HEIGHT = 740;

/**
 * Opens a window in the middle of the page's window. Returns undefined if the browser blocks it.
 * Browsers allow it only in the click; a later attempt would show the popup blocker.
 */
export function openPopup(address: string): Surface | undefined {
  if (navigator.userActivation?.isActive === false) return undefined;
  const popup = open(
    address,
    "_blank",
    `width=${WIDTH},height=${HEIGHT},left=${screenX + (outerWidth - WIDTH) / 2},top=${screenY + (outerHeight - HEIGHT) / 2}`,
  );
  if (!popup) return undefined;
  return {
    window: () => popup,
    isGone: () => popup.closed,
    focus: () => popup.focus(),
    remove: () => popup.close(),
  };
}
