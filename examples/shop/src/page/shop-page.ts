/** What this page uses of `window.exchange`. */
interface ExchangeScript {
  configure(options: Record<string, unknown>): void;
  init(options: { authenticationToken: () => Promise<string> }): Promise<{ outcome: string }>;
  on(name: "*", listener: (event: CheckoutEvent) => void): void;
}

interface CheckoutEvent {
  readonly name: string;
  readonly data: {
    readonly screen?: string;
    readonly orderId?: number;
    readonly paymentMethod?: string;
  } | null;
  readonly timestamp: number;
  readonly error?: { readonly code: string };
}

interface PurchaseView {
  readonly sessionId: string;
  readonly product: string;
  readonly status: "waiting_for_payment" | "order_placed" | "paid";
  readonly orderId: number | null;
}

interface LiveWebhook {
  readonly eventType: string;
  readonly orderId: number | null;
  readonly sessionId: string | null;
  readonly signature: "valid" | "invalid";
  readonly note: string;
  readonly sentAt: number | null;
}

const STATUS_WORDS = {
  waiting_for_payment: "Waiting for payment",
  order_placed: "Order placed",
  paid: "Paid",
} as const;
const ENTRIES_MAX = 20;
const SESSION_KEY = "purchase-session";

const find = <T extends HTMLElement = HTMLElement>(id: string): T =>
  document.getElementById(id) as T;
const exchangeScript = (): ExchangeScript | undefined =>
  (window as unknown as { exchange?: ExchangeScript }).exchange;

let sessionId = sessionStorage.getItem(SESSION_KEY);
// Kept in memory only, to show what a used session answers.
let token: string | undefined;

/** The order in the popup is paid by bank transfer or with coins, not by card. */
let isPaidOutside = false;

const chosenProduct = (): HTMLInputElement =>
  document.querySelector("input[name=product]:checked") as HTMLInputElement;

function showSummary(): void {
  const { name = "", price = "" } = chosenProduct().dataset;
  find("summary-product").textContent = `${price} of ${name}`;
  find("summary-total").textContent = price;
}

/** Asks the shop's server, never Exchange itself, for a token: the API key is there. */
async function startPurchase(request: Record<string, string>): Promise<string> {
  const response = await fetch("/api/checkout", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(request),
  });
  const answer = (await response.json()) as { sessionId: string; token: string; message?: string };
  if (!response.ok) {
    find("notice").textContent = answer.message ?? "Checkout is not available right now.";
    throw new Error(answer.message);
  }
  sessionId = answer.sessionId;
  token = answer.token;
  sessionStorage.setItem(SESSION_KEY, sessionId);
  await refreshPurchase();
  return token;
}

/** Opens in the click; the token may come a moment later. */
function openCheckout(authenticationToken: () => Promise<string>): void {
  const exchange = exchangeScript();
  find("notice").textContent = "";
  find("hint").textContent = "";
  if (exchange === undefined) {
    find("notice").textContent = "Checkout could not be loaded. Is Exchange running?";
    return;
  }
  const { currency, coin, amount } = chosenProduct().dataset;
  const { clientId, environment } = document.body.dataset;
  exchange.configure({
    clientId,
    env: environment,
    baseCurrency: currency?.toLowerCase(),
    targetCurrency: coin?.toLowerCase(),
    baseAmount: Number(amount),
  });
  void exchange.init({ authenticationToken }).then(({ outcome }) => {
    if (outcome === "closed") sayClosed();
    return refreshPurchase();
  });
}

function sayClosed(): void {
  find("hint").textContent = "Checkout was closed without a new order. Nothing was charged.";
}

