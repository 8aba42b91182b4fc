import type { Session } from "../../domain/sessions/session.ts";
import { makeBatcher } from "../postgres/batches.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";
import {
  bigInteger,
  json,
  nullable,
  records,
  table,
  text,
  texts,
  timestamp,
  uuid,
} from "../postgres/table.ts";

export const SESSIONS = table({
  merchant_id: text(),
  session_id: text(),
  status: text<Session["status"]>(),
  token_jti: uuid(),
  token_expires_at: timestamp(),
  scope: texts(),
  lock: json<Session["lock"]>(),
  customer: json<Session["customer"]>(),
  return_url: nullable(text()),
  locale: nullable(text()),
  metadata: json<Session["metadata"]>(),
  order_id: nullable(bigInteger()),
  created_at: timestamp(),
});

const KEY = SESSIONS.pick("merchant_id", "session_id");
const NEW_SESSIONS = SESSIONS.omit("status", "order_id", "created_at");
/** The columns that a new token of the same session replaces. */
const REPLACED = NEW_SESSIONS.omit("merchant_id", "session_id");

// The rows are sorted, so that concurrent upserts of the same sessions cannot deadlock. The id of a merchant
// that does not exist is null, which the table refuses. A session with an order is neither updated nor returned.
const OPEN = statement(
  "sessions_open",
  `with moment as materialized (select business_now() as now)
   insert into sessions (${NEW_SESSIONS.names}, created_at, updated_at)
   select (select id from merchants where id = wanted.merchant_id), session_id,
     ${REPLACED.of("wanted")}, now, now
   from moment, ${records("wanted", NEW_SESSIONS.definitions)}
   order by merchant_id, session_id
   on conflict (merchant_id, session_id) do update set
     (${REPLACED.names}, updated_at) = row(${REPLACED.of("excluded")}, excluded.updated_at)
     where sessions.status = 'active'
   returning ${KEY.of("sessions")}`,
);
const FIND = statement(
  "sessions_find",
  `select ${SESSIONS.names} from sessions where merchant_id = $1 and session_id = $2`,
);

const LOCK = statement(
  "sessions_lock",
  `select ${SESSIONS.names} from sessions where merchant_id = $1 and session_id = $2 for update`,
);
// No token has the new id. The times of tokens are real time.
const REVOKE = statement(
  "sessions_revoke_token",
  `update sessions set token_jti = gen_random_uuid(),
     token_expires_at = least(token_expires_at, clock_timestamp()), updated_at = business_now()
   where merchant_id = $1 and session_id = $2 returning ${SESSIONS.names}`,
);

export type SessionKey = Pick<Session, "merchantId" | "sessionId">;

export type NewSession = Omit<Session, "status" | "orderId" | "createdAt">;

/**
 * Stores new sessions, and replaces the token of active ones. Returns false for the sessions in which an order
 * was placed. Simultaneous calls make one row.
 */
export async function openSessions(
  queryable: Queryable,
  sessions: readonly NewSession[],
): Promise<boolean[]> {
  const wanted = JSON.stringify({ wanted: sessions.map(NEW_SESSIONS.write) });
  const opened = new Set(
    (await queryable.query(OPEN, [wanted])).map((row) => keyOf(KEY.read(row))),
  );
  return sessions.map((session) => opened.has(keyOf(session)));
}

const keyOf = (session: SessionKey): string => `${session.merchantId} ${session.sessionId}`;

/** Opens one session. Sessions that are opened at the same time share a statement and a commit. */
export type OpenSession = (session: NewSession) => Promise<boolean>;

export const makeOpenSession = (queryable: Queryable): OpenSession =>
  makeBatcher<NewSession, boolean>({
    run: (sessions) => openSessions(queryable, sessions),
    keyOf,
    batchesInFlightMax: 2,
    itemsMax: 256,
  });

export async function findSession(
  queryable: Queryable,
  { merchantId, sessionId }: SessionKey,
): Promise<Session | undefined> {
  const [row] = await queryable.query(FIND, [merchantId, sessionId]);
  return row === undefined ? undefined : SESSIONS.read(row);
}

/** Locks the row of a session until the database transaction ends. */
export async function lockSession(
  tx: Tx,
  { merchantId, sessionId }: SessionKey,
): Promise<Session | undefined> {
  const [row] = await tx.query(LOCK, [merchantId, sessionId]);
  return row === undefined ? undefined : SESSIONS.read(row);
}

/** Ends the token of a session. Returns undefined when there is no such session. */
export async function revokeSessionToken(
  tx: Tx,
  { merchantId, sessionId }: SessionKey,
): Promise<Session | undefined> {
  const [row] = await tx.query(REVOKE, [merchantId, sessionId]);
  return row === undefined ? undefined : SESSIONS.read(row);
}
