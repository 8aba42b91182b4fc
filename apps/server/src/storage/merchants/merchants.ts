import { HOUSE } from "../../domain/ledger/entry.ts";
import type { Merchant, MerchantSettings } from "../../domain/ports/merchant-directory.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";
import { json, nullable, table, text, timestamp } from "../postgres/table.ts";

/** A merchant as it is shown to the operator. The directory contains only merchants that are not disabled. */
export interface MerchantRecord extends Merchant {
  readonly createdAt: Date;
  readonly disabledAt: Date | null;
}

export const MERCHANTS = table({
  id: text(),
  name: text(),
  settings: json<MerchantSettings>(),
  created_at: timestamp(),
  disabled_at: nullable(timestamp()),
});

const INSERT = statement(
  "merchants_insert",
  `insert into merchants (id, name, settings) values ($1, $2, $3) returning ${MERCHANTS.names}`,
);
// The house owns accounts of the ledger. It is not a merchant that anybody works with.
const IS_MERCHANT = `id <> '${HOUSE}'`;
const LIST = statement(
  "merchants_list",
  `select ${MERCHANTS.names} from merchants where ${IS_MERCHANT} order by created_at, id`,
);
const FIND = statement(
  "merchants_find",
  `select ${MERCHANTS.names} from merchants where id = $1 and ${IS_MERCHANT}`,
);
const LOCK = statement(
  "merchants_lock",
  `select ${MERCHANTS.names} from merchants where id = $1 and ${IS_MERCHANT} for update`,
);
const UPDATE = statement(
  "merchants_update",
  `update merchants set name = $2, settings = $3 where id = $1 returning ${MERCHANTS.names}`,
);
const SWITCH = statement(
  "merchants_switch",
  `update merchants set disabled_at = case when $2 then business_now() end where id = $1
   returning ${MERCHANTS.names}`,
);

/** A merchant in a list of people of the operator. Its settings, which have its logo, are not read. */
export interface ListedMerchantRecord
  extends Pick<MerchantRecord, "id" | "name" | "createdAt" | "disabledAt"> {
  /** API keys that work. */
  readonly keys: number;
  /** People who may sign in or are invited. */
  readonly people: number;
}

const LISTED = `id, name, created_at as "createdAt", disabled_at as "disabledAt",
  (select count(*)::int from api_keys k where k.merchant_id = m.id and k.revoked_at is null
     and (k.expires_at is null or k.expires_at > clock_timestamp())) as keys,
  (select count(*)::int from people p where p.merchant_id = m.id and p.state <> 'disabled') as people
  from merchants m where ${IS_MERCHANT}`;
const SEARCH = statement(
  "merchants_search",
  `select ${LISTED} and ($1::text is null or id = $1 or position(lower($1) in lower(name)) > 0)
     and ($4::timestamptz is null or date_trunc('milliseconds', created_at) <= $4)
   order by created_at desc, id limit $2 offset $3`,
);
const FIND_LISTED = statement("merchants_find_listed", `select ${LISTED} and id = $1`);

export interface MerchantSearch {
  /** A part of a name, or a client id. All when null. */
  readonly text: string | null;
  readonly limit: number;
  /** The place of the first one among those created until the time. */
  readonly offset: number;
  /** Null for the first page. Later pages do not move when a merchant is created. */
  readonly until: Date | null;
}

/** Lists merchants, the newest first. */
export const searchMerchants = (
  queryable: Queryable,
  { text, limit, offset, until }: MerchantSearch,
): Promise<ListedMerchantRecord[]> =>
  queryable.query<ListedMerchantRecord>(SEARCH, [text, limit, offset, until]);

export async function findListedMerchant(
  queryable: Queryable,
  id: string,
): Promise<ListedMerchantRecord | undefined> {
  const [row] = await queryable.query<ListedMerchantRecord>(FIND_LISTED, [id]);
  return row;
}

export async function insertMerchant(
  queryable: Queryable,
  merchant: Merchant,
): Promise<MerchantRecord> {
  const values = [merchant.id, merchant.name, JSON.stringify(merchant.settings)];
  const [row] = await queryable.query<object>(INSERT, values);
  if (row === undefined) throw new Error("The insert of the merchant returned no row.");
  return MERCHANTS.read(row);
}

/** Lists all merchants, oldest first. */
export async function listMerchants(queryable: Queryable): Promise<MerchantRecord[]> {
  return (await queryable.query<object>(LIST)).map(MERCHANTS.read);
}

export async function findMerchant(
  queryable: Queryable,
  id: string,
): Promise<MerchantRecord | undefined> {
  const [row] = await queryable.query<object>(FIND, [id]);
  return row && MERCHANTS.read(row);
}

/** Reads a merchant and locks its row until the database transaction ends. */
export async function lockMerchant(
  queryable: Queryable,
  id: string,
): Promise<MerchantRecord | undefined> {
  const [row] = await queryable.query<object>(LOCK, [id]);
  return row && MERCHANTS.read(row);
}

/** Stores the name and the settings of a locked merchant. */
export async function updateMerchant(tx: Tx, merchant: Merchant): Promise<MerchantRecord> {
  const { id, name, settings } = merchant;
  const [row] = await tx.query<object>(UPDATE, [id, name, JSON.stringify(settings)]);
  if (row === undefined) throw new Error(`The merchant ${id} has no row.`);
  return MERCHANTS.read(row);
}

/** Disables or enables a locked merchant. */
export async function switchMerchant(
  tx: Tx,
  merchant: { readonly id: string; readonly disabled: boolean },
): Promise<MerchantRecord> {
  const [row] = await tx.query<object>(SWITCH, [merchant.id, merchant.disabled]);
  if (row === undefined) throw new Error(`The merchant ${merchant.id} has no row.`);
  return MERCHANTS.read(row);
}
