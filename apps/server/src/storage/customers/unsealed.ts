import type { OrderCustomer } from "../../domain/orders/order.ts";
import { type Statement, statement, type Tx } from "../postgres/database.ts";
import { bigInteger, bytes, nullable, records, table, text, uuid } from "../postgres/table.ts";
import { dataKeyOf, KEY_COLUMNS, keyRecord, type NewDataKey, storeKeys } from "./data-keys.ts";

/**
 * Rows from versions that stored personal data in the clear. Their columns are read here alone. Each statement
 * takes a batch that a partial index finds, and the rows stay locked until they are sealed.
 */
export const UNSEALED_BATCH = 200;

type Texts = Readonly<Record<string, string>>;

export interface UnsealedSession {
  readonly merchantId: string;
  readonly sessionId: string;
  readonly customer: OrderCustomer;
  readonly metadata: Texts;
  readonly returnUrl: string | null;
}

export interface UnsealedOrder {
  readonly id: string;
  readonly merchantId: string;
  readonly sessionId: string;
  readonly customer: OrderCustomer;
  readonly metadata: Texts;
  readonly payoutSealed: Uint8Array | null;
  readonly payoutShown: Texts;
  readonly dataKey: Uint8Array | null;
}

export interface UnsealedWallet {
  readonly merchantId: string;
  readonly id: string;
  readonly currencyId: number;
  readonly addressKey: string;
  readonly firstName: string;
  readonly lastName: string;
}

export interface UnsealedBilling {
  readonly id: string;
  readonly orderId: string;
  readonly merchantId: string;
  readonly sessionId: string;
  readonly address: object;
  readonly dataKey: Uint8Array | null;
}

const TAKE_SESSIONS = statement(
  "unsealed_sessions_take",
  `select merchant_id as "merchantId", session_id as "sessionId", customer, metadata,
     return_url as "returnUrl"
   from sessions where customer <> '{}' or metadata <> '{}' or return_url is not null
   order by merchant_id, session_id limit ${UNSEALED_BATCH} for update`,
);
const TAKE_ORDERS = statement(
  "unsealed_orders_take",
  `select o.id, o.merchant_id as "merchantId", o.session_id as "sessionId", o.customer, o.metadata,
     o.payout_sealed as "payoutSealed", o.payout_shown as "payoutShown",
     ${dataKeyOf("session", "o.merchant_id", "o.session_id")} as "dataKey"
   from orders o where o.personal is null order by o.id limit ${UNSEALED_BATCH} for update of o`,
);
const TAKE_WALLETS = statement(
  "unsealed_wallets_take",
  `select merchant_id as "merchantId", id, currency_id as "currencyId", address_key as "addressKey",
     first_name as "firstName", last_name as "lastName"
   from wallets where first_name <> '' or last_name <> ''
   order by merchant_id, id limit ${UNSEALED_BATCH} for update`,
);
const TAKE_BILLING = statement(
  "unsealed_billing_take",
  `select a.id, a.order_id as "orderId", o.merchant_id as "merchantId", o.session_id as "sessionId",
     a.billing_address as address,
     ${dataKeyOf("session", "o.merchant_id", "o.session_id")} as "dataKey"
   from payment_attempts a join orders o on o.id = a.order_id
   where a.billing_address is not null order by a.id limit ${UNSEALED_BATCH} for update of a`,
);

export const takeUnsealedSessions = (tx: Tx): Promise<UnsealedSession[]> =>
  tx.query<UnsealedSession>(TAKE_SESSIONS);
export const takeUnsealedOrders = (tx: Tx): Promise<UnsealedOrder[]> =>
  tx.query<UnsealedOrder>(TAKE_ORDERS);
export const takeUnsealedWallets = (tx: Tx): Promise<UnsealedWallet[]> =>
  tx.query<UnsealedWallet>(TAKE_WALLETS);
export const takeUnsealedBilling = (tx: Tx): Promise<UnsealedBilling[]> =>
  tx.query<UnsealedBilling>(TAKE_BILLING);

const SESSION_ROWS = table({
  merchant_id: text(),
  row_key: text(),
  personal: nullable(bytes()),
});
const ORDER_ROWS = table({ ...SESSION_ROWS.columns, id: bigInteger() });
const BILLING_ROWS = table({ id: uuid(), sealed: bytes() });

const sealing = (name: string, rows: string, write: string, keys: string): Statement =>
  statement(
    name,
    `with wanted as materialized (
       select * from ${records("wanted", `${rows}, ${KEY_COLUMNS.definitions}`)}),
     sealed as (${write} returning 1),
     stored as (${keys})
     select count(*) from sealed`,
  );
const SEAL_SESSIONS = sealing(
  "unsealed_sessions_seal",
  SESSION_ROWS.definitions,
  `update sessions s set personal = wanted.personal, customer = '{}', metadata = '{}', return_url = null
   from wanted where s.merchant_id = wanted.merchant_id and s.session_id = wanted.row_key`,
  storeKeys("session", "wanted"),
);
const SEAL_ORDERS = sealing(
  "unsealed_orders_seal",
  ORDER_ROWS.definitions,
  `update orders o set personal = wanted.personal, customer = '{}', metadata = '{}',
     payout_sealed = null, payout_shown = '{}', version = o.version + 1
   from wanted where o.id = wanted.id`,
  storeKeys("session", "wanted"),
);
const SEAL_WALLETS = sealing(
  "unsealed_wallets_seal",
  ORDER_ROWS.definitions,
  `update wallets w set personal = wanted.personal, first_name = '', last_name = ''
   from wanted where w.merchant_id = wanted.merchant_id and w.id = wanted.id`,
  storeKeys("wallet", "wanted"),
);
const SEAL_BILLING = statement(
  "unsealed_billing_seal",
  `update payment_attempts a set billing_sealed = wanted.sealed, billing_address = null
   from ${records("wanted", BILLING_ROWS.definitions)} where a.id = wanted.id`,
);

/** The sealed data of a row, with the key to store. `rowKey` identifies the key. */
export interface SealedRow {
  readonly merchantId: string;
  readonly rowKey: string;
  readonly personal: Uint8Array | null;
  readonly newKey: NewDataKey | undefined;
}

const recordOf = (row: SealedRow) => ({ ...SESSION_ROWS.write(row), ...keyRecord(row.newKey) });
const wantedOf = (wanted: readonly object[]): readonly string[] => [JSON.stringify({ wanted })];

export async function storeSealedSessions(tx: Tx, rows: readonly SealedRow[]): Promise<void> {
  await tx.query(SEAL_SESSIONS, wantedOf(rows.map(recordOf)));
}

type SealedRowWithId = SealedRow & { readonly id: string };

const withId = (row: SealedRowWithId) => ({ ...recordOf(row), id: row.id });

export async function storeSealedOrders(tx: Tx, rows: readonly SealedRowWithId[]): Promise<void> {
  await tx.query(SEAL_ORDERS, wantedOf(rows.map(withId)));
}

export async function storeSealedWallets(tx: Tx, rows: readonly SealedRowWithId[]): Promise<void> {
  await tx.query(SEAL_WALLETS, wantedOf(rows.map(withId)));
}

export async function storeSealedBilling(
  tx: Tx,
  rows: readonly { readonly id: string; readonly sealed: Uint8Array }[],
): Promise<void> {
  await tx.query(SEAL_BILLING, wantedOf(rows.map(BILLING_ROWS.write)));
}
