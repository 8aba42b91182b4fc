import type { Session } from "../../domain/sessions/session.ts";
import { arrayText } from "../postgres/array-text.ts";
import { makeBatcher, sharedBatcher } from "../postgres/batches.ts";
import { type Queryable, statement } from "../postgres/database.ts";
import { jsonRows } from "../postgres/json-rows.ts";

const COLUMNS = `merchant_id, session_id, status, token_jti, token_expires_at, scope, lock,
  customer, return_url, locale, metadata, order_id, created_at`;

/** The id of a merchant that is not there is null, which the table refuses. */
const merchantIs = (id: string): string => `(select id from merchants where id = ${id})`;

// Columns as arrays cost a quarter less than rows of JSON. What few sessions have comes as one JSON.
// What it gives back is open, the others have their order.
const OPEN_MANY = statement(
  "sessions_open_many",
  `with moment as materialized (select business_now() as now)
   insert into sessions (merchant_id, session_id, token_jti, token_expires_at, scope,
     lock, customer, return_url, locale, metadata, created_at, updated_at)
   select ${merchantIs("wanted.merchant_id")}, session_id, token_jti, to_timestamp(token_expires_at),
     scope::text[], coalesce(terms->'lock', '{}'), coalesce(terms->'customer', '{}'),
     terms->>'return_url', terms->>'locale', coalesce(terms->'metadata', '{}'), now, now
   from moment, unnest($1::text[], $2::text[], $3::uuid[], $4::float8[], $5::text[], $6::jsonb[])
     as wanted (merchant_id, session_id, token_jti, token_expires_at, scope, terms)
   on conflict (merchant_id, session_id) do update set
     token_jti = excluded.token_jti, token_expires_at = excluded.token_expires_at,
     scope = excluded.scope, lock = excluded.lock, customer = excluded.customer,
     return_url = excluded.return_url, locale = excluded.locale, metadata = excluded.metadata,
     updated_at = excluded.updated_at
     where sessions.status = 'active'
   returning merchant_id, session_id`,
);
// An idle service opens one at a time, most often a new and plain one: without a list to be read,
// anything to replace or rows to give back it costs a third less.
const ADD_PLAIN = statement(
  "sessions_add_plain",
  `insert into sessions (merchant_id, session_id, token_jti, token_expires_at, scope, created_at,
     updated_at)
   select ${merchantIs("$1")}, $2, $3::uuid, $4::timestamptz, $5::text[], now, now
   from (select business_now() as now offset 0) as moment
   on conflict (merchant_id, session_id) do nothing`,
);
const FIND = statement(
  "sessions_find",
  `with wanted as materialized (${jsonRows("wanted", "line int, merchant_id text, session_id text")})
   select wanted.line, s.* from wanted
   join (select ${COLUMNS} from sessions) s using (merchant_id, session_id)`,
);

export type SessionKey = Pick<Session, "merchantId" | "sessionId">;

export type NewSession = Omit<Session, "status" | "orderId" | "createdAt">;

/**
 * Stores sessions with their new tokens, or gives active ones a new token in place of the older.
 * False for those in which an order was already placed. Simultaneous calls make one row.
 */
export async function openSessions(
  queryable: Queryable,
  sessions: readonly NewSession[],
): Promise<boolean[]> {
  const [one] = sessions;
  if (one !== undefined && sessions.length === 1 && (await addPlain(queryable, one))) return [true];
  const opened = await queryable.query<OpenedRow>(OPEN_MANY, columnsOf(sessions));
  const keys = new Set(opened.map((row) => `${row.merchant_id} ${row.session_id}`));
  return sessions.map((session) => keys.has(keyOf(session)));
}

type OpenedRow = Pick<SessionRow, "merchant_id" | "session_id">;

/** False where it is there already, or not plain; then nothing was written. */
async function addPlain(queryable: Queryable, session: NewSession): Promise<boolean> {
  if (termsOf(session) !== null) return false;
  const { merchantId, sessionId, tokenJti, tokenExpiresAt, scope } = session;
  const values = [merchantId, sessionId, tokenJti, tokenExpiresAt.toISOString(), scope];
  return (await queryable.write(ADD_PLAIN, values)) === 1;
}