async function refreshPurchase(): Promise<void> {
  const response = sessionId === null ? undefined : await fetch(`/api/purchases/${sessionId}`);
  if (response?.ok !== true) return forgetPurchase();
  const { product, status, orderId } = (await response.json()) as PurchaseView;
  const order = orderId === null ? "" : ` – order ${orderId}`;
  find("purchase").hidden = false;
  find("purchase").dataset["status"] = status;
  find("purchase-status").textContent = `${STATUS_WORDS[status]}${order}`;
  find("purchase-product").textContent = product;
  find("purchase-session").textContent = sessionId;
  find("again").hidden = status === "waiting_for_payment";
  find("simulate").hidden = status !== "order_placed" || !isPaidOutside;
  const steps = [...find("purchase-steps").children] as HTMLElement[];
  const reached = steps.findIndex(({ dataset }) => dataset["step"] === status);
  for (const [index, step] of steps.entries()) {
    step.classList.toggle("done", index < reached || status === "paid");
    if (index === reached) step.setAttribute("aria-current", "step");
    else step.removeAttribute("aria-current");
  }
}

/** Asks the shop's server to make the payment arrive; the webhook says when it has. */
async function simulatePayment(): Promise<void> {
  const response = await fetch("/api/simulate-payment", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ sessionId }),
  });
  const { message } = (await response.json()) as { message?: string };
  find("notice").textContent = response.ok ? "" : (message ?? "That did not work.");
  find("hint").textContent = response.ok ? "The payment is on its way." : "";
}

function forgetPurchase(): void {
  sessionStorage.removeItem(SESSION_KEY);
  sessionId = null;
  token = undefined;
  find("purchase").hidden = true;
}

/** Writes what others sent as text only. */
function addEntry(list: string, parts: readonly (readonly [className: string, text: string])[]) {
  const entry = document.createElement("li");
  for (const [className, text] of parts) {
    const part = document.createElement("span");
    part.className = className;
    part.textContent = text;
    entry.append(part);
  }
  find(list).prepend(entry);
  while (find(list).children.length > ENTRIES_MAX) find(list).lastElementChild?.remove();
  return entry;
}

function showEvent({ name, data, timestamp, error }: CheckoutEvent): void {
  if (data?.orderId !== undefined) isPaidOutside = data.paymentMethod !== "card";
  const order = data?.orderId === undefined ? "" : `order ${data.orderId}`;
  addEntry("sdk-events", [
    ["name", name],
    ["detail", [data?.screen, order, error?.code].filter(Boolean).join(", ")],
    ["age", new Date(timestamp).toLocaleTimeString()],
  ]);
}

function showWebhook({ eventType, orderId, sentAt, ...webhook }: LiveWebhook): void {
  const entry = addEntry("webhooks", [
    ["name", eventType],
    [`badge ${webhook.signature}`, `Signature ${webhook.signature}`],
    [
      "detail",
      [orderId && `order ${orderId}`, webhook.note.replaceAll("_", " ")].filter(Boolean).join(", "),
    ],
    ["age", ""],
  ]);
  if (sentAt !== null) entry.dataset["sentAt"] = String(sentAt);
  showAges();
  if (webhook.sessionId === sessionId) void refreshPurchase();
}

function showAges(): void {
  for (const entry of document.querySelectorAll<HTMLElement>("#webhooks [data-sent-at]")) {
    const seconds = Math.max(0, Math.round(Date.now() / 1000 - Number(entry.dataset["sentAt"])));
    const age = entry.querySelector(".age");
    if (age !== null)
      age.textContent = seconds < 120 ? `${seconds} s ago` : `${Math.round(seconds / 60)} min ago`;
  }
}

find("order-form").addEventListener("change", showSummary);
find("pay").addEventListener("click", () => {
  openCheckout(() => startPurchase({ productId: chosenProduct().value }));
});
find("buy-again").addEventListener("click", () => {
  // The used token opens a checkout that says so; without it the token call is refused.
  openCheckout(async () => token ?? startPurchase({ sessionId: sessionId ?? "" }));
});
find("simulate-payment").addEventListener("click", () => void simulatePayment());
find("new-purchase").addEventListener("click", () => {
  forgetPurchase();
  find("pay").focus();
});
// The script is loaded beside the page, in either order.
addEventListener("load", () => exchangeScript()?.on("*", showEvent));
const live = new EventSource("/api/live");
live.addEventListener("webhook", (event: MessageEvent<string>) => {
  showWebhook(JSON.parse(event.data) as LiveWebhook);
});
live.addEventListener("open", () => void refreshPurchase());
setInterval(showAges, 1_000);
showSummary();
