import type { ReadMovement } from "../../domain/ports/chain-reader.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";
import { bigInteger, integer, nullable, records, table, text, units } from "../postgres/table.ts";

/** Coins that reached a deposit address, as the scanner recorded them. */
export const CHAIN_MOVEMENTS = table({
  id: text(),
  address: text(),
  asset_id: integer(),
  units: units(),
  height: bigInteger(),
  block_hash: text(),
  transaction_hash: nullable(text()),
  source: text<"event" | "value" | "balance">(),
  state: text<"seen" | "final" | "orphaned">(),
});

export interface ChainMovement extends Omit<ReadMovement, "source" | "transactionHash"> {
  readonly transactionHash: string | null;
  readonly source: "event" | "value" | "balance";
  readonly state: "seen" | "final" | "orphaned";
}

/** An asset at an address. */
export interface AddressAsset {
  readonly address: string;
  readonly assetId: number;
}

const HOLDINGS = table({ address: text(), asset_id: integer() });

// A final movement stays as it is, whatever block has its transaction now.
const UPSERT = statement(
  "chain_movements_upsert",
  `insert into chain_movements (network_code, ${CHAIN_MOVEMENTS.names})
   select $2, ${CHAIN_MOVEMENTS.names}
   from ${records("movements", CHAIN_MOVEMENTS.definitions)}
   on conflict (network_code, id) do update set height = excluded.height,
     block_hash = excluded.block_hash, state = excluded.state, recorded_at = clock_timestamp()
   where chain_movements.state <> 'final'`,
);
const ORPHAN_ABOVE = statement(
  "chain_movements_orphan_above",
  `update chain_movements set state = 'orphaned', recorded_at = clock_timestamp()
   where network_code = $1 and state = 'seen' and height > $2 returning address`,
);
const FINALIZE = statement(
  "chain_movements_finalize",
  `update chain_movements m set state = 'final', recorded_at = clock_timestamp()
   where network_code = $2 and state = 'seen' and height <= $3
     and not exists (select from ${records("held", HOLDINGS.definitions)}
       where held.address in (m.address, split_part(m.address, '?', 1)) and held.asset_id = m.asset_id)
   returning ${CHAIN_MOVEMENTS.names}`,
);
// The deposits with tags of one account are explained together (`domain/wallets/tagged-address.ts`).
const EXPLAINED = statement(
  "chain_movements_explained",
  `select address, asset_id, sum(units)::text as units,
     coalesce(sum(pending), 0)::text as "pendingUnits"
   from (
     select address, asset_id, units, case when state = 'seen' then units end as pending
     from chain_movements
     where network_code = $1 and state in ('seen', 'final') and height <= $2
       and address = any($3::text[])
     union all
     select split_part(address, '?', 1), asset_id, units, case when state = 'seen' then units end
     from chain_movements
     where network_code = $1 and state in ('seen', 'final') and height <= $2
       and address like '%?%' and split_part(address, '?', 1) = any($3::text[])
     union all
     select address, asset_id, units, null from chain_wallet_movements
     where network_code = $1 and state in ('seen', 'final') and height <= $2
       and address = any($3::text[])) moved
   group by address, asset_id`,
);
const LATER = statement(
  "chain_movements_later",
  `select address, asset_id, coalesce(sum(units) filter (where units > 0), 0)::text as came,
     coalesce(sum(units) filter (where units < 0), 0)::text as "left"
   from (
     select address, asset_id, units from chain_movements
     where network_code = $1 and state = 'seen' and height > $2 and address = any($3::text[])
     union all
     select address, asset_id, units from chain_wallet_movements
     where network_code = $1 and state = 'seen' and height > $2 and address = any($3::text[])) moved
   group by address, asset_id`,
);
const PENDING = statement(
  "chain_movements_pending",
  `select distinct address from chain_movements
   where network_code = $1 and state = 'seen' and height <= $2`,
);
/**
 * Whether we brought the coins of a movement `m` to a deposit address ourselves, for the fee of a sweep. They are not a
 * deposit. A payout is one: its customer may have named the deposit address of another order.
 */
export const IS_OWN_MOVE = `exists (select from chain_transactions t join chain_sends send on send.id = t.send_id
  where t.hash = m.transaction_hash and send.purpose <> 'payout')`;
