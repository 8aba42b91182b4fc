import { type Queryable, statement } from "./postgres/database.ts";

/** Answers are kept this long; after that the key may name another intent. */
const KEPT = "24 hours";
/** A holder that has not finished after this long has crashed: the same request may take over. */
const HELD = "60 seconds";

const CLAIM = statement(
  "idempotency_claim",
  `insert into idempotency_keys as kept (merchant_id, key, route, fingerprint, locked_until)
   values ($1, $2, $3, $4, business_now() + interval '${HELD}')
   on conflict (merchant_id, key) do update set
     route = excluded.route, fingerprint = excluded.fingerprint, status = null, response = null,
     locked_until = excluded.locked_until, created_at = business_now()
   where kept.created_at < business_now() - interval '${KEPT}'
     or (kept.status is null and kept.locked_until < business_now()
       and kept.route = excluded.route and kept.fingerprint = excluded.fingerprint)
   returning locked_until::text as lease`,
);
const FIND = statement(
  "idempotency_find",
  "select route, fingerprint, status, response from idempotency_keys where merchant_id = $1 and key = $2",
);
const FINISH = statement(
  "idempotency_finish",
  `update idempotency_keys set status = $4, response = $5
   where merchant_id = $1 and key = $2 and status is null and locked_until = $3::timestamptz`,
);
const RELEASE = statement(
  "idempotency_release",
  `delete from idempotency_keys
   where merchant_id = $1 and key = $2 and status is null and locked_until = $3::timestamptz`,
);
const CLEAR = statement(
  "idempotency_clear",
  `delete from idempotency_keys where (merchant_id, key) in (
     select merchant_id, key from idempotency_keys
     where created_at < (select business_now()) - interval '${KEPT}'
     order by created_at limit $1 for update skip locked)
   returning 1`,
);

/** A merchant's name for one intent: the route and the request it was first used with. */
export interface IntentKey {
  readonly merchantId: string;
  readonly key: string;
  readonly route: string;
  /** SHA-256 of the request. */
  readonly fingerprint: Uint8Array;
}

/** A claimed key. Finishing or releasing does nothing once another has taken over. */
export type ClaimedKey = IntentKey & { readonly lease: string };

export interface StoredAnswer {
  readonly status: number;
  /** Sealed: it may hold a token. */
  readonly response: Uint8Array;
}

export type ClaimOutcome =
  | { readonly kind: "claimed"; readonly claim: ClaimedKey }
  | { readonly kind: "answered"; readonly answer: StoredAnswer }
  | { readonly kind: "running" }
  | { readonly kind: "conflict" };

interface IntentRow {
  readonly route: string;
  readonly fingerprint: Buffer;
  readonly status: number | null;
  readonly response: Buffer | null;
}

/** Takes the key for this request, or tells what became of the one that has it. */
export async function claimIntent(queryable: Queryable, intent: IntentKey): Promise<ClaimOutcome> {
  const { merchantId, key, route, fingerprint } = intent;
  const [claimed] = await queryable.query<{ lease: string }>(CLAIM, [
    merchantId,
    key,
    route,
    fingerprint,
  ]);
  if (claimed) return { kind: "claimed", claim: { ...intent, lease: claimed.lease } };
  const [row] = await queryable.query<IntentRow>(FIND, [merchantId, key]);
  // Released between the two statements: whoever asks again will get it.
  if (!row) return { kind: "running" };
  if (row.route !== route || !row.fingerprint.equals(fingerprint)) return { kind: "conflict" };
  if (row.status === null || row.response === null) return { kind: "running" };
  return { kind: "answered", answer: { status: row.status, response: row.response } };
}

export async function finishIntent(
  queryable: Queryable,
  claim: ClaimedKey,
  answer: StoredAnswer,
): Promise<void> {
  const { merchantId, key, lease } = claim;
  await queryable.query(FINISH, [merchantId, key, lease, answer.status, answer.response]);
}

/** Gives the key back: nothing was done, so the same request may try again. */
export async function releaseIntent(queryable: Queryable, claim: ClaimedKey): Promise<void> {
  await queryable.query(RELEASE, [claim.merchantId, claim.key, claim.lease]);
}

/** Deletes keys past their time. Returns how many, at most `limit`. */
export async function clearOldIntents(queryable: Queryable, limit: number): Promise<number> {
  return (await queryable.query(CLEAR, [limit])).length;
}
