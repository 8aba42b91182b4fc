import type { CheckoutSession } from "@exchange/contract";
import { type CheckoutOpening, OPENING_ID, OPERATOR_ID } from "@exchange/contract/frame";
import { isFields, TOKEN_CHARACTERS_MAX, text } from "./guards.ts";

const ADDRESS_CHARACTERS_MAX = 2048;
const STORAGE_KEY = "exchange.redirect";

/** Reads how this page was opened from the element that the service wrote into it, if there is one. */
export function readOpening(view: Window): CheckoutOpening | undefined {
  const element = view.document.getElementById(OPENING_ID);
  const opening = parseOpening(element?.textContent ?? "");
  // The element may hold the token, which is needed only once.
  element?.remove();
  return opening;
}

/** Returns the operator that the service wrote into the page, if it named one. */
export function readOperator({ document }: Window): CheckoutSession["operator"] {
  const json = document.getElementById(OPERATOR_ID)?.textContent;
  return json ? JSON.parse(json) : undefined;
}

/** Stores the posted opening for this window: a reload is a GET and does not post it again. */
export function storeOpening(view: Window, opening: CheckoutOpening): void {
  try {
    view.sessionStorage.setItem(
      STORAGE_KEY,
      JSON.stringify({ ...opening, address: view.location.search }),
    );
  } catch {
    // In a browser that blocks storage a reload leads back to the shop.
  }
}

/** Returns the stored opening of the same client and mode. */
export function recallOpening(view: Window): CheckoutOpening | undefined {
  try {
    const stored = view.sessionStorage.getItem(STORAGE_KEY) ?? "";
    const { address } = JSON.parse(stored) as { address?: unknown };
    return address === view.location.search ? parseOpening(stored) : undefined;
  } catch {
    return undefined;
  }
}

export function forgetOpening(view: Window): void {
  try {
    view.sessionStorage.removeItem(STORAGE_KEY);
  } catch {
    // In a browser that blocks storage nothing was stored.
  }
}

function parseOpening(json: string): CheckoutOpening | undefined {
  try {
    return toOpening(JSON.parse(json));
  } catch {
    return undefined;
  }
}

function toOpening(value: unknown): CheckoutOpening | undefined {
  if (!isFields(value)) return undefined;
  const { mode, origins } = value;
  if (mode === "popup" && Array.isArray(origins)) {
    return { mode, origins: origins.filter((origin) => typeof origin === "string") };
  }
  // The service wrote it, and no page can.
  if (mode === "refused") return value as unknown as CheckoutOpening;
  const token = text(value["token"], TOKEN_CHARACTERS_MAX);
  const returnUrl = text(value["returnUrl"], ADDRESS_CHARACTERS_MAX);
  if (mode !== "redirect" || !token || !returnUrl) return undefined;
  return { mode, token, returnUrl, options: value["options"] };
}
