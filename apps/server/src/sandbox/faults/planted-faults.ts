import type { Post, Poster, PostOutcome } from "../../webhooks/poster.ts";
import type { WebhookFault } from "./store.ts";

/** What the sandbox does on purpose to one attempt, so that a merchant sees what its receiver does. */
export type PlantedFault = Pick<WebhookFault, "kind" | "delaySeconds">;

/** Older than the 5 minutes receivers accept. */
const STALE_MS = 600_000;

/** How long a fault holds the delivery back before anything is sent; undefined when it does not. */
export function heldBack(
  fault: PlantedFault | undefined,
): { readonly delaySeconds: number; readonly outOfOrder: boolean } | undefined {
  if (fault?.kind !== "delay" && fault?.kind !== "reorder") return undefined;
  return { delaySeconds: fault.delaySeconds ?? 0, outOfOrder: fault.kind === "reorder" };
}

/** The time an attempt claims to be made at. */
export const signedAt = (now: Date, fault: PlantedFault | undefined): Date =>
  fault?.kind === "stale_timestamp" ? new Date(now.getTime() - STALE_MS) : now;

/** Signature headers, made false when that is the fault. */
export function alterHeaders(
  headers: Record<string, string>,
  fault: PlantedFault | undefined,
): Record<string, string> {
  if (fault?.kind !== "corrupt_signature") return headers;
  return {
    ...headers,
    "X-Webhook-Signature": alterCharacter(headers["X-Webhook-Signature"] ?? "", 0),
    "webhook-signature": (headers["webhook-signature"] ?? "")
      .split(" ")
      .map((signature) => alterCharacter(signature, "v1,".length))
      .join(" "),
  };
}

/** Posts once, or twice, or not at all; a changed body is still of valid JSON. */
export function postUnderFault(
  poster: Poster,
  post: Post,
  fault: PlantedFault | undefined,
): Promise<PostOutcome> {
  switch (fault?.kind) {
    case "drop":
      return Promise.resolve({ kind: "failed", fault: "dropped" });
    case "duplicate":
      return Promise.all([poster.post(post), poster.post(post)]).then(([, second]) => second);
    case "corrupt_body":
      return poster.post({ ...post, body: alterLastDigit(post.body) });
    default:
      return poster.post(post);
  }
}

/** One byte, and one that matters: the last digit is one of an amount. */
function alterLastDigit(body: string): string {
  const at = [...body.matchAll(/\d/g)].at(-1)?.index;
  return at === undefined ? `${body} ` : alterCharacter(body, at);
}

function alterCharacter(text: string, at: number): string {
  const other = text[at] === "1" ? "2" : "1";
  return `${text.slice(0, at)}${other}${text.slice(at + 1)}`;
}
