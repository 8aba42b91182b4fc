import type { WalletMovement } from "../../domain/ports/chain-reader.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";
import { bigInteger, integer, nullable, records, table, text, units } from "../postgres/table.ts";

/** The movements at addresses whose keys are ours, as the scanner recorded them. */
export const WALLET_MOVEMENTS = table({
  id: text(),
  address: text(),
  asset_id: integer(),
  units: units(),
  counterparty: nullable(text()),
  height: bigInteger(),
  block_hash: text(),
  transaction_hash: nullable(text()),
  source: text<"event" | "value" | "fee" | "balance">(),
  state: text<"seen" | "final" | "orphaned">(),
});

/** A movement at an address of ours. One that only a balance shows has no transaction. */
export interface StoredWalletMovement extends Omit<WalletMovement, "source" | "transactionHash"> {
  readonly transactionHash: string | null;
  readonly source: "event" | "value" | "fee" | "balance";
  readonly state: "seen" | "final" | "orphaned";
}

/**
 * The condition for a `movement` of coins that reached a hot wallet or a gas tank from outside. The house books them as its
 * capital. Coins from an address of ours are ours already. A contract that is paid may send us tokens within the
 * transaction of its payout.
 */
export const IS_REFILL = `movement.units > 0
  and exists (select from chain_wallets wallet
    where wallet.network_code = movement.network_code and wallet.address = movement.address
      and wallet.role in ('hot', 'gas'))
  and not exists (select from chain_transactions t join chain_sends send on send.id = t.send_id
    where t.hash = movement.transaction_hash
      and (send.purpose <> 'payout' or movement.source <> 'event'))
  and not exists (select from chain_addresses own
    where own.network_code = movement.network_code
      and lower(own.address) = lower(movement.counterparty))
  and not exists (select from chain_wallets own
    where own.network_code = movement.network_code
      and lower(own.address) = lower(movement.counterparty))`;

// Wallets of the sandbox have no address.
const HOT_WALLETS = statement(
  "chain_wallets_hot_addresses",
  `select id, address from chain_wallets
   where network_code = $1 and role in ('hot', 'gas') and address is not null
   order by id`,
);
// A final movement stays as it is, whatever block has its transaction now.
const UPSERT = statement(
  "chain_wallet_movements_upsert",
  `insert into chain_wallet_movements (network_code, ${WALLET_MOVEMENTS.names})
   select $2, ${WALLET_MOVEMENTS.names}
   from ${records("movements", WALLET_MOVEMENTS.definitions)}
   on conflict (network_code, id) do update set height = excluded.height,
     block_hash = excluded.block_hash, state = excluded.state, recorded_at = clock_timestamp()
   where chain_wallet_movements.state <> 'final'`,
);
const ORPHAN_ABOVE = statement(
  "chain_wallet_movements_orphan_above",
  `update chain_wallet_movements set state = 'orphaned', recorded_at = clock_timestamp()
   where network_code = $1 and state = 'seen' and height > $2`,
);
const FINALIZE = statement(
  "chain_wallet_movements_finalize",
  `update chain_wallet_movements set state = 'final', recorded_at = clock_timestamp()
   where network_code = $1 and state = 'seen' and height <= $2
   returning ${WALLET_MOVEMENTS.names}`,
);
// Our transactions are stored before they are sent, so one that is not stored is not ours.
const FOREIGN = statement(
  "chain_wallet_movements_foreign",
  `select movement.id, movement.address, movement.units::text as units, wallet.id as "walletId",
     movement.transaction_hash as "transactionHash", c.reference as "assetReference",
     movement.height::text as height
   from chain_wallet_movements movement
     join currencies c on c.id = movement.asset_id
     left join chain_wallets wallet
       on wallet.network_code = movement.network_code and wallet.address = movement.address
   where movement.network_code = $1 and movement.id = any($2::text[]) and movement.units < 0
     and not exists (select from chain_transactions t where t.hash = movement.transaction_hash)
   order by movement.height, movement.id`,
);

/** A hot wallet or a gas tank of ours. */
export interface HotWallet {
  readonly id: string;
  readonly address: string;
}

/** Lists the hot wallets and gas tanks of a network, retired ones too: their keys are still ours. */
export const listHotWallets = (queryable: Queryable, networkCode: string): Promise<HotWallet[]> =>
  queryable.query<HotWallet>(HOT_WALLETS, [networkCode]);

/** Records movements that were read in blocks, or again after a reorganisation, or that a balance shows. */
export async function upsertWalletMovements(
  tx: Tx,
  networkCode: string,
  movements: readonly StoredWalletMovement[],
): Promise<void> {
  if (movements.length === 0) return;
  const list = JSON.stringify({ movements: movements.map(WALLET_MOVEMENTS.write) });
  await tx.write(UPSERT, [list, networkCode]);
}

/** Marks the movements that were seen above the height as orphaned. */
export async function orphanWalletMovementsAbove(
  tx: Tx,
  networkCode: string,
  height: bigint,
): Promise<void> {
  await tx.write(ORPHAN_ABOVE, [networkCode, height]);
}

/** Makes the movements up to the height final, and returns them. */
export async function finalizeWalletMovements(
  tx: Tx,
  networkCode: string,
  height: bigint,
): Promise<readonly StoredWalletMovement[]> {
  return (await tx.query(FINALIZE, [networkCode, height])).map(WALLET_MOVEMENTS.read);
}

/** Coins that left one of our addresses by a transaction that we did not sign. */
export interface ForeignMovement {
  readonly id: string;
  readonly address: string;
  /** The id of the hot wallet. Null for a deposit address. */
  readonly walletId: string | null;
  readonly assetReference: string;
  /** Negative. */
  readonly units: bigint;
  /** Null where only the balance shows it. */
  readonly transactionHash: string | null;
  readonly height: bigint;
}

/** Returns those of the movements that left an address of ours and that we did not sign. */
export async function findForeign(
  queryable: Queryable,
  networkCode: string,
  ids: readonly string[],
): Promise<readonly ForeignMovement[]> {
  if (ids.length === 0) return [];
  const rows = await queryable.query<
    Omit<ForeignMovement, "units" | "height"> & { units: string; height: string }
  >(FOREIGN, [networkCode, ids]);
  return rows.map(({ units: text, height, ...row }) => ({
    ...row,
    units: BigInt(text),
    height: BigInt(height),
  }));
}
