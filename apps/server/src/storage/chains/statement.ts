import type { StatementLine, WalletKind } from "../../domain/ports/rail-statement.ts";
import { IS_RESTORED } from "../history.ts";
import { sendOf } from "../payouts/sends.ts";
import { type Queryable, statement } from "../postgres/database.ts";

// Coins that we brought to a deposit address ourselves are not a deposit. Where a transaction that is not ours moves
// coins between two addresses of ours, only what left is foreign. A dropped movement of our wallets is not stated: its
// transaction, or another one of its send, may be in a block that the scanner has not read yet.
const LINES = `
  with deposit as (
    select m.network_code, m.id, m.address, m.asset_id, m.units, m.height, m.transaction_hash, m.state,
      m.recorded_at, null as source, null as counterparty, true as is_deposit
    from chain_movements m),
  wallet as (
    select m.network_code, m.id, m.address, m.asset_id, m.units, m.height, m.transaction_hash, m.state,
      m.recorded_at, m.source, m.counterparty, false as is_deposit
    from chain_wallet_movements m where m.state <> 'orphaned'),
  line as (select * from deposit union all select * from wallet),
  -- A payment that a restored database does not have, of exactly what an unsigned payout owes. Of equal ones the first
  -- pays the first. A transaction of coins may pay several.
  moved as (
    select m.network_code, m.id, m.asset_id, lower(m.counterparty) as address, -m.units as units, m.transaction_hash,
      row_number() over (partition by m.network_code, m.asset_id, lower(m.counterparty), m.units
        order by m.height, m.id) as turn
    from chain_wallet_movements m
    where ${IS_RESTORED} and m.units < 0 and m.source <> 'fee' and m.state <> 'orphaned'
      and ${sendOf("m.transaction_hash")} is null),
  owed as (
    select i.id as intent_id, i.network_code, i.asset_id, lower(i.address) as address, i.units,
      row_number() over (partition by i.network_code, i.asset_id, lower(i.address), i.units order by i.id) as turn
    from payout_intents i where ${IS_RESTORED} and i.rail = 'chain' and i.state = 'created'),
  lost as (
    select network_code, id, transaction_hash, intent_id, payments
    from (select network_code, moved.id, transaction_hash, intent_id,
        count(*) over (partition by network_code, transaction_hash) as payments
      from moved join owed using (network_code, asset_id, address, units, turn)) paid
    where payments = 1 or exists (select from chain_wallets wallet
      where wallet.network_code = paid.network_code and wallet.kind = 'coins'))
  select line.network_code as "networkCode", line.id, line.address, line.units::text as units,
    line.height::text as height, line.transaction_hash as "transactionHash", line.state,
    line.recorded_at as "recordedAt", c.reference as "assetReference",
    coalesce(output.intent_id, lost.intent_id) as "intentId",
    case
      when line.is_deposit then case when send.purpose in ('sweep', 'top_up', 'rebalance')
        then 'top_up' else 'deposit' end
      when lost.intent_id is not null and line.source = 'fee' then 'fee'
      when lost.intent_id is not null and line.units < 0 then 'payout'
      when send.id is null and line.units < 0 then 'foreign'
      when send.id is null then case when exists (select from chain_addresses own
          where own.network_code = line.network_code and lower(own.address) = lower(line.counterparty))
        then 'sweep' else 'top_up' end
      when line.source = 'fee' then 'fee'
      when send.purpose = 'payout' then case when line.units < 0 then 'payout'
        when line.source = 'event' then 'top_up' else 'rebalance' end
      when send.purpose in ('cancel', 'raise') then 'rebalance'
      else send.purpose end as kind
  from line join currencies c on c.id = line.asset_id
    left join chain_sends send on send.id = ${sendOf("line.transaction_hash")}
    left join lateral (
      select intent_id from lost where not line.is_deposit and lost.network_code = line.network_code
        and lost.transaction_hash = line.transaction_hash and (line.source = 'fee' or lost.id = line.id or lost.payments = 1)
      order by intent_id limit 1) lost on true
    left join lateral (
      select intent_id from chain_send_outputs o
      where o.send_id = send.id and not o.is_vacated and send.purpose = 'payout'
      order by lower(o.address) = lower(line.counterparty) and o.units = -line.units desc,
        lower(o.address) = lower(line.counterparty) desc, o.number limit 1) output on true`;
// A dropped deposit is listed however old it is: it may have been booked.
const SINCE = statement(
  "chain_statement_since",
  `${LINES} where line.recorded_at >= $1 or line.is_deposit and line.state = 'orphaned'`,
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
export async function readOpeningUnits(
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
