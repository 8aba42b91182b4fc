import { createHash } from "node:crypto";
import { WIRE_LIMITS } from "@exchange/contract";
import {
  type ClaimedKey,
  type ClaimOutcome,
  claimIntent,
  finishIntent,
  type IntentKey,
  releaseIntent,
  type StoredAnswer,
} from "../storage/idempotency.ts";
import type { Deps } from "./deps.ts";
import { Refusal } from "./refusal.ts";

/** A finished answer: its status and the exact text of its body. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly isReplayed: boolean;
}

export interface KeyedRequest {
  readonly merchantId: string;
  /** The Idempotency-Key header, when there is one. */
  readonly key: string | undefined;
  /** Method and path. */
  readonly route: string;
  readonly body: unknown;
}

/** How long a request waits for the one that holds its key, before it is refused. */
const WAIT_MS = 5_000;
const POLL_MS = 50;
const KEY = new RegExp(`^[\\x20-\\x7e]{1,${WIRE_LIMITS.idempotencyKeyCharactersMax}}$`);

/**
 * Runs the work at most once for each key. Only success is kept: a refusal did nothing, so the same
 * request may try again. Without a key the work simply runs.
 */
export async function runOnce(
  deps: Deps,
  request: KeyedRequest,
  work: () => Promise<Omit<Answer, "isReplayed">>,
): Promise<Answer> {
  const { key } = request;
  if (key === undefined) return { ...(await work()), isReplayed: false };
  if (!KEY.test(key)) {
    throw new Refusal("INVALID_INPUT", {
      message: `Idempotency-Key must be 1 to ${WIRE_LIMITS.idempotencyKeyCharactersMax} printable ASCII characters.`,
      details: [{ path: "header.idempotency-key", issue: "is too long or has other characters" }],
    });
  }
  const intent = { ...request, key, fingerprint: fingerprint(request.body) };
  const outcome = await claimOrWait(deps, intent);
  if (outcome.kind === "answered") return openAnswer(deps, intent, outcome.answer);
  if (outcome.kind !== "claimed") throw conflict(outcome.kind);
  return runClaimed(deps, outcome.claim, work);
}

async function runClaimed(
  deps: Deps,
  claim: ClaimedKey,
  work: () => Promise<Omit<Answer, "isReplayed">>,
): Promise<Answer> {
  const answer = await work().catch(async (error: unknown) => {
    // Should this fail too, the key is free again when its lease ends.
    await releaseIntent(deps.database, claim).catch(() => {});
    throw error;
  });
  const response = deps.secrets.seal(answer.text, boundTo(claim));
  await finishIntent(deps.database, claim, { status: answer.status, response });
  return { ...answer, isReplayed: false };
}

/** Simultaneous requests with one key get one answer: the later ones wait for the first. */
async function claimOrWait(deps: Deps, intent: IntentKey): Promise<ClaimOutcome> {
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const outcome = await claimIntent(deps.database, intent);
    if (outcome.kind !== "running" || waitedMs >= WAIT_MS) return outcome;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function openAnswer(deps: Deps, intent: IntentKey, stored: StoredAnswer): Answer {
  const text = deps.secrets.open(stored.response, boundTo(intent));
  return { status: stored.status, text, isReplayed: true };
}

const boundTo = (intent: IntentKey): string =>
  `idempotency_keys.response:${intent.merchantId}:${intent.key}`;

const conflict = (kind: "running" | "conflict"): Refusal =>
  new Refusal("IDEMPOTENCY_CONFLICT", {
    message:
      kind === "running"
        ? "The first request with this Idempotency-Key still runs. Try again shortly."
        : "This Idempotency-Key was already used with another request.",
  });

/** The same members in another order are the same request. */
function fingerprint(body: unknown): Uint8Array {
  return createHash("sha256").update(canonicalJson(body)).digest();
}

function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join(",")}}`;
}
