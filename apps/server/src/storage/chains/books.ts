import { sendOf } from "../payouts/sends.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";

const REPEATABLE_READ = "set transaction isolation level repeatable read";

// One transaction of coins may pay several payouts, which the books settle one after the other.
const IS_ITS_MOVEMENT = `(not exists (select from chain_send_outputs other
    where other.send_id = send.id and not other.is_vacated and other.number <> output.number)
  or output.units = -unbooked.units and exists (select from chain_wallet_movements m
    where m.network_code = unbooked.network_code and m.id = unbooked.id
      and lower(m.counterparty) = lower(output.address)))`;
const SEND = sendOf("unbooked.transaction_hash");
// Sweeps and top-ups move coins between addresses of ours, so the books have nothing to say about them once they ended.
const SETTLE = statement(
  "chain_unbooked_settle",
  `delete from chain_unbooked unbooked where network_code = $1
     and ($2::text is null or transaction_hash in ($2, lower($2))) and case
     when is_deposit then
       exists (select from deposits d where d.rail = 'chain' and d.source = unbooked.network_code
         and d.external_id = unbooked.id and d.state = 'final')
       or exists (select from restored_lines r where r.kind = 'deposit'
         and r.source = unbooked.network_code and r.reference = unbooked.id)
       or exists (select from chain_sends send where send.id = ${SEND} and (send.purpose = 'rebalance'
           or send.purpose in ('sweep', 'top_up') and send.state in ('final', 'failed')))
     when ${SEND} is not null then
       case when source = 'fee' then exists (select from ledger_entries entry
         where entry.key = 'fee:' || unbooked.network_code || ':' || unbooked.transaction_hash)
       else exists (select from chain_sends send
         where send.id = ${SEND}
           and (send.purpose in ('cancel', 'raise')
             or (send.purpose in ('sweep', 'top_up', 'rebalance') and send.state in ('final', 'failed'))
             or exists (select from chain_send_outputs output join payout_intents intent
                 on intent.id = output.intent_id and intent.state in ('confirmed', 'void')
                   and not intent.awaits_finality
               where output.send_id = send.id and not output.is_vacated and ${IS_ITS_MOVEMENT})))
       end
     else exists (select from restored_lines r where r.kind = 'payout'
       and r.source = unbooked.network_code and r.reference = unbooked.id)
     end`,
);
// The books have payouts before the scanner's final blocks do. `late`: nothing of the transaction is in a block.
const ENDED_EARLY = `
  with under_way as materialized (
    select send.id, send.settled_hash, false as is_late
    from (select distinct transaction_hash from chain_wallet_movements
        where network_code = $1 and state = 'seen') seen
      join chain_transactions t on t.hash = seen.transaction_hash
      join chain_sends send on send.id = t.send_id and send.settled_hash = t.hash
    where send.state in ('final', 'failed')
    union all
    select send.id, send.settled_hash, send.updated_at < business_now() - $2 * interval '1 second'
      and not exists (select from chain_wallet_movements m where m.transaction_hash = send.settled_hash
        and m.recorded_at > clock_timestamp() - $2 * interval '1 second')
    from chain_sends send join chain_wallets wallet on wallet.id = send.wallet_id
    where send.state in ('final', 'failed') and wallet.network_code = $1
      and wallet.kind = 'account' and wallet.address is not null and send.updated_at > business_now() - interval '2 days'
      and not exists (select from chain_wallet_movements m
        where m.transaction_hash = send.settled_hash and m.state <> 'orphaned'))`;
const EARLY = statement(
  "chain_books_early",
  `${ENDED_EARLY}
   select asset_id as "assetId", sum(units)::text as units from (
     select intent.asset_id, -intent.units as units
     from under_way join chain_send_outputs output on output.send_id = under_way.id and not output.is_vacated
       join payout_intents intent on intent.id = output.intent_id and intent.state = 'confirmed'
         and not intent.awaits_finality
     where not is_late
     union all
     select asset_id, -units from payout_intents where network_code = $1 and awaits_finality
     union all
     select account.asset_id, posting.units
     from under_way join ledger_entries entry on entry.key = 'fee:' || $1 || ':' || settled_hash
       join ledger_postings posting on posting.entry_id = entry.id
       join ledger_accounts account on account.id = posting.account_id
     where not is_late and account.purpose = 'chain_wallet') early
   group by asset_id`,
);
// A payout whose block was dropped is sent again and its fee is raised, which needs blocks. A stop would prevent that.
const LATE = statement(
  "chain_books_late",
  `${ENDED_EARLY}
   select coalesce(output.intent_id, late.id) as id, late.settled_hash as hash
   from under_way late left join chain_send_outputs output on output.send_id = late.id
   where is_late
   union all
   select intent.id, coalesce(intent.settled_hash, intent.transaction_hash)
   from payout_intents intent
   where intent.network_code = $1 and intent.awaits_finality
     and intent.updated_at < business_now() - $3 * interval '1 second'
     and not exists (select from chain_send_outputs output
         join chain_transactions t on t.send_id = output.send_id
         join chain_wallet_movements m on m.transaction_hash = t.hash
       where output.intent_id = intent.id and not output.is_vacated and (m.state <> 'orphaned'
         or m.recorded_at > clock_timestamp() - $3 * interval '1 second'))
   order by 1, 2 limit 20`,
);
const READ = statement(
  "chain_books_read",
  `select book.asset_id as "assetId", c.reference as "assetReference",
     opening_units::text as "openingUnits", chain_units::text as "chainUnits",
     difference::text as difference, since_height::text as "sinceHeight",
     compared_height::text as "comparedHeight", compared_at as "comparedAt",
     coalesce((select sum(units) from chain_unbooked u
       where u.network_code = book.network_code and u.asset_id = book.asset_id), 0)::text
       as "unbookedUnits"
   from chain_books book join currencies c on c.id = book.asset_id
   where book.network_code = $1 order by c.reference`,
);
const STORE = statement(
  "chain_books_store",
  `update chain_books set difference = $3, compared_height = $4, compared_at = clock_timestamp(),
     since_height = case when $3::numeric <> 0 then
       case when difference = $3::numeric then since_height else $4::bigint end end
   where network_code = $1 and asset_id = $2`,
);

