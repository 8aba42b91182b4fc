import type { RailStatement, StatementLine } from "../../domain/ports/rail-statement.ts";
import { type Queryable, statement } from "../../storage/postgres/database.ts";

// A transfer that takes days is decided in business time. The statement then lists it, however old it is.
const LINES = statement(
  "sandbox_bank_statement",
  `with moment as (select business_now() as now, business_now() - (clock_timestamp() - $1) as since)
   select 'payout' as kind, intent_id as reference, reference as "railReference",
     'sandbox' as source, lower(currency) as "assetReference",
     units::text as units, case when decided_at > moment.now then 'pending' else
       case outcome when 'settled' then 'settled' else 'rejected' end end as state
   from sandbox.bank_payouts, moment
   where heard and (created_at >= $1 or decided_at between moment.since and moment.now)
   union all
   select 'deposit', id::text, id::text, 'sandbox', asset_reference, units::text,
     case when rejected then 'rejected' when settles_at > moment.now then 'pending'
       else 'settled' end
   from sandbox.bank_transfers, moment
   where created_at >= $1 or settles_at between moment.since and moment.now`,
);

interface LineRow extends Omit<StatementLine, "amount"> {
  readonly units: string;
}

/** The bank's payouts and incoming transfers, from its own books. */
export const bankStatement =
  (queryable: Queryable): RailStatement =>
  async (since) => {
    const rows = await queryable.query<LineRow>(LINES, [since]);
    return rows.map(({ units, ...line }) => ({ ...line, amount: { units: BigInt(units) } }));
  };
