import { find } from "./elements.ts";
import type { CheckoutEvent } from "./exchange-script.ts";

interface LiveWebhook {
  readonly id: string | null;
  readonly eventType: string;
  readonly orderId: number | null;
  readonly sessionId: string | null;
  readonly signature: "valid" | "invalid";
  readonly note: string;
  readonly sentAt: number | null;
  readonly details: object | null;
}

interface Entry {
  readonly name: string;
  readonly badge?: "valid" | "invalid";
  readonly time: string;
  readonly detail: string;
  readonly shown: object | null;
}

const ENTRIES_MAX = 40;

function element(tag: string, text: string, className = tag): HTMLElement {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}

/** Writes what others sent as text only. The newest is first. */
function addEntry(list: string, { name, badge, time, detail, shown }: Entry): HTMLElement {
  const entry = document.createElement("li");
  entry.append(element("strong", name, "name"));
  if (badge !== undefined) entry.append(element("span", `Signature ${badge}`, `badge ${badge}`));
  entry.append(element("span", time, "age"));
  if (detail !== "") entry.append(element("span", detail, "detail"));
  if (shown !== null) {
    const details = document.createElement("details");
    const content = element("pre", JSON.stringify(shown, null, 2));
    content.tabIndex = 0;
    details.append(element("summary", `Data of ${name}`), content);
    entry.append(details);
  }
  find(list).prepend(entry);
  while (find(list).children.length > ENTRIES_MAX) find(list).lastElementChild?.remove();
  return entry;
}

const sentence = (parts: readonly unknown[]): string => parts.filter(Boolean).join(" · ");

const amount = (of?: { amount: number; currencyCode: string }): string =>
  of === undefined ? "" : `${of.amount} ${of.currencyCode}`;

/** A snapshot as a person would say it. */
function describe({ data, error, result }: CheckoutEvent): string {
  const { screen, spend, receive, paymentMethod, orderId, status } = data ?? {};
  return sentence([
    screen && `on ${screen}`,
    [amount(spend), amount(receive)].filter(Boolean).join(" → "),
    paymentMethod && `by ${paymentMethod.replaceAll("_", " ")}`,
    orderId && `order ${orderId}`,
    status?.replaceAll("_", " "),
    result && `${result.outcome}: ${result.reason.replaceAll("_", " ")}`,
    error?.code.replaceAll("_", " "),
  ]);
}

export function showEvent(event: CheckoutEvent): void {
  const { name, data, timestamp, result } = event;
  addEntry("sdk-events", {
    name,
    time: new Date(timestamp).toLocaleTimeString("en-GB"),
    detail: describe(event),
    shown: result ?? data,
  });
}

export function showWebhook(webhook: LiveWebhook): void {
  const { id, eventType, orderId, sentAt, signature, note, details } = webhook;
  const entry = addEntry("webhooks", {
    name: eventType,
    badge: signature,
    time: "",
    detail: sentence([orderId && `order ${orderId}`, note.replaceAll("_", " "), id && `id ${id}`]),
    shown: details,
  });
  if (sentAt !== null) entry.dataset["sentAt"] = String(sentAt);
  showAges();
}

export function showAges(): void {
  for (const entry of document.querySelectorAll<HTMLElement>("#webhooks [data-sent-at]")) {
    const seconds = Math.max(0, Math.round(Date.now() / 1000 - Number(entry.dataset["sentAt"])));
    const words = seconds < 120 ? `${seconds} s ago` : `${Math.round(seconds / 60)} min ago`;
    entry.querySelector(".age")?.replaceChildren(words);
  }
}

/** What the page's own policy refused: nothing, if all is well. */
export function showViolation({
  violatedDirective,
  blockedURI,
}: SecurityPolicyViolationEvent): void {
  addEntry("sdk-events", {
    name: "Policy violation",
    time: new Date().toLocaleTimeString("en-GB"),
    detail: sentence([violatedDirective, blockedURI]),
    shown: null,
  });
}

/** Hears every webhook that the shop's server received, those of the last minutes first. */
export function watchWebhooks(onWebhook: (sessionId: string | null) => void): void {
  const live = new EventSource("/api/live");
  live.addEventListener("webhook", ({ data }: MessageEvent<string>) => {
    const webhook = JSON.parse(data) as LiveWebhook;
    showWebhook(webhook);
    onWebhook(webhook.sessionId);
  });
  setInterval(showAges, 1_000);
}
