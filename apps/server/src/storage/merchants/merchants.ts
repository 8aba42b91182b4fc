import type { Merchant, MerchantSettings } from "../../domain/ports/merchant-directory.ts";
import { type Queryable, statement } from "../postgres/database.ts";

/** A merchant as the operator sees it; the directory holds only those that are not disabled. */
export interface MerchantRecord extends Merchant {
  readonly createdAt: Date;
  readonly disabledAt: Date | null;
}

interface MerchantRow {
  readonly id: string;
  readonly name: string;
  readonly settings: MerchantSettings;
  readonly created_at: Date;
  readonly disabled_at: Date | null;
}

const COLUMNS = "id, name, settings, created_at, disabled_at";

const INSERT = statement(
  "merchants_insert",
  `insert into merchants (id, name, settings) values ($1, $2, $3) returning ${COLUMNS}`,
);
const LIST = statement(
  "merchants_list",
  `select ${COLUMNS} from merchants order by created_at, id`,
);
const FIND = statement("merchants_find", `select ${COLUMNS} from merchants where id = $1`);
const LOCK = statement(
  "merchants_lock",
  `select ${COLUMNS} from merchants where id = $1 for update`,
);
const UPDATE_SETTINGS = statement(
  "merchants_update_settings",
  "update merchants set settings = $2 where id = $1",
);

export async function insertMerchant(
  queryable: Queryable,
  merchant: Merchant,
): Promise<MerchantRecord> {
  const values = [merchant.id, merchant.name, JSON.stringify(merchant.settings)];
  const [row] = await queryable.query<MerchantRow>(INSERT, values);
  if (row === undefined) throw new Error("The merchant was not stored.");
  return toMerchant(row);
}

/** Oldest first. */
export async function listMerchants(queryable: Queryable): Promise<MerchantRecord[]> {
  return (await queryable.query<MerchantRow>(LIST)).map(toMerchant);
}

export async function findMerchant(
  queryable: Queryable,
  id: string,
): Promise<MerchantRecord | undefined> {
  const [row] = await queryable.query<MerchantRow>(FIND, [id]);
  return row && toMerchant(row);
}

/** Like `findMerchant`, and holds the row until the database transaction ends. */
export async function lockMerchant(
  queryable: Queryable,
  id: string,
): Promise<MerchantRecord | undefined> {
  const [row] = await queryable.query<MerchantRow>(LOCK, [id]);
  return row && toMerchant(row);
}

export async function updateMerchantSettings(
  queryable: Queryable,
  merchant: Pick<Merchant, "id" | "settings">,
): Promise<void> {
  await queryable.query(UPDATE_SETTINGS, [merchant.id, JSON.stringify(merchant.settings)]);
}

const toMerchant = (row: MerchantRow): MerchantRecord => ({
  id: row.id,
  name: row.name,
  settings: row.settings,
  createdAt: row.created_at,
  disabledAt: row.disabled_at,
});
