import type { StoredSession } from "../../domain/sessions/session.ts";
import {
  dataKeyOf,
  KEY_COLUMNS,
  keyRecord,
  type NewDataKey,
  storeKeys,
} from "../customers/data-keys.ts";
import { IS_PAGE_REVOKED } from "../orders/pages.ts";
import { makeBatcher } from "../postgres/batches.ts";
import { lookup, type Queryable, statement, type Tx } from "../postgres/database.ts";
import {
  bigInteger,
  bytes,
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
  status: text<StoredSession["status"]>(),
  token_jti: uuid(),
  token_expires_at: timestamp(),
  scope: texts(),
  lock: json<StoredSession["lock"]>(),
  personal: nullable(bytes()),
  locale: nullable(text()),
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
  `with moment as materialized (select business_now() as now),
   opened as (
     insert into sessions (${NEW_SESSIONS.names}, created_at, updated_at)
     select (select id from merchants where id = wanted.merchant_id), session_id,
       ${REPLACED.of("wanted")}, now, now
     from moment, ${records("wanted", NEW_SESSIONS.definitions)}
     order by merchant_id, session_id
     on conflict (merchant_id, session_id) do update set
       (${REPLACED.names}, updated_at) = row(${REPLACED.of("excluded")}, excluded.updated_at)
       where sessions.status = 'active'
     returning ${KEY.of("sessions")}),
   keyed as (
     select merchant_id, session_id as row_key, ${KEY_COLUMNS.names}
     from ${records("wanted", `${KEY.definitions}, ${KEY_COLUMNS.definitions}`)}
       join opened using (merchant_id, session_id)),
   stored as (${storeKeys("session", "keyed")})
   select ${KEY.names} from opened`,
);
const DATA_KEY = dataKeyOf("session", "s.merchant_id", "s.session_id");
const FIND = lookup(
  "sessions_find",
  ["text", "text"],
  `select ${SESSIONS.of("s")}, ${DATA_KEY} as data_key from sessions s
   where s.merchant_id = $1 and s.session_id = $2`,
);

const FIND_OF_PAGE = lookup(
  "sessions_find_of_page",
  ["bigint"],
  `select ${SESSIONS.of("s")}, ${DATA_KEY} as data_key from orders o
     join sessions s on s.merchant_id = o.merchant_id and s.session_id = o.session_id
   where o.id = $1 and not ${IS_PAGE_REVOKED}`,
);

const LOCK = statement(
  "sessions_lock",
  `select ${SESSIONS.of("s")}, ${DATA_KEY} as data_key from sessions s
   where s.merchant_id = $1 and s.session_id = $2 for update of s`,
);
// No token has the new id. The times of tokens are real time.
const REVOKE = statement(
  "sessions_revoke_token",
  `update sessions s set token_jti = gen_random_uuid(),
     token_expires_at = least(token_expires_at, clock_timestamp()), updated_at = business_now()
   where s.merchant_id = $1 and s.session_id = $2
   returning ${SESSIONS.of("s")}, ${DATA_KEY} as data_key`,
);

export type SessionKey = Pick<StoredSession, "merchantId" | "sessionId">;

export type NewSession = Omit<StoredSession, "status" | "orderId" | "createdAt" | "dataKey"> & {
  /** The key that seals `personal`. Undefined when the session has no personal data. */
  readonly newKey?: NewDataKey | undefined;
};

/**
 * Stores new sessions, and replaces the token of active ones. Returns false for the sessions in which an order
 * was placed. Simultaneous calls make one row.
 */
export async function openSessions(
  queryable: Queryable,
  sessions: readonly NewSession[],
): Promise<boolean[]> {
  const wanted = JSON.stringify({
    wanted: sessions.map((session) => ({
      ...NEW_SESSIONS.write(session),
      ...keyRecord(session.newKey),
    })),
  });
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

interface StoredRow {
  readonly data_key: Uint8Array | null;
}

const toStored = (row: StoredRow): StoredSession => ({
  ...SESSIONS.read(row),
  dataKey: row.data_key,
});

export async function findSession(
  queryable: Queryable,
  { merchantId, sessionId }: SessionKey,
): Promise<StoredSession | undefined> {
  const [row] = await queryable.query<StoredRow>(FIND, [merchantId, sessionId]);
  return row && toStored(row);
}

/** Reads the session of an order. Returns undefined when there is none, or when the order's page was revoked. */
export async function findSessionOfPage(
  queryable: Queryable,
  orderId: bigint,
): Promise<StoredSession | undefined> {
  const [row] = await queryable.query<StoredRow>(FIND_OF_PAGE, [orderId]);
  return row && toStored(row);
}

/** Locks the row of a session until the database transaction ends. */
export async function lockSession(
  tx: Tx,
  { merchantId, sessionId }: SessionKey,
): Promise<StoredSession | undefined> {
  const [row] = await tx.query<StoredRow>(LOCK, [merchantId, sessionId]);
  return row && toStored(row);
}

/** Ends the token of a session. Returns undefined when there is no such session. */
export async function revokeSessionToken(
  tx: Tx,
  { merchantId, sessionId }: SessionKey,
): Promise<StoredSession | undefined> {
  const [row] = await tx.query<StoredRow>(REVOKE, [merchantId, sessionId]);
  return row && toStored(row);
}
