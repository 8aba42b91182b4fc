import type { Session } from "../domain/sessions/session.ts";
import { makeBatcher, sharedBatcher } from "./batches.ts";
import { type Queryable, statement } from "./database.ts";
import { jsonRows } from "./json-rows.ts";

const COLUMNS = `merchant_id, session_id, status, token_jti, token_expires_at, scope, lock,
  customer, return_url, locale, metadata, order_id, created_at`;

const INSERT = `insert into sessions (merchant_id, session_id, token_jti, token_expires_at, scope,
  lock, customer, return_url, locale, metadata, created_at, updated_at)`;
// What it gives back is open, the others have their order.
const OR_REPLACE_TOKEN = `on conflict (merchant_id, session_id) do update set
  token_jti = excluded.token_jti, token_expires_at = excluded.token_expires_at,
  scope = excluded.scope, lock = excluded.lock, customer = excluded.customer,
  return_url = excluded.return_url, locale = excluded.locale, metadata = excluded.metadata,
  updated_at = excluded.updated_at
  where sessions.status = 'active'
  returning merchant_id, session_id`;
const MOMENT = "with moment as materialized (select business_now() as now)";
/** The id of a merchant that is not there is null, which the table refuses. */
const merchantIs = (id: string): string => `(select id from merchants where id = ${id})`;

const OPEN_MANY = statement(
  "sessions_open_many",
  `${MOMENT} ${INSERT}
   select ${merchantIs("wanted.merchant_id")}, session_id, token_jti, token_expires_at, scope, lock,
     customer, return_url, locale, metadata, now, now
   from moment, jsonb_to_recordset($1) as wanted (merchant_id text, session_id text, token_jti uuid,
     token_expires_at timestamptz, scope text[], lock jsonb, customer jsonb, return_url text,
     locale text, metadata jsonb)
   order by merchant_id, session_id
   ${OR_REPLACE_TOKEN}`,
);
// An idle service opens one at a time: without a list to be read it costs a sixth less.
const OPEN_ONE = statement(
  "sessions_open_one",
  `${MOMENT} ${INSERT}
   select ${merchantIs("$1")}, $2, $3, $4, $5, $6, $7, $8, $9, $10, now, now from moment
   ${OR_REPLACE_TOKEN}`,
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
  const rows = sessions.map(toRow);
  const [one] = rows;
  const opened = await (rows.length === 1 && one !== undefined
    ? queryable.query<OpenedRow>(OPEN_ONE, Object.values(one))
    : queryable.query<OpenedRow>(OPEN_MANY, [JSON.stringify(rows)]));
  const keys = new Set(opened.map((row) => `${row.merchant_id} ${row.session_id}`));
  return sessions.map((session) => keys.has(keyOf(session)));
}

type OpenedRow = Pick<SessionRow, "merchant_id" | "session_id">;

/** Its members stand in the order of the columns. */
const toRow = (session: NewSession) => ({
  merchant_id: session.merchantId,
  session_id: session.sessionId,
  token_jti: session.tokenJti,
  token_expires_at: session.tokenExpiresAt.toISOString(),
  scope: session.scope,
  lock: session.lock,
  customer: session.customer,
  return_url: session.returnUrl,
  locale: session.locale,
  metadata: session.metadata,
});

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
