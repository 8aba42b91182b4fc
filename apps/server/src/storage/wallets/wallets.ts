import { type Queryable, statement } from "../postgres/database.ts";
import { bigInteger, integer, table, text } from "../postgres/table.ts";

/** An address that a merchant saved for a customer. */
export interface SavedWallet {
  readonly id: bigint;
  /** The id of one coin on one network. */
  readonly currencyId: number;
  readonly walletAddress: string;
  /** Empty when the merchant sent no name. */
  readonly firstName: string;
  readonly lastName: string;
}

export const WALLETS = table({
  id: bigInteger(),
  currency_id: integer(),
  wallet_address: text(),
  first_name: text(),
  last_name: text(),
});

// One statement saves the wallet: simultaneous calls make one row, and each call returns it.
const SAVE = statement(
  "wallets_save",
  `insert into wallets (merchant_id, currency_id, wallet_address, address_key, first_name, last_name)
   values ($1, $2, $3, $4, coalesce($5, ''), coalesce($6, ''))
   on conflict (merchant_id, currency_id, address_key) do update set
     first_name = coalesce($5, wallets.first_name), last_name = coalesce($6, wallets.last_name)
   returning ${WALLETS.names}`,
);
const FIND = statement(
  "wallets_find",
  `select ${WALLETS.names} from wallets where merchant_id = $1 and id = $2`,
);
const FIND_BY_ADDRESS = statement(
  "wallets_find_by_address",
  `select ${WALLETS.names} from wallets
   where merchant_id = $1 and currency_id = $2 and address_key = $3`,
);
const LIST = statement(
  "wallets_list",
  `select ${WALLETS.names} from wallets
   where merchant_id = $1 and id < $2 order by id desc limit $3`,
);
const DELETE = statement(
  "wallets_delete",
  "delete from wallets where merchant_id = $1 and id = $2 returning id",
);

export interface WalletAddress {
  readonly merchantId: string;
  readonly currencyId: number;
  /** The normalized form of the address, as `addressKey` of the domain returns it. */
  readonly addressKey: string;
}

export type NewWallet = WalletAddress & {
  readonly walletAddress: string;
  readonly user: { readonly firstName: string; readonly lastName: string } | undefined;
};

/** Stores the wallet, or renames the one with this address. */
export async function saveWallet(queryable: Queryable, wallet: NewWallet): Promise<SavedWallet> {
  const [row] = await queryable.query<object>(SAVE, [
    wallet.merchantId,
    wallet.currencyId,
    wallet.walletAddress,
    wallet.addressKey,
    wallet.user?.firstName ?? null,
    wallet.user?.lastName ?? null,
  ]);
  return WALLETS.read(row);
}

export interface WalletKey {
  readonly merchantId: string;
  readonly id: bigint;
}

export async function findWallet(
  queryable: Queryable,
  key: WalletKey,
): Promise<SavedWallet | undefined> {
  const [row] = await queryable.query<object>(FIND, [key.merchantId, key.id]);
  return row && WALLETS.read(row);
}

export async function findWalletByAddress(
  queryable: Queryable,
  { merchantId, currencyId, addressKey }: WalletAddress,
): Promise<SavedWallet | undefined> {
  const values = [merchantId, currencyId, addressKey];
  const [row] = await queryable.query<object>(FIND_BY_ADDRESS, values);
  return row && WALLETS.read(row);
}

/** Larger than any id. */
const ID_END = 2n ** 53n;

/** Lists at most `limit` wallets whose ids are below an id, the newest first. */
export async function listWallets(
  queryable: Queryable,
  from: { readonly merchantId: string; readonly below?: bigint | undefined },
  limit: number,
): Promise<SavedWallet[]> {
  const values = [from.merchantId, from.below ?? ID_END, limit];
  return (await queryable.query<object>(LIST, values)).map(WALLETS.read);
}

/** Returns false when there is no such wallet. */
export async function deleteWallet(queryable: Queryable, key: WalletKey): Promise<boolean> {
  return (await queryable.query(DELETE, [key.merchantId, key.id])).length === 1;
}
