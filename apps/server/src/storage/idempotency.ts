import { type Queryable, statement } from "./postgres/database.ts";

// Both times are real time: a jump of the sandbox's clock frees no key.

/** Responses are stored for this long. Afterwards the key may name another request. */
const RESPONSE_LIFETIME = "24 hours";
/** A request that has not finished after this time has crashed, and the same request may take over. */
const LEASE_LIFETIME = "60 seconds";

const CLAIM = statement(
  "idempotency_claim",
  `insert into idempotency_keys as stored (merchant_id, key, route, fingerprint, locked_until, created_at)
   values ($1, $2, $3, $4, clock_timestamp() + interval '${LEASE_LIFETIME}', clock_timestamp())
   on conflict (merchant_id, key) do update set
     route = excluded.route, fingerprint = excluded.fingerprint, status = null, response = null,
     locked_until = excluded.locked_until, created_at = clock_timestamp()
   where stored.created_at < clock_timestamp() - interval '${RESPONSE_LIFETIME}'
     or (stored.status is null and stored.locked_until < clock_timestamp()
       and stored.route = excluded.route and stored.fingerprint = excluded.fingerprint)
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

/** A merchant's key, with the route and the fingerprint of the request that used it first. */
export interface IdempotencyKey {
  readonly merchantId: string;
  readonly key: string;
  readonly route: string;
  /** SHA-256 of the request. */
  readonly fingerprint: Uint8Array;
}

/** A claimed key. To finish or to release it has no effect once another request has taken over. */
export type ClaimedKey = IdempotencyKey & { readonly lease: string };

export interface IdempotentResponse {
  readonly status: number;
  /** The body, sealed because it may hold a token. */
  readonly sealedText: Uint8Array;
}

export type ClaimOutcome =
  | { readonly kind: "claimed"; readonly claim: ClaimedKey }
  | { readonly kind: "answered"; readonly response: IdempotentResponse }
  | { readonly kind: "running" }
  | { readonly kind: "conflict" };

interface KeyRow {
  readonly route: string;
  readonly fingerprint: Buffer;
  readonly status: number | null;
  readonly response: Buffer | null;
}

/** Claims the key for this request, or returns the state of the request that holds the key. */
export async function claimKey(
  queryable: Queryable,
  requested: IdempotencyKey,
): Promise<ClaimOutcome> {
  const { merchantId, key, route, fingerprint } = requested;
  const [claimed] = await queryable.query<{ lease: string }>(CLAIM, [
    merchantId,
    key,
    route,
    fingerprint,
  ]);
  if (claimed) return { kind: "claimed", claim: { ...requested, lease: claimed.lease } };
  const [row] = await queryable.query<KeyRow>(FIND, [merchantId, key]);
  // The key was released between the two statements. The next try will claim it.
  if (!row) return { kind: "running" };
  if (row.route !== route || !row.fingerprint.equals(fingerprint)) return { kind: "conflict" };
  if (row.status === null || row.response === null) return { kind: "running" };
  return { kind: "answered", response: { status: row.status, sealedText: row.response } };
}

/**
 * Stores the response. A repetition of the request then returns it and does not run again. Returns
 * false when the lease is over and another request has taken the key.
 */
export async function finishKey(
  queryable: Queryable,
  claim: ClaimedKey,
  response: IdempotentResponse,
): Promise<boolean> {
  const { merchantId, key, lease } = claim;
  const { status, sealedText } = response;
  return (await queryable.write(FINISH, [merchantId, key, lease, status, sealedText])) > 0;
}

/** Releases the key of a request that had no effect, so that the request may run again. */
export async function releaseKey(queryable: Queryable, claim: ClaimedKey): Promise<void> {
  await queryable.query(RELEASE, [claim.merchantId, claim.key, claim.lease]);
}
