import type { CheckoutResult } from "@exchange/browser";
import { find, orderForm } from "./elements.ts";
import { showEvent, showViolation, watchWebhooks } from "./event-log.ts";
import { prepareOpening } from "./openings.ts";
import {
  forgetPurchase,
  purchase,
  refreshPurchase,
  showHint,
  showNotice,
  simulatePayment,
  words,
} from "./purchase.ts";

const COPY_STATUS_MS = 2_000;

function showSummary(): void {
  const chosen = orderForm.querySelector<HTMLInputElement>("input:checked");
  const { name = "", price = "", total = "" } = chosen?.dataset ?? {};
  find("summary-product").textContent = name;
  find("summary-total-label").textContent = total;
  find("summary-total").textContent = price;
}

/** Opens in the click; nothing may come between. */
async function openCheckout(open: () => Promise<CheckoutResult>): Promise<void> {
  showNotice("");
  showHint("");
  if (window.exchange === undefined) return showNotice(words.notLoaded);
  const { outcome, order } = await open();
  if (outcome === "closed") showHint(words.closed);
  if (outcome === "failed" && find("notice").textContent === "") {
    showNotice(order ? words.ended : words.failed);
  }
  await refreshPurchase();
  // The focus is back on the button, which may be a screen above the purchase.
  if (outcome !== "closed") find("purchase").scrollIntoView({ block: "nearest" });
}

function sellHere(opening: string): void {
  const open = prepareOpening(opening);
  for (const id of ["pay", "open-again"]) {
    document.getElementById(id)?.addEventListener("click", () => void openCheckout(open));
  }
  find("new-purchase").addEventListener("click", () => {
    forgetPurchase();
    find("pay").focus();
  });
  orderForm.addEventListener("change", showSummary);
  showSummary();
}

function addCopyButton(figure: Element): void {
  const code = figure.querySelector("pre code")?.textContent ?? "";
  const status = figure.querySelector("[role=status]");
  figure.querySelector("button.copy")?.addEventListener("click", async () => {
    const message = await navigator.clipboard.writeText(code).then(
      () => "Copied",
      () => "Select the text and copy it",
    );
    status?.replaceChildren(message);
    setTimeout(() => status?.replaceChildren(), COPY_STATUS_MS);
  });
}

const { opening } = document.body.dataset;
if (opening !== undefined) sellHere(opening);
find("simulate-payment").addEventListener("click", () => void simulatePayment());
// The script is loaded beside the page, in either order.
addEventListener("load", () => window.exchange?.on("*", showEvent));
watchWebhooks((sessionId) => {
  if (sessionId === purchase.sessionId) void refreshPurchase();
});
// Their order may have ended in another window meanwhile, which no webhook of this shop says.
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") void refreshPurchase();
});
document.addEventListener("securitypolicyviolation", showViolation);
document.querySelectorAll("figure.code").forEach(addCopyButton);
void refreshPurchase();
