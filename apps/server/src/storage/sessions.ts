import type { Session } from "../domain/sessions/session.ts";
import { type Queryable, statement, type Tx } from "./database.ts";

const COLUMNS = `merchant_id, session_id, status, token_jti, token_expires_at, scope, lock,
  customer, return_url, locale, metadata, order_id, created_at`;

const OPEN = statement(
  "sessions_open",
  `insert into sessions (merchant_id, session_id, token_jti, token_expires_at, scope, lock, customer,
     return_url, locale, metadata)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
   on conflict (merchant_id, session_id) do update set
     token_jti = excluded.token_jti, token_expires_at = excluded.token_expires_at,
     scope = excluded.scope, lock = excluded.lock, customer = excluded.customer,
     return_url = excluded.return_url, locale = excluded.locale, metadata = excluded.metadata,
     updated_at = business_now()
   where sessions.status = 'active'
   returning session_id`,
);
const FIND = statement(
  "sessions_find",
  `select ${COLUMNS} from sessions where merchant_id = $1 and session_id = $2`,
);
const LOCK = statement(
  "sessions_lock",
  `select ${COLUMNS} from sessions where merchant_id = $1 and session_id = $2 for update`,
);
const EXPIRE = statement(
  "sessions_expire",
  `update sessions set status = 'expired', order_id = $3, updated_at = business_now()
   where merchant_id = $1 and session_id = $2 and status = 'active'
   returning session_id`,
);

export type SessionKey = Pick<Session, "merchantId" | "sessionId">;

/**
 * Stores the session with its new token, or gives an active one a new token in place of the older.
 * False when an order was already placed in it. One statement: simultaneous calls make one row.
 */
export async function openSession(
  queryable: Queryable,
  session: Omit<Session, "status" | "orderId" | "createdAt">,
): Promise<boolean> {
  const rows = await queryable.query(OPEN, [
    session.merchantId,
    session.sessionId,
    session.tokenJti,
    session.tokenExpiresAt,
    session.scope,
    JSON.stringify(session.lock),
    JSON.stringify(session.customer),
    session.returnUrl,
    session.locale,
    JSON.stringify(session.metadata),
  ]);
  return rows.length === 1;
}

export async function findSession(
  queryable: Queryable,
  key: SessionKey,
): Promise<Session | undefined> {
  const [row] = await queryable.query<SessionRow>(FIND, [key.merchantId, key.sessionId]);
  return row && toSession(row);
}

/** Like `findSession`, and holds the row until the database transaction ends. */
export async function lockSession(tx: Tx, key: SessionKey): Promise<Session | undefined> {
  const [row] = await tx.query<SessionRow>(LOCK, [key.merchantId, key.sessionId]);
  return row && toSession(row);
}

/** Ends the session with its one order; false when it had one already. */
export async function expireSession(tx: Tx, key: SessionKey, orderId: bigint): Promise<boolean> {
  const rows = await tx.query(EXPIRE, [key.merchantId, key.sessionId, orderId]);
  return rows.length === 1;
}

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
