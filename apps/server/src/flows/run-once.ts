import { createHash } from "node:crypto";
import { WIRE_LIMITS } from "@exchange/contract";
import {
  type ClaimedKey,
  type ClaimOutcome,
  claimKey,
  finishKey,
  type IdempotencyKey,
  type IdempotentResponse,
  releaseKey,
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

/** The time that a request waits for the holder of its key before it is refused. */
const WAIT_MS = 5_000;
const POLL_MS = 50;
const KEY = new RegExp(`^[\\x20-\\x7e]{1,${WIRE_LIMITS.idempotencyKeyCharactersMax}}$`);

/**
 * Runs the work at most once for each key. Only a success is stored: a refusal changed nothing, so
 * the same request may try again. Without a key the work runs each time.
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
  const wanted = { ...request, key, fingerprint: fingerprint(request.body) };
  const outcome = await claimOrWait(deps, wanted);
  if (outcome.kind === "answered") return openAnswer(deps, wanted, outcome.response);
  if (outcome.kind !== "claimed") throw conflict(outcome.kind);
  return runClaimed(deps, outcome.claim, work);
}

async function runClaimed(
  deps: Deps,
  claim: ClaimedKey,
  work: () => Promise<Omit<Answer, "isReplayed">>,
): Promise<Answer> {
  const answer = await work().catch(async (error: unknown) => {
    // If this fails too, the key is free again when its lease ends.
    await releaseKey(deps.database, claim).catch(() => {});
    throw error;
  });
  const sealedText = deps.secrets.seal(answer.text, boundTo(claim));
  await finishKey(deps.database, claim, { status: answer.status, sealedText });
  return { ...answer, isReplayed: false };
}

/** Simultaneous requests with one key get one answer: the later ones wait for the first. */
async function claimOrWait(deps: Deps, wanted: IdempotencyKey): Promise<ClaimOutcome> {
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const outcome = await claimKey(deps.database, wanted);
    if (outcome.kind !== "running" || waitedMs >= WAIT_MS) return outcome;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function openAnswer(deps: Deps, key: IdempotencyKey, stored: IdempotentResponse): Answer {
  const text = deps.secrets.open(stored.sealedText, boundTo(key));
  return { status: stored.status, text, isReplayed: true };
}

const boundTo = ({ merchantId, key }: IdempotencyKey): string =>
  `idempotency_keys.response:${merchantId}:${key}`;

const conflict = (kind: "running" | "conflict"): Refusal =>
  new Refusal("IDEMPOTENCY_CONFLICT", {
    message:
      kind === "running"
        ? "The first request with this Idempotency-Key is still running. Try again shortly."
        : "This Idempotency-Key was already used with another request.",
  });

/** The same members in another order make the same request. */
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