const LIST_AT = statement(
  "chain_movements_list_at",
  `select ${CHAIN_MOVEMENTS.names} from chain_movements m
   where network_code = $1 and address = $2
     and not ${IS_OWN_MOVE}
   order by height, id`,
);
const FINAL_ABOVE = statement(
  "chain_movements_final_above",
  `select id from chain_movements
   where network_code = $1 and state = 'final' and height > $2 order by height, id`,
);
const REFERENCES = statement(
  "chain_addresses_references",
  "select reference from chain_addresses where network_code = $1 and address = any($2::text[])",
);

/** Records movements that were read in blocks, or again after a reorganisation. */
export async function upsertMovements(
  tx: Tx,
  networkCode: string,
  movements: readonly ChainMovement[],
): Promise<void> {
  if (movements.length === 0) return;
  const list = JSON.stringify({ movements: movements.map(CHAIN_MOVEMENTS.write) });
  await tx.write(UPSERT, [list, networkCode]);
}

/** Marks the movements that were seen above the height as orphaned. Returns their addresses. */
export async function orphanMovementsAbove(
  tx: Tx,
  networkCode: string,
  height: bigint,
): Promise<readonly string[]> {
  const rows = await tx.query<{ address: string }>(ORPHAN_ABOVE, [networkCode, height]);
  return rows.map(({ address }) => address);
}

/** Makes movements up to the height final, except those of the held places. Returns them. */
export async function finalizeMovements(
  tx: Tx,
  networkCode: string,
  { height, held }: { readonly height: bigint; readonly held: readonly AddressAsset[] },
): Promise<readonly ChainMovement[]> {
  const list = JSON.stringify({ held: held.map(HOLDINGS.write) });
  return (await tx.query(FINALIZE, [list, networkCode, height])).map(CHAIN_MOVEMENTS.read);
}

export interface Explained extends AddressAsset {
  readonly units: bigint;
  /** The part that reached a deposit address and is not final. */
  readonly pendingUnits: bigint;
}

/** Returns the units that the movements up to the height explain, by address and asset. */
export async function readExplained(
  queryable: Queryable,
  networkCode: string,
  { height, addresses }: { readonly height: bigint; readonly addresses: readonly string[] },
): Promise<readonly Explained[]> {
  const rows = await queryable.query<{
    address: string;
    asset_id: number;
    units: string;
    pendingUnits: string;
  }>(EXPLAINED, [networkCode, height, addresses]);
  return rows.map(({ address, asset_id, units, pendingUnits }) => ({
    address,
    assetId: asset_id,
    units: BigInt(units),
    pendingUnits: BigInt(pendingUnits),
  }));
}

/** The units that blocks above a height brought to a place, and those that they took from it, which are negative. */
export interface LaterUnits extends AddressAsset {
  readonly came: bigint;
  readonly left: bigint;
}

/** Returns what the read blocks above the height moved, by address and asset. */
export async function readLater(
  queryable: Queryable,
  networkCode: string,
  { height, addresses }: { readonly height: bigint; readonly addresses: readonly string[] },
): Promise<readonly LaterUnits[]> {
  const rows = await queryable.query<{
    address: string;
    asset_id: number;
    came: string;
    left: string;
  }>(LATER, [networkCode, height, addresses]);
  return rows.map(({ address, asset_id, came, left }) => ({
    address,
    assetId: asset_id,
    came: BigInt(came),
    left: BigInt(left),
  }));
}

/** Lists the addresses with movements up to the height that are not final. */
export async function listPendingAddresses(
  queryable: Queryable,
  networkCode: string,
  height: bigint,
): Promise<readonly string[]> {
  const rows = await queryable.query<{ address: string }>(PENDING, [networkCode, height]);
  return rows.map(({ address }) => address);
}

/** Lists the movements to an address. */
export async function listMovementsTo(
  queryable: Queryable,
  { networkCode, address }: { readonly networkCode: string; readonly address: string },
): Promise<readonly ChainMovement[]> {
  return (await queryable.query(LIST_AT, [networkCode, address])).map(CHAIN_MOVEMENTS.read);
}

/** Lists the ids of final movements above the height. */
export async function listFinalAbove(
  queryable: Queryable,
  networkCode: string,
  height: bigint,
): Promise<readonly string[]> {
  const rows = await queryable.query<{ id: string }>(FINAL_ABOVE, [networkCode, height]);
  return rows.map(({ id }) => id);
}

/** Lists the references, which are order ids, of these addresses. */
export async function listReferencesOf(
  queryable: Queryable,
  networkCode: string,
  addresses: readonly string[],
): Promise<readonly string[]> {
  if (addresses.length === 0) return [];
  const rows = await queryable.query<{ reference: string }>(REFERENCES, [networkCode, addresses]);
  return rows.map(({ reference }) => reference);
}
