import { type Queryable, statement } from "../postgres/database.ts";

/** A call of the API that a merchant's people may look up. */
export interface ApiRequest {
  readonly merchantId: string;
  readonly requestId: string;
  readonly method: string;
  /** The template of the route, which has no text of the caller. */
  readonly route: string;
  readonly status: number;
  /** The code of an error answer. */
  readonly code: string | null;
  /** Why credentials were refused. */
  readonly reason: string | null;
  /** Null for a call of a customer's browser. */
  readonly keyId: string | null;
  readonly orderId: string | null;
  readonly milliseconds: number;
}

/** A call with the time since it ended. */
export interface EndedRequest extends ApiRequest {
  readonly ageMs: number;
}

export interface LoggedRequest extends ApiRequest {
  readonly id: string;
  readonly at: Date;
}

// If a merchant or a key no longer exists, only its own rows are dropped, and not the whole batch.
const INSERT = statement(
  "api_requests_insert",
  `insert into api_requests (merchant_id, request_id, at, method, route, status, code, reason, key_id,
     order_id, milliseconds)
   select merchant_id, request_id, business_now() - age * interval '1 millisecond', method, route, status, code,
     reason, key_id, order_id, milliseconds
   from unnest($1::text[], $2::uuid[], $3::float8[], $4::text[], $5::text[], $6::smallint[], $7::text[],
     $8::text[], $9::text[], $10::bigint[], $11::int[]) with ordinality
     as r (merchant_id, request_id, age, method, route, status, code, reason, key_id, order_id, milliseconds, place)
   where exists (select from merchants m where m.id = r.merchant_id)
     and (r.key_id is null or exists (select from api_keys k where k.id = r.key_id))
   order by place
   on conflict do nothing`,
);
const SELECT = `select id::text, merchant_id as "merchantId", request_id as "requestId", at, method, route, status,
  code, reason, key_id as "keyId", order_id::text as "orderId", milliseconds
  from api_requests where merchant_id = $1`;
// Plans are generic (docs/internals/query-plans.md), so "is null or" would read all newer calls first.
const OLDER =
  "api_requests.id < coalesce($2::bigint, 9223372036854775807) order by api_requests.id desc limit $3";
const LIST = statement("api_requests_list", `${SELECT} and ${OLDER}`);
const LIST_FAILED = statement(
  "api_requests_list_failed",
  `${SELECT} and status >= 400 and ${OLDER}`,
);
const FIND = statement("api_requests_find", `${SELECT} and request_id = $2`);

export async function insertApiRequests(
  queryable: Queryable,
  requests: readonly EndedRequest[],
): Promise<void> {
  const all = <Value>(pick: (request: EndedRequest) => Value) => requests.map(pick);
  await queryable.write(INSERT, [
    all(({ merchantId }) => merchantId),
    all(({ requestId }) => requestId),
    all(({ ageMs }) => ageMs),
    all(({ method }) => method),
    all(({ route }) => route),
    all(({ status }) => status),
    all(({ code }) => code),
    all(({ reason }) => reason),
    all(({ keyId }) => keyId),
    all(({ orderId }) => orderId),
    all(({ milliseconds }) => milliseconds),
  ]);
}

export interface RequestSearch {
  readonly merchantId: string;
  /** Only calls that were refused or failed. */
  readonly isFailed: boolean;
  readonly olderThan: bigint | null;
  readonly limit: number;
}

/** Lists a merchant's calls, the newest first. */
export const listApiRequests = (
  queryable: Queryable,
  { merchantId, isFailed, olderThan, limit }: RequestSearch,
): Promise<LoggedRequest[]> =>
  queryable.query<LoggedRequest>(isFailed ? LIST_FAILED : LIST, [
    ...[merchantId, olderThan?.toString() ?? null, limit],
  ]);

/** Finds a merchant's call by its request id: at most one. */
export const findApiRequest = (
  queryable: Queryable,
  { merchantId, requestId }: Pick<ApiRequest, "merchantId" | "requestId">,
): Promise<LoggedRequest[]> => queryable.query<LoggedRequest>(FIND, [merchantId, requestId]);
