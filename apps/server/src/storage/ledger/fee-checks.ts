import type { Break } from "../../domain/ledger/audit-facts.ts";
import { type Queryable, statement } from "../postgres/database.ts";

// Sends of earlier versions have no fee in the books.
const FAULTY_FEES = statement(
  "ledger_check_fees",
  `with ended as materialized (
     select 'fee:' || wallet.network_code || ':' || send.settled_hash as key, send.is_fee_booked
     from chain_sends send join chain_wallets wallet on wallet.id = send.wallet_id
     where send.state in ('final', 'failed'))
   select 'a final transaction of ours has its network fee' as check,
     'there is no entry ' || ended.key as problem
   from ended where ended.is_fee_booked
     and not exists (select from ledger_entries entry where entry.key = ended.key)
   union all
   select 'a network fee belongs to a final transaction of ours',
     'entry ' || entry.key || ' names another transaction'
   from ledger_entries entry
   where entry.kind = 'network_fee' and not exists (select from ended where ended.key = entry.key)
   limit 100`,
);

/** Checks that every final transaction of our wallets has its network fee in the books, and no other has one. */
export const checkFees = (queryable: Queryable): Promise<Break[]> =>
  queryable.query<Break>(FAULTY_FEES);
