import type { CheckoutEvent } from "@exchange/browser";
import type { LiveWebhook } from "../demo/live-view.ts";
import { find } from "./elements.ts";

interface Entry {
  readonly name: string;
  readonly badge?: "valid" | "invalid";
  readonly time: string;
  readonly detail: string;
  readonly content: object | null;
}

const ENTRIES_MAX = 40;

function element(tag: string, text: string, className = tag): HTMLElement {
  const created = document.createElement(tag);
  created.className = className;
  created.textContent = text;
  return created;
}

/** Writes foreign data as text only. The newest entry is first. */
function addEntry(list: string, { name, badge, time, detail, content }: Entry): HTMLElement {
  const entry = document.createElement("li");
  entry.append(element("strong", name, "name"));
  if (badge !== undefined) entry.append(element("span", `Signature ${badge}`, `badge ${badge}`));
  entry.append(element("span", time, "age"));
  if (detail !== "") entry.append(element("span", detail, "detail"));
  if (content !== null) {
    const details = document.createElement("details");
    const json = element("pre", JSON.stringify(content, null, 2));
    json.tabIndex = 0;
    details.append(element("summary", `Data of ${name}`), json);
    entry.append(details);
  }
  find(list).prepend(entry);
  while (find(list).children.length > ENTRIES_MAX) find(list).lastElementChild?.remove();
  return entry;
}

const sentence = (parts: readonly unknown[]): string => parts.filter(Boolean).join(" · ");

const text = (amount?: { amount: number; currencyCode: string }): string =>
  amount === undefined ? "" : `${amount.amount} ${amount.currencyCode}`;

/** A checkout event in a few words. */
function describe({ data, error, result }: CheckoutEvent): string {
  const { screen, spend, receive, paymentMethod, orderId, status } = data ?? {};
  return sentence([
    screen && `on ${screen}`,
    [text(spend), text(receive)].filter(Boolean).join(" → "),
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
    content: result ?? data,
  });
}

function showWebhook(webhook: LiveWebhook): void {
  const { id, eventType, orderId, sentAt, signature, note, details } = webhook;
  const entry = addEntry("webhooks", {
    name: eventType,
    badge: signature,
    time: "",
    detail: sentence([orderId && `order ${orderId}`, note.replaceAll("_", " "), id && `id ${id}`]),
    content: details,
  });
  if (sentAt !== null) entry.dataset["sentAt"] = String(sentAt);
  showAges();
}

function showAges(): void {
  for (const entry of document.querySelectorAll<HTMLElement>("#webhooks [data-sent-at]")) {
    const seconds = Math.max(0, Math.round(Date.now() / 1000 - Number(entry.dataset["sentAt"])));
    const words = seconds < 120 ? `${seconds} s ago` : `${Math.round(seconds / 60)} min ago`;
    entry.querySelector(".age")?.replaceChildren(words);
  }
}

/** Logs a violation of the page's own policy. There should be none. */
export function showViolation({
  violatedDirective,
  blockedURI,
}: SecurityPolicyViolationEvent): void {
  addEntry("sdk-events", {
    name: "Policy violation",
    time: new Date().toLocaleTimeString("en-GB"),
    detail: sentence([violatedDirective, blockedURI]),
    content: null,
  });
}

/**
 * Follows the webhooks that the shop's server receives, beginning with the remembered ones, while the page is visible. A
 * browser has six connections to the shop, and the streams of hidden pages would leave none for the next page.
 */
export function watchWebhooks(onWebhook: (sessionId: string | null) => void): void {
  let live: EventSource | undefined;
  let shownId = "0";
  const show = ({ data, lastEventId }: MessageEvent<string>): void => {
    shownId = lastEventId;
    const webhook = JSON.parse(data) as LiveWebhook;
    showWebhook(webhook);
    onWebhook(webhook.sessionId);
  };
  const follow = (): void => {
    live?.close();
    live = undefined;
    if (document.visibilityState === "hidden") return;
    live = new EventSource(`/api/live?after=${shownId}`);
    live.addEventListener("webhook", show);
  };
  document.addEventListener("visibilitychange", follow);
  follow();
  setInterval(showAges, 1_000);
}
