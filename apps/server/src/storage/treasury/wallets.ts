import { listBalances } from "../ledger/balances.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";
import { bigInteger, boolean, integer, records, table, text, units } from "../postgres/table.ts";

const BALANCES = table({
  wallet_id: text(),
  asset_id: integer(),
  units: units(),
  used_places: bigInteger(),
  is_frozen: boolean(),
});

// Coins that an earlier wallet still holds are in the books. It is read until they have left.
const IS_NOT_EMPTY = `exists (select from wallet_balances balance
  where balance.wallet_id = wallet.id and balance.units <> 0)`;
const WATCHED = statement(
  "chain_wallets_watched",
  `select id, address, exists (select from wallet_balances balance
     where balance.wallet_id = wallet.id) as "hasBalance" from chain_wallets wallet
   where network_code = $1 and kind in ('account', 'expiring') and role <> 'deposits'
     and (state <> 'closed' or ${IS_NOT_EMPTY}) and address is not null order by id`,
);
// A step that was overtaken writes nothing, so the heights only rise.
const STORE = statement(
  "wallet_balances_store",
  `insert into wallet_balances (${BALANCES.names}, height)
   select ${BALANCES.of("balances")}, $2 from ${records("balances", BALANCES.definitions)}
   on conflict (wallet_id, asset_id) do update set units = excluded.units, height = excluded.height,
     used_places = excluded.used_places, is_frozen = excluded.is_frozen, read_at = clock_timestamp()`,
);
const OF_COINS = statement(
  "wallet_balances_of_coins",
  `select wallet.id as "walletId", coalesce(sum(coin.units), 0)::text as units
   from chain_wallets wallet
     left join chain_coins coin on coin.network_code = wallet.network_code and coin.height <= $2
       and coin.account = coalesce(wallet.account, coin.account)
       and (coin.spent_height is null or coin.spent_height > $2)
   where wallet.network_code = $1 and wallet.kind = 'coins' and wallet.role = 'hot'
     and (wallet.state = 'open' or wallet.account is not null and ${IS_NOT_EMPTY})
   group by wallet.id`,
);
const LIST = statement(
  "chain_wallets_list",
  `select wallet.id, wallet.network_code as "networkCode", wallet.kind, wallet.role, wallet.address,
     wallet.state, wallet.next_place::text as "nextPlace", balance.asset_id as "assetId",
     balance.units::text as units, balance.height::text as height
   from chain_wallets wallet left join wallet_balances balance on balance.wallet_id = wallet.id
   order by wallet.network_code, wallet.role, wallet.id, balance.asset_id`,
);

/** A wallet whose balance the scanner reads at each final block: one in use, or a closed one that is not empty. */
export interface WatchedWallet {
  readonly id: string;
  readonly address: string;
  readonly hasBalance: boolean;
}

export const listWatchedWallets = (
  queryable: Queryable,
  networkCode: string,
): Promise<WatchedWallet[]> => queryable.query<WatchedWallet>(WATCHED, [networkCode]);

/** The units of an asset that a wallet has by the chain's word, after a final block. */
export interface WalletBalance {
  readonly walletId: string;
  readonly assetId: number;
  readonly units: bigint;
  /** Sends at lower places are in the balance. */
  readonly usedPlaces: bigint;
  /** The issuer froze the account: it can pay nothing out. */
  readonly isFrozen: boolean;
}

/** Returns the sum of each wallet's coins after a final block. Coins have no places. */
export async function readCoinBalances(
  queryable: Queryable,
  networkCode: string,
  { assetId, height }: { readonly assetId: number; readonly height: bigint },
): Promise<readonly WalletBalance[]> {
  const rows = await queryable.query<{ walletId: string; units: string }>(OF_COINS, [
    networkCode,
    height,
  ]);
  return rows.map(({ walletId, units: amount }) => ({
    walletId,
    assetId,
    units: BigInt(amount),
    usedPlaces: 0n,
    isFrozen: false,
  }));
}

/** Stores the balances of wallets after a final block. */
export async function storeWalletBalances(
  tx: Tx,
  height: bigint,
  balances: readonly WalletBalance[],
): Promise<void> {
  if (balances.length === 0) return;
  const list = JSON.stringify({ balances: balances.map(BALANCES.write) });
  await tx.write(STORE, [list, height]);
}

/** A wallet and one of its balances. The balance is null where the scanner has read none. */
export interface ListedWallet {
  readonly id: string;
  readonly networkCode: string;
  readonly kind: "account" | "coins" | "expiring";
  readonly role: "hot" | "gas" | "deposits" | "cold";
  readonly address: string | null;
  readonly state: "open" | "draining" | "closed";
  readonly nextPlace: string | null;
  readonly assetId: number | null;
  readonly units: string | null;
  readonly height: string | null;
}

export const listWallets = (queryable: Queryable): Promise<ListedWallet[]> =>
  queryable.query<ListedWallet>(LIST);

/** Returns the rows of the open wallet that a network has in a role, one for each asset. */
export const openWalletOf = (
  rows: readonly ListedWallet[],
  networkCode: string,
  role: "hot" | "gas",
): readonly ListedWallet[] =>
  rows.filter(
    (row) => row.networkCode === networkCode && row.role === role && row.state === "open",
  );

/** Returns the coins that our books have in all wallets together, by asset id. */
export async function readWalletBooks(queryable: Queryable): Promise<ReadonlyMap<number, bigint>> {
  const balances = await listBalances(queryable, ["chain_wallet"]);
  return new Map(balances.map(({ assetId, units: sum }) => [assetId, sum]));
}