/** In one order, so that two statements that replace tokens of the same sessions never wait in a ring. */
function columnsOf(sessions: readonly NewSession[]): string[] {
  const rows = [...sessions].sort(byKey);
  const column = (valueOf: (row: NewSession) => string | null): string =>
    arrayText(rows.map(valueOf));
  return [
    column((row) => row.merchantId),
    column((row) => row.sessionId),
    column((row) => row.tokenJti),
    column((row) => String(row.tokenExpiresAt.getTime() / 1000)),
    column((row) => arrayText(row.scope)),
    column(termsOf),
  ];
}

function byKey(a: NewSession, b: NewSession): number {
  if (a.merchantId !== b.merchantId) return a.merchantId < b.merchantId ? -1 : 1;
  return a.sessionId < b.sessionId ? -1 : 1;
}

/** What the merchant's server fixed or told, as JSON; null for most sessions, which have none of it. */
function termsOf({ lock, customer, returnUrl, locale, metadata }: NewSession): string | null {
  const isPlain =
    returnUrl === null && locale === null && [lock, customer, metadata].every(isEmpty);
  return isPlain
    ? null
    : JSON.stringify({ lock, customer, return_url: returnUrl, locale, metadata });
}

const isEmpty = (value: object): boolean => Object.keys(value).length === 0;

const keyOf = (session: SessionKey): string => `${session.merchantId} ${session.sessionId}`;

/** Opens one session; those that are opened at the same time share a statement and a commit. */
export type OpenSession = (session: NewSession) => Promise<boolean>;

export const makeOpenSession = (queryable: Queryable): OpenSession =>
  makeBatcher<NewSession, boolean>({
    run: (sessions) => openSessions(queryable, sessions),
    keyOf,
    batchesInFlightMax: 2,
    itemsMax: 256,
  });

async function findSessions(
  queryable: Queryable,
  keys: readonly SessionKey[],
): Promise<(Session | undefined)[]> {
  const wanted = keys.map(({ merchantId, sessionId }, line) => ({
    is_a: "wanted",
    line,
    merchant_id: merchantId,
    session_id: sessionId,
  }));
  const rows = await queryable.query<SessionRow & { readonly line: number }>(FIND, [
    JSON.stringify({ wanted }),
  ]);
  const sessions = new Map(rows.map((row) => [row.line, toSession(row)]));
  return keys.map((_key, line) => sessions.get(line));
}

const findShared = sharedBatcher<Queryable, SessionKey, Session | undefined>((queryable) => ({
  run: (keys) => findSessions(queryable, keys),
  batchesInFlightMax: 3,
  itemsMax: 64,
}));

/** Reads a session. Those that are asked for at the same time share a statement. */
export const findSession = (queryable: Queryable, key: SessionKey): Promise<Session | undefined> =>
  findShared(queryable, key);

interface SessionRow {
  readonly merchant_id: string;
  readonly session_id: string;
  readonly status: Session["status"];
  readonly token_jti: string;
  readonly token_expires_at: Date;
  readonly scope: string[];
  readonly lock: Session["lock"];
  readonly customer: Session["customer"];
  readonly return_url: string | null;
  readonly locale: string | null;
  readonly metadata: Record<string, string>;
  readonly order_id: string | null;
  readonly created_at: Date;
}

const toSession = (row: SessionRow): Session => ({
  merchantId: row.merchant_id,
  sessionId: row.session_id,
  status: row.status,
  tokenJti: row.token_jti,
  tokenExpiresAt: row.token_expires_at,
  scope: row.scope,
  lock: row.lock,
  customer: row.customer,
  returnUrl: row.return_url,
  locale: row.locale,
  metadata: row.metadata,
  orderId: row.order_id === null ? null : BigInt(row.order_id),
  createdAt: row.created_at,
});
