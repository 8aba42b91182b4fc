import {
  dataKeyOf,
  KEY_COLUMNS,
  keyRecord,
  type NewDataKey,
  storeKeys,
} from "../customers/data-keys.ts";
import { type Queryable, statement } from "../postgres/database.ts";
import {
  bigInteger,
  bytes,
  integer,
  nullable,
  records,
  type TableRow,
  table,
  text,
} from "../postgres/table.ts";

export const WALLETS = table({
  id: bigInteger(),
  merchant_id: text(),
  /** The id of one coin on one network. */
  currency_id: integer(),
  wallet_address: text(),
  address_key: text(),
  /** The customer's name, sealed. Null when the merchant sent none. */
  personal: nullable(bytes()),
});
const NEW_WALLETS = WALLETS.omit("id");

/** An address that a merchant saved for a customer, as it is stored. */
export type StoredWallet = TableRow<typeof WALLETS> & { readonly dataKey: Uint8Array | null };

interface StoredRow {
  readonly data_key: Uint8Array | null;
}

const toStored = (row: StoredRow): StoredWallet => ({
  ...WALLETS.read(row),
  dataKey: row.data_key,
});

/** The key of a wallet's row in `data_keys`. */
export const walletRowKey = ({
  currencyId,
  addressKey,
}: Pick<WalletAddress, "currencyId" | "addressKey">): string => `${currencyId}:${addressKey}`;

const ROW_KEY = (alias: string): string => `${alias}.currency_id || ':' || ${alias}.address_key`;
const DATA_KEY = dataKeyOf("wallet", "w.merchant_id", ROW_KEY("w"));
const STORED = `${WALLETS.of("w")}, ${DATA_KEY} as data_key`;

// One statement saves the wallet, so simultaneous calls make one row.
const SAVE = statement(
  "wallets_save",
  `with saved as (
     insert into wallets (${NEW_WALLETS.names})
     select ${NEW_WALLETS.names} from ${records("wanted", NEW_WALLETS.definitions)}
     on conflict (merchant_id, currency_id, address_key) do update set
       personal = coalesce(excluded.personal, wallets.personal)
     returning id, merchant_id, currency_id, address_key),
   keyed as (
     select w.id, w.merchant_id, ${ROW_KEY("w")} as row_key, ${KEY_COLUMNS.of("added")}
     from saved w, (
       select * from ${records("wanted", KEY_COLUMNS.definitions)}) added),
   stored as (${storeKeys("wallet", "keyed")})
   select id from keyed`,
);
const FIND = statement(
  "wallets_find",
  `select ${STORED} from wallets w where w.merchant_id = $1 and w.id = $2`,
);
const FIND_BY_ADDRESS = statement(
  "wallets_find_by_address",
  `select ${STORED} from wallets w
   where w.merchant_id = $1 and w.currency_id = $2 and w.address_key = $3`,
);
const LIST = statement(
  "wallets_list",
  `select ${STORED} from wallets w
   where w.merchant_id = $1 and w.id < $2 order by w.id desc limit $3`,
);
const DELETE = statement(
  "wallets_delete",
  `with gone as (
     delete from wallets w where w.merchant_id = $1 and w.id = $2
     returning w.id, w.merchant_id, ${ROW_KEY("w")} as row_key),
   key_gone as (
     delete from data_keys k using gone
     where k.merchant_id = gone.merchant_id and k.kind = 'wallet' and k.row_key = gone.row_key)
   select id from gone`,
);

export interface WalletAddress {
  readonly merchantId: string;
  readonly currencyId: number;
  /** The normalized form of the address, as `addressKey` of the domain returns it. */
  readonly addressKey: string;
}

export type NewWallet = Omit<TableRow<typeof WALLETS>, "id"> & {
  /** The key that seals `personal`. */
  readonly newKey?: NewDataKey | undefined;
};

/** Stores the wallet, or renames the one with this address. Returns its id. */
export async function upsertWallet(queryable: Queryable, wallet: NewWallet): Promise<bigint> {
  const wanted = [{ ...NEW_WALLETS.write(wallet), ...keyRecord(wallet.newKey) }];
  const [row] = await queryable.query<{ id: string }>(SAVE, [JSON.stringify({ wanted })]);
  if (row === undefined) throw new Error("the database returned no wallet");
  return BigInt(row.id);
}

export interface WalletKey {
  readonly merchantId: string;
  readonly id: bigint;
}

export async function findWallet(
  queryable: Queryable,
  key: WalletKey,
): Promise<StoredWallet | undefined> {
  const [row] = await queryable.query<StoredRow>(FIND, [key.merchantId, key.id]);
  return row && toStored(row);
}

export async function findWalletByAddress(
  queryable: Queryable,
  { merchantId, currencyId, addressKey }: WalletAddress,
): Promise<StoredWallet | undefined> {
  const values = [merchantId, currencyId, addressKey];
  const [row] = await queryable.query<StoredRow>(FIND_BY_ADDRESS, values);
  return row && toStored(row);
}

/** Larger than any id. */
const ID_END = 2n ** 53n;

/** Lists at most `limit` wallets whose ids are below an id, the newest first. */
export async function listWallets(
  queryable: Queryable,
  from: { readonly merchantId: string; readonly below?: bigint | undefined },
  limit: number,
): Promise<StoredWallet[]> {
  const values = [from.merchantId, from.below ?? ID_END, limit];
  return (await queryable.query<StoredRow>(LIST, values)).map(toStored);
}

/** Returns false when there is no such wallet. */
export async function deleteWallet(queryable: Queryable, key: WalletKey): Promise<boolean> {
  return (await queryable.query(DELETE, [key.merchantId, key.id])).length === 1;
}