/** How the books of one asset compare with its network. */
export interface AssetBook {
  readonly assetId: number;
  readonly assetReference: string;
  /** The books before the network was followed. */
  readonly openingUnits: bigint;
  /** The balances of our addresses at the final block. */
  readonly chainUnits: bigint;
  /** The final movements that the books do not have. */
  readonly unbookedUnits: bigint;
  /** The units that the books have more than the chain, without those under way. */
  readonly difference: bigint;
  /** The final height at which the difference was found. */
  readonly sinceHeight: bigint | null;
  readonly comparedHeight: bigint | null;
  readonly comparedAt: Date | null;
}

interface BookRow {
  readonly assetId: number;
  readonly assetReference: string;
  readonly openingUnits: string;
  readonly chainUnits: string;
  readonly unbookedUnits: string;
  readonly difference: string;
  readonly sinceHeight: string | null;
  readonly comparedHeight: string | null;
  readonly comparedAt: Date | null;
}

/** Everything that follows in the database transaction sees one moment. It must be its first statement. */
export const readOneMoment = (tx: Tx): Promise<void> => tx.runScript(REPEATABLE_READ);

/** Deletes the queued movements that the books have, of one transaction or of all. */
export async function settleUnbooked(tx: Tx, networkCode: string, hash?: string): Promise<void> {
  await tx.write(SETTLE, [networkCode, hash ?? null]);
}

export async function readBooks(
  queryable: Queryable,
  networkCode: string,
): Promise<readonly AssetBook[]> {
  const rows = await queryable.query<BookRow>(READ, [networkCode]);
  return rows.map((row) => ({
    ...row,
    openingUnits: BigInt(row.openingUnits),
    chainUnits: BigInt(row.chainUnits),
    unbookedUnits: BigInt(row.unbookedUnits),
    difference: BigInt(row.difference),
    sinceHeight: row.sinceHeight === null ? null : BigInt(row.sinceHeight),
    comparedHeight: row.comparedHeight === null ? null : BigInt(row.comparedHeight),
  }));
}

/**
 * Returns the units of each asset that the books have and no final block has yet. A transaction that no block has
 * counts for this many seconds. A payout that awaits its final block counts until its send has ended: its movements
 * stay queued until then.
 */
export async function readEarly(
  tx: Tx,
  networkCode: string,
  graceSeconds: number,
): Promise<ReadonlyMap<number, bigint>> {
  const rows = await tx.query<{ assetId: number; units: string }>(EARLY, [
    networkCode,
    graceSeconds,
  ]);
  return new Map(rows.map(({ assetId, units }) => [assetId, BigInt(units)]));
}

/** A send that ended in the books, and its transaction, which no block has. */
export interface LateSend {
  /** The id of its payout, or of a send without one. */
  readonly id: string;
  readonly hash: string;
}

/**
 * Lists the sends that ended, and the payouts of completed orders, whose transactions have been in no block for their
 * seconds.
 */
export const listLateSends = (
  tx: Tx,
  networkCode: string,
  within: { readonly bookedSeconds: number; readonly minedAgainSeconds: number },
): Promise<LateSend[]> =>
  tx.query<LateSend>(LATE, [networkCode, within.bookedSeconds, within.minedAgainSeconds]);

/** Records a comparison. A difference that was found before keeps the height at which it was found. */
export async function storeComparison(
  tx: Tx,
  networkCode: string,
  found: { readonly assetId: number; readonly difference: bigint; readonly height: bigint },
): Promise<void> {
  await tx.write(STORE, [networkCode, found.assetId, found.difference, found.height]);
}
