import type { PurchaseView } from "../purchase-routes.ts";
import { find, orderForm } from "./elements.ts";
import { wordsIn } from "./words.ts";

interface FollowedPurchase {
  readonly sessionId?: string | undefined;
  /** Kept in memory only. */
  readonly token?: string | undefined;
}

const SESSION_KEY = "purchase-session";
export const words = wordsIn(document.documentElement.lang);

/** The purchase on this page. Its session survives a reload, its token does not. */
export let purchase: FollowedPurchase = {
  sessionId: document.body.dataset["session"] ?? sessionStorage.getItem(SESSION_KEY) ?? undefined,
};

export function showNotice(text: string): void {
  find("notice").textContent = text;
}

export function showHint(text: string): void {
  find("hint").textContent = text;
}

export function followPurchase(started: FollowedPurchase): void {
  purchase = started;
  sessionStorage.setItem(SESSION_KEY, started.sessionId ?? "");
  void refreshPurchase();
}

export function forgetPurchase(): void {
  sessionStorage.removeItem(SESSION_KEY);
  purchase = {};
  fillSessionField();
  find("purchase").hidden = true;
  document.getElementById("pay")?.classList.add("primary");
}

/** Reads the purchase from the shop's server, which alone receives the webhooks. */
export async function refreshPurchase(): Promise<void> {
  const { sessionId } = purchase;
  if (!sessionId) return;
  const response = await fetch(`/api/purchases/${sessionId}`);
  if (sessionId !== purchase.sessionId) return;
  if (!response.ok) return forgetPurchase();
  show((await response.json()) as PurchaseView);
  fillSessionField();
}

function show(view: PurchaseView): void {
  const { product, operationType, status, orderId, isPaidOutside, isPaidFromTestWallet } = view;
  const { customerUrl } = view;
  const isWaiting = status === "order_placed";
  const startsAnew = status === "waiting_for_payment" || status === "ended";
  const statusWords = {
    waiting_for_payment: words.started,
    order_placed: words.placed,
    paid: words.paid[operationType],
    ended: words.orderEnded,
  };
  const order = orderId === null ? "" : ` – ${words.order} ${orderId}`;
  const panel = find("purchase");
  const hasMoved = panel.dataset["status"] !== undefined && panel.dataset["status"] !== status;
  panel.hidden = false;
  panel.dataset["status"] = status;
  find("purchase-steps").hidden = status === "ended";
  // A purchase that was just made is in sight, and its button no longer asks for another one.
  if (hasMoved) panel.scrollIntoView({ block: "nearest" });
  document.getElementById("pay")?.classList.toggle("primary", startsAnew);
  find("purchase-title").textContent = words.purchase[operationType];
  find("purchase-status").textContent = `${statusWords[status]}${order}`;
  find("purchase-product").textContent = product;
  find("purchase-session").textContent = purchase.sessionId ?? "";
  find("again").hidden = status === "waiting_for_payment";
  find("continue").hidden = customerUrl === null;
  find("continue")
    .querySelector("a")
    ?.setAttribute("href", customerUrl ?? "/");
  find("from-wallet").hidden = !isWaiting || !isPaidFromTestWallet;
  find("simulate").hidden = !isWaiting || !isPaidOutside || isPaidFromTestWallet;
  if (status === "paid") showHint("");
  showSteps(status, statusWords.paid);
}

function showSteps(status: PurchaseView["status"], paid: string): void {
  const steps = [...find("purchase-steps").children] as HTMLElement[];
  const reached = steps.findIndex(({ dataset }) => dataset["step"] === status);
  for (const [index, step] of steps.entries()) {
    if (step.dataset["step"] === "paid") step.textContent = paid;
    step.classList.toggle("done", index < reached || status === "paid");
    if (index === reached) step.setAttribute("aria-current", "step");
    else step.removeAttribute("aria-current");
  }
}

/** Fills the session's field, if the page has one, so that the next token is for the same session. */
function fillSessionField(): void {
  const field = orderForm?.elements.namedItem("sessionId");
  if (field instanceof HTMLInputElement) field.value = purchase.sessionId ?? "";
}

/** Asks the shop's server to make the payment arrive. A webhook says when it has. */
export async function simulatePayment(): Promise<void> {
  const response = await fetch("/api/simulate-payment", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ sessionId: purchase.sessionId }),
  });
  const { message } = (await response.json()) as { message?: string };
  showNotice(response.ok ? "" : (message ?? words.tryLater));
  showHint(response.ok ? words.simulated : "");
}
