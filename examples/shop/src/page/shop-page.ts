import { addCopyButtons } from "./copy-buttons.ts";
import { find, orderForm } from "./elements.ts";
import { showEvent, showViolation, watchWebhooks } from "./event-log.ts";
import type { CheckoutResult } from "./exchange-script.ts";
import { prepareOpening } from "./openings.ts";
import * as shown from "./purchase.ts";

const { words } = shown;

function showSummary(): void {
  const chosen = orderForm.querySelector<HTMLInputElement>("input:checked");
  const { name = "", price = "", total = "" } = chosen?.dataset ?? {};
  find("summary-product").textContent = name;
  find("summary-total-label").textContent = total;
  find("summary-total").textContent = price;
}

/** Opens in the click; nothing may come between. */
async function openCheckout(open: () => Promise<CheckoutResult>): Promise<void> {
  shown.showNotice("");
  shown.showHint("");
  if (window.exchange === undefined) return shown.showNotice(words.notLoaded);
  const { outcome } = await open();
  if (outcome === "closed") shown.showHint(words.closed);
  if (outcome === "failed" && find("notice").textContent === "") shown.showNotice(words.failed);
  await shown.refreshPurchase();
}

const { opening } = document.body.dataset;
if (opening !== undefined) {
  const open = prepareOpening(opening);
  for (const id of ["pay", "open-again"]) {
    document.getElementById(id)?.addEventListener("click", () => void openCheckout(open));
  }
  find("new-purchase").addEventListener("click", () => {
    shown.forgetPurchase();
    find("pay").focus();
  });
  orderForm.addEventListener("change", showSummary);
  showSummary();
}
find("simulate-payment").addEventListener("click", () => void shown.simulatePayment());
// The script is loaded beside the page, in either order.
addEventListener("load", () => window.exchange?.on("*", showEvent));
watchWebhooks((sessionId) => {
  if (sessionId === shown.purchase.sessionId) void shown.refreshPurchase();
});
document.addEventListener("securitypolicyviolation", showViolation);
addCopyButtons();
void shown.refreshPurchase();
