import type { Break } from "../../domain/ledger/audit-facts.ts";
import type { RailBreak } from "../../domain/ledger/reconcile.ts";
import { type Queryable, statement } from "../postgres/database.ts";

/**
 * The fee of a failed payout is booked in a later database transaction. In this time a worker takes over from one
 * that died in between.
 */
const GRACE = "interval '600 seconds'";

// Sends of earlier versions have no fee in the books.
const FAULTY_FEES = statement(
  "ledger_check_fees",
  `with ended as materialized (
     select 'fee:' || wallet.network_code || ':' || send.settled_hash as key,
       send.is_fee_booked and send.updated_at < business_now() - ${GRACE} as is_due
     from chain_sends send join chain_wallets wallet on wallet.id = send.wallet_id
     where send.state in ('final', 'failed'))
   select 'a final transaction of ours has its network fee' as check,
     'there is no entry ' || ended.key as problem
   from ended where ended.is_due
     and not exists (select from ledger_entries entry where entry.key = ended.key)
   union all
   select 'a network fee belongs to a final transaction of ours',
     'entry ' || entry.key || ' names another transaction'
   from ledger_entries entry
   where entry.kind = 'network_fee' and not exists (select from ended where ended.key = entry.key)
   limit 100`,
);

/** Checks that every final transaction of our wallets has its network fee in the books in time, and no other has one. */
export const checkFees = (queryable: Queryable): Promise<Break[]> =>
  queryable.query<Break>(FAULTY_FEES);

const MISSING_FEES = statement(
  "audit_missing_fees",
  `select 'a final transaction of ours has its network fee' as check,
     'there is no entry fee:' || wallet.network_code || ':' || send.settled_hash as problem,
     wallet.network_code as "networkCode"
   from chain_sends send join chain_wallets wallet on wallet.id = send.wallet_id
   where send.state in ('final', 'failed') and send.is_fee_booked
     and send.updated_at > business_now() - (clock_timestamp() - $1) - ${GRACE}
     and send.updated_at < business_now() - ${GRACE}
     and not exists (select from ledger_entries entry
       where entry.key = 'fee:' || wallet.network_code || ':' || send.settled_hash)
   order by send.updated_at limit 100`,
);

/** Finds the final transactions since a moment of the real clock whose network fee is due and not in the books. */
export const findMissingFees = (queryable: Queryable, since: Date): Promise<RailBreak[]> =>
  queryable.query<RailBreak>(MISSING_FEES, [since]);
