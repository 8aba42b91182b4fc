import type { Surface } from "./surface.ts";

const WIDTH = 460;
const HEIGHT = 740;

/**
 * Opens a window in the middle of the page's window. Returns undefined if the browser blocks it.
 * Browsers allow it only in the click; a later attempt would show the popup blocker.
 */
export function openPopup(address: string): Surface | undefined {
  if (navigator.userActivation?.isActive === false) return undefined;
  const left = screenX + (outerWidth - WIDTH) / 2;
  const top = screenY + (outerHeight - HEIGHT) / 2;
  const features = `popup,width=${WIDTH},height=${HEIGHT},left=${left},top=${top}`;
  const popup = open(address, "_blank", features);
  if (!popup) return undefined;
  return {
    window: () => popup,
    isGone: () => popup.closed,
    focus: () => popup.focus(),
    remove: () => popup.close(),
  };
}
