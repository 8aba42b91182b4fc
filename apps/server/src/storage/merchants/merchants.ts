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
