import type { ReadMovement } from "../../domain/ports/chain-reader.ts";
import type { StatementLine } from "../../domain/ports/rail-statement.ts";
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
export interface Holding {
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
       where held.address = m.address and held.asset_id = m.asset_id)
   returning address`,
);
const EXPLAINED = statement(
  "chain_movements_explained",
  `select address, asset_id, sum(units)::text as units,
     bool_or(state = 'seen') as "isPending" from chain_movements
   where network_code = $1 and state in ('seen', 'final') and height <= $2
     and address = any($3::text[])
   group by address, asset_id`,
);
const PENDING = statement(
  "chain_movements_pending",
  `select distinct address from chain_movements
   where network_code = $1 and state = 'seen' and height <= $2`,
);
const LIST_AT = statement(
  "chain_movements_list_at",
  `select ${CHAIN_MOVEMENTS.names} from chain_movements
   where network_code = $1 and address = $2 order by height, id`,
);
const FINAL_ABOVE = statement(
  "chain_movements_final_above",
  `select id from chain_movements
   where network_code = $1 and state = 'final' and height > $2 order by height, id`,
);
// A dropped movement is listed however old it is: it may have been booked.
const STATED = statement(
  "chain_movements_stated",
  `select m.id as reference, coalesce(m.transaction_hash, m.id) as "railReference",
     m.network_code as source, c.reference as "assetReference", m.units::text as units,
     case m.state when 'final' then 'settled' when 'seen' then 'pending' else 'rejected' end as state
   from chain_movements m join currencies c on c.id = m.asset_id
   where m.recorded_at >= $1 or m.state = 'orphaned'`,
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

/** Takes back what was seen above the height. Returns the addresses. */
export async function orphanMovementsAbove(
  tx: Tx,
  networkCode: string,
  height: bigint,
): Promise<readonly string[]> {
  const rows = await tx.query<{ address: string }>(ORPHAN_ABOVE, [networkCode, height]);
  return rows.map(({ address }) => address);
}

/** Makes movements up to the height final, except those of the held places. Returns the addresses. */
export async function finalizeMovements(
  tx: Tx,
  networkCode: string,
  { height, held }: { readonly height: bigint; readonly held: readonly Holding[] },
): Promise<readonly string[]> {
  const list = JSON.stringify({ held: held.map(HOLDINGS.write) });
  const rows = await tx.query<{ address: string }>(FINALIZE, [list, networkCode, height]);
  return rows.map(({ address }) => address);
}

export interface Explained extends Holding {
  readonly units: bigint;
  /** A part of it is not final. */
  readonly isPending: boolean;
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
    isPending: boolean;
  }>(EXPLAINED, [networkCode, height, addresses]);
  return rows.map(({ asset_id, units, ...row }) => ({
    ...row,
    assetId: asset_id,
    units: BigInt(units),
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

/** Lists the movements of all networks since a moment of the real clock, as lines of a statement. */
export async function listStatedMovements(
  queryable: Queryable,
  since: Date,
): Promise<readonly StatementLine[]> {
  const rows = await queryable.query<Omit<StatementLine, "amount" | "kind"> & { units: string }>(
    STATED,
    [since],
  );
  return rows.map(({ units, ...line }) => ({
    ...line,
    kind: "deposit",
    amount: { units: BigInt(units) },
  }));
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
