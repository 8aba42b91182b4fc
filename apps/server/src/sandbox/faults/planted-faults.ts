import type { Database } from "../../storage/postgres/database.ts";
import type { DeliveryFault, DeliveryFaults } from "../../webhooks/delivery-faults.ts";
import { merchantsWithFaults, takeWebhookFault, type WebhookFault } from "./store.ts";

/** Receivers accept timestamps of the last 5 minutes. */
const STALE_MS = 600_000;

/** The faults that merchants planted into their next webhooks, as the dispatcher meets them. */
export function makeDeliveryFaults(database: Database): DeliveryFaults {
  let merchants: ReadonlySet<string> = new Set();
  return {
    look: async (claimed) => {
      if (claimed.length === 0) return;
      merchants = await merchantsWithFaults(database, [
        ...new Set(claimed.map(({ merchantId }) => merchantId)),
      ]);
    },
    take: async (delivery) => {
      if (!merchants.has(delivery.merchantId)) return undefined;
      const fault = await takeWebhookFault(database, delivery);
      return fault && { kind: fault.kind, ...behaviourOf(fault) };
    },
  };
}

function behaviourOf({ kind, delaySeconds }: WebhookFault): Omit<DeliveryFault, "kind"> {
  switch (kind) {
    case "delay":
    case "reorder":
      return { postpone: { delaySeconds: delaySeconds ?? 0, outOfOrder: kind === "reorder" } };
    case "stale_timestamp":
      return { signedAt: (now) => new Date(now.getTime() - STALE_MS) };
    case "corrupt_signature":
      return { alterHeaders: corruptSignatures };
    case "drop":
      return { post: async () => ({ kind: "failed", errorClass: "dropped" }) };
    case "duplicate":
      return {
        post: async (poster, post) => {
          const [, second] = await Promise.all([poster.post(post), poster.post(post)]);
          return second;
        },
      };
    case "corrupt_body":
      return { post: (poster, post) => poster.post({ ...post, body: alterLastDigit(post.body) }) };
  }
}

const corruptSignatures = (headers: Readonly<Record<string, string>>): Record<string, string> => ({
  ...headers,
  "X-Webhook-Signature": alterCharacter(headers["X-Webhook-Signature"] ?? "", 0),
  "webhook-signature": (headers["webhook-signature"] ?? "")
    .split(" ")
    .map((signature) => alterCharacter(signature, "v1,".length))
    .join(" "),
});

/** Alters one byte of the body, the last digit of an amount. The body stays valid JSON. */
function alterLastDigit(body: string): string {
  const at = [...body.matchAll(/\d/g)].at(-1)?.index;
  return at === undefined ? `${body} ` : alterCharacter(body, at);
}

function alterCharacter(text: string, at: number): string {
  const other = text[at] === "1" ? "2" : "1";
  return `${text.slice(0, at)}${other}${text.slice(at + 1)}`;
}
