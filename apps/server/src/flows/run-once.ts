import { createHash } from "node:crypto";
import { KEY_SCOPES, WIRE_LIMITS } from "@exchange/contract";
import { makeBatchedWrites } from "../storage/batched-writes.ts";
import {
  type ClaimedKey,
  type ClaimOutcome,
  claimKey,
  finishKey,
  type IdempotencyKey,
  type IdempotentResponse,
  releaseKey,
} from "../storage/idempotency.ts";
import type { Database } from "../storage/postgres/database.ts";
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
  /** The scopes of the API key that asks. */
  readonly scopes: readonly string[];
}

/** The time that a request waits for the holder of its key before it is refused. */
const WAIT_MS = 5_000;
const POLL_MS = 50;
/** The time after which a request that was refused because its key is held may be repeated. */
const RETRY_AFTER_SECONDS = 2;
const KEY = new RegExp(`^[\\x20-\\x7e]{1,${WIRE_LIMITS.idempotencyKeyCharactersMax}}$`);

/** Serves the request. It must write through these deps, so that its answer commits with it. */
export type KeyedWork = (deps: Deps) => Promise<Omit<Answer, "isReplayed">>;

/**
 * Runs the work at most once for each key. The effect and its answer are one database transaction:
 * after a crash both exist or neither does. Only a success is stored: a refusal changed nothing, so
 * the same request may try again. Without a key the work runs each time.
 */
export async function runOnce(deps: Deps, request: KeyedRequest, work: KeyedWork): Promise<Answer> {
  const { key } = request;
  if (key === undefined) return { ...(await work(deps)), isReplayed: false };
  if (!KEY.test(key)) {
    throw new Refusal("INVALID_INPUT", {
      message: `Idempotency-Key must be 1 to ${WIRE_LIMITS.idempotencyKeyCharactersMax} printable ASCII characters.`,
      details: [{ path: "headers.idempotency-key", issue: "is too long or has other characters" }],
    });
  }
  const wanted = { ...request, key, fingerprint: fingerprint(request) };
  const outcome = await claimOrWait(deps, wanted);
  if (outcome.kind === "answered") return openAnswer(deps, wanted, outcome.response);
  if (outcome.kind !== "claimed") throw conflict(outcome.kind);
  return runClaimed(deps, outcome.claim, work);
}

async function runClaimed(deps: Deps, claim: ClaimedKey, work: KeyedWork): Promise<Answer> {
  const afterCommit = new Set<() => unknown>();
  const answer = await runJoined(deps, { claim, work, afterCommit }).catch(
    async (error: unknown) => {
      // Only a key without an answer is released. If this fails too, the key is free when its lease ends.
      await releaseKey(deps.database, claim).catch(() => {});
      throw error;
    },
  );
  for (const act of afterCommit) await act();
  return answer;
}

interface Joining {
  readonly claim: ClaimedKey;
  readonly work: KeyedWork;
  readonly afterCommit: Set<() => unknown>;
}

const runJoined = (deps: Deps, { claim, work, afterCommit }: Joining): Promise<Answer> =>
  deps.database.joinWrites(async (database) => {
    const { status, text } = await work(joinedDeps(deps, database, afterCommit));
    const sealedText = deps.secrets.seal(text, boundTo(claim));
    // When the lease is over, another request holds the key, and this effect is rolled back.
    if (!(await finishKey(database, claim, { status, sealedText }))) throw conflict("running");
    return { status, text, isReplayed: false };
  });

/** The dependencies of one keyed request: its writes are joined, and other processes are notified after the commit. */
const joinedDeps = (deps: Deps, database: Database, afterCommit: Set<() => unknown>): Deps => ({
  ...deps,
  database,
  ...makeBatchedWrites(database),
  syncClock: async () => void afterCommit.add(deps.syncClock),
});

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
  kind === "running"
    ? new Refusal("IDEMPOTENCY_CONFLICT", {
        message:
          "The first request with this Idempotency-Key is still running. Repeat it with the same key after the time in Retry-After.",
        extra: { retryAfterSeconds: RETRY_AFTER_SECONDS },
      })
    : new Refusal("IDEMPOTENCY_CONFLICT", {
        message:
          "This Idempotency-Key was already used with another request, or by an API key with other scopes. Use another key.",
      });

/**
 * The same members in another order make the same request. An answer holds what its API key may read, so a key with other
 * scopes makes another request. Every scope adds nothing, as in rows of earlier releases.
 */
function fingerprint({ body, scopes }: Pick<KeyedRequest, "body" | "scopes">): Uint8Array {
  const hash = createHash("sha256").update(canonicalJson(body));
  const isLimited = KEY_SCOPES.some((scope) => !scopes.includes(scope));
  if (isLimited) hash.update(`\n${scopes.toSorted().join(" ")}`);
  return hash.digest();
}

function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join(",")}}`;
}
