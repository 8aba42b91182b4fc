import { type CheckoutOpening, OPENING_ID } from "@exchange/contract/frame";
import { isFields, text } from "./guards.ts";

const TOKEN_CHARACTERS_MAX = 8192;
const ADDRESS_CHARACTERS_MAX = 2048;
const KEPT = "exchange.redirect";

/** What the service says of how this page was opened, if it says anything. */
export function readOpening(view: Window): CheckoutOpening | undefined {
  const element = view.document.getElementById(OPENING_ID);
  const opening = parseOpening(element?.textContent ?? "");
  // It may hold the token, which needs to be read once.
  element?.remove();
  return opening;
}

/** A page that was posted to is asked for anew by a reload: the window keeps what was posted. */
export function keepOpening(view: Window, opening: CheckoutOpening): void {
  try {
    view.sessionStorage.setItem(
      KEPT,
      JSON.stringify({ ...opening, address: view.location.search }),
    );
  } catch {
    // Where nothing may be kept a reload leads back to the shop.
  }
}

/** What was kept for the same client and mode. */
export function recallOpening(view: Window): CheckoutOpening | undefined {
  try {
    const kept = view.sessionStorage.getItem(KEPT) ?? "";
    const { address } = JSON.parse(kept) as { address?: unknown };
    return address === view.location.search ? parseOpening(kept) : undefined;
  } catch {
    return undefined;
  }
}

export function forgetOpening(view: Window): void {
  try {
    view.sessionStorage.removeItem(KEPT);
  } catch {
    // Nothing was kept either.
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
  const token = text(value["token"], TOKEN_CHARACTERS_MAX);
  const returnUrl = text(value["returnUrl"], ADDRESS_CHARACTERS_MAX);
  if (mode !== "redirect" || !token || !returnUrl) return undefined;
  return { mode, token, returnUrl, options: value["options"] };
}
