import type { StatementLine, WalletKind } from "../../domain/ports/rail-statement.ts";
import { type Queryable, statement } from "../postgres/database.ts";

// Coins that we brought to a deposit address ourselves are not a deposit. Where a transaction that is not ours moves
// coins between two addresses of ours, only what left is foreign.
const LINES = `
  with deposit as (
    select m.network_code, m.id, m.address, m.asset_id, m.units, m.height, m.transaction_hash, m.state,
      m.recorded_at, null as source, null as counterparty, true as is_deposit
    from chain_movements m),
  wallet as (
    select m.network_code, m.id, m.address, m.asset_id, m.units, m.height, m.transaction_hash, m.state,
      m.recorded_at, m.source, m.counterparty, false as is_deposit
    from chain_wallet_movements m),
  line as (select * from deposit union all select * from wallet)
  select line.network_code as "networkCode", line.id, line.address, line.units::text as units,
    line.height::text as height, line.transaction_hash as "transactionHash", line.state,
    line.recorded_at as "recordedAt", c.reference as "assetReference", output.intent_id as "intentId",
    case
      when line.is_deposit then case when send.purpose in ('sweep', 'top_up', 'rebalance')
        then 'top_up' else 'deposit' end
      when send.id is null and line.units < 0 then 'foreign'
      when send.id is null then case when exists (select from chain_addresses own
          where own.network_code = line.network_code and lower(own.address) = lower(line.counterparty))
        then 'sweep' else 'top_up' end
      when line.source = 'fee' then 'fee'
      when send.purpose = 'payout' then case when line.units < 0 then 'payout' else 'rebalance' end
      when send.purpose in ('cancel', 'raise') then 'rebalance'
      else send.purpose end as kind
  from line join currencies c on c.id = line.asset_id
    left join chain_transactions t on t.hash = line.transaction_hash
    left join chain_sends send on send.id = t.send_id
    left join lateral (
      select intent_id from chain_send_outputs o
      where o.send_id = send.id and not o.is_vacated and send.purpose = 'payout'
      order by lower(o.address) = lower(line.counterparty) desc, o.number limit 1) output on true`;
// A dropped movement is listed however old it is: it may have been booked.
const SINCE = statement(
  "chain_statement_since",
  `${LINES} where line.recorded_at >= $1 or line.state = 'orphaned'`,
);
const OF_NETWORK = statement(
  "chain_statement_of_network",
  `${LINES} where line.network_code = $1 and line.state = 'final'
     and line.height > $2 and line.height <= $3 order by line.height, line.id`,
);
const OPENING = statement(
  "chain_statement_opening",
  `select c.reference as "assetReference", coalesce(sum(moved.units), 0)::text as units
   from (
     select asset_id, units from chain_movements
       where network_code = $1 and state = 'final' and height <= $2
     union all
     select asset_id, units from chain_wallet_movements
       where network_code = $1 and state = 'final' and height <= $2) moved
     join currencies c on c.id = moved.asset_id
   group by c.reference order by c.reference`,
);

/** A movement at an address of ours. */
export interface NetworkMovement {
  readonly networkCode: string;
  readonly id: string;
  readonly address: string;
  readonly kind: "deposit" | "payout" | WalletKind;
  readonly assetReference: string;
  /** Negative for what left the address. */
  readonly units: bigint;
  readonly height: bigint;
  readonly transactionHash: string | null;
  /** The payout that it pays. */
  readonly intentId: string | null;
  readonly state: "seen" | "final" | "orphaned";
  readonly recordedAt: Date;
}

type Row = Omit<NetworkMovement, "units" | "height"> & {
  readonly units: string;
  readonly height: string;
};

const toMovement = ({ units, height, ...row }: Row): NetworkMovement => ({
  ...row,
  units: BigInt(units),
  height: BigInt(height),
});

const STATES = { seen: "pending", final: "settled", orphaned: "rejected" } as const;

/** Lists the movements of all live networks since a moment of the real clock, as lines of a statement. */
export async function listStatedMovements(
  queryable: Queryable,
  since: Date,
): Promise<readonly StatementLine[]> {
  const lines = new Map<string, StatementLine & { readonly amount: { readonly units: bigint } }>();
  for (const movement of (await queryable.query<Row>(SINCE, [since])).map(toMovement)) {
    const { kind, id, intentId, networkCode, transactionHash, assetReference } = movement;
    // A sweep is stated where it arrives.
    if (kind === "sweep" && movement.units < 0n) continue;
    const reference = intentId !== null && kind === "payout" ? intentId : id;
    const key = [kind, reference, transactionHash, assetReference].join(" ");
    const units = movement.units < 0n ? -movement.units : movement.units;
    lines.set(key, {
      kind,
      reference,
      source: networkCode,
      railReference: transactionHash ?? id,
      assetReference,
      // A token that takes a fee moves the coins of one payout in two parts.
      amount: { units: units + (lines.get(key)?.amount.units ?? 0n) },
      state: STATES[movement.state],
    });
  }
  return [...lines.values()];
}

/** The blocks above `from` and up to `to`. */
export interface HeightRange {
  readonly networkCode: string;
  readonly from: bigint;
  readonly to: bigint;
}

/** Lists the final movements of a network. */
export async function listFinalMovements(
  queryable: Queryable,
  { networkCode, from, to }: HeightRange,
): Promise<readonly NetworkMovement[]> {
  return (await queryable.query<Row>(OF_NETWORK, [networkCode, from, to])).map(toMovement);
}

/** Returns the units of each asset at our addresses after a final block, by the asset's reference. */
export async function readHoldings(
  queryable: Queryable,
  networkCode: string,
  height: bigint,
): Promise<ReadonlyMap<string, bigint>> {
  const rows = await queryable.query<{ assetReference: string; units: string }>(OPENING, [
    networkCode,
    height,
  ]);
  return new Map(rows.map(({ assetReference, units }) => [assetReference, BigInt(units)]));
}
