import type { RailStatement, StatementLine } from "../../domain/ports/rail-statement.ts";
import { type Queryable, statement } from "../../storage/postgres/database.ts";

// A mined transfer is settled; a replaced one waits for ever. The statement lists a dropped deposit, however
// old it is.
const LINES = statement(
  "sandbox_chain_statement",
  `select 'payout' as kind, intent_id as reference, transaction_hash as "railReference",
     network_code as source, asset_reference as "assetReference",
     (case when moved_units > 0 then moved_units else units end)::text as units,
     case when mined_at is null then 'pending' when moved_units = 0 then 'rejected' else 'settled' end as state
   from sandbox.chain_transactions where units > 0 and (broadcast_at >= $1 or mined_at >= $1)
   union all
   select 'deposit', transaction_hash || ':' || output, transaction_hash, network_code,
     asset_reference, units::text,
     case when orphaned then 'rejected' when confirmations > 0 then 'settled' else 'pending' end
   from sandbox.chain_deposits where created_at >= $1 or orphaned`,
);

interface LineRow extends Omit<StatementLine, "amount"> {
  readonly units: string;
}

/** The transfers and deposits on all networks, from the chain's own books. */
export const chainStatement =
  (queryable: Queryable): RailStatement =>
  async (since) => {
    const rows = await queryable.query<LineRow>(LINES, [since]);
    return rows.map(({ units, ...line }) => ({ ...line, amount: { units: BigInt(units) } }));
  };
