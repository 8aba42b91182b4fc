import type { RailStatement, StatementLine } from "../../domain/ports/rail-statement.ts";
import { type Queryable, statement } from "../../storage/postgres/database.ts";

const LINES = statement(
  "sandbox_card_statement",
  `select 'capture' as kind, reference, lower(currency) as currency, amount::text as coins,
     'settled' as state from sandbox.card_captures where captured_at >= $1
   union all
   select 'payout', reference, lower(currency), amount::text,
     case status when 'refunded' then 'settled' else 'rejected' end
   from sandbox.card_refunds where created_at >= $1`,
);

interface LineRow {
  readonly kind: StatementLine["kind"];
  readonly reference: string;
  readonly currency: string;
  readonly coins: string;
  readonly state: StatementLine["state"];
}

/** The processor's captures and refunds, from its own books. */
export const cardStatement =
  (queryable: Queryable): RailStatement =>
  async (since) => {
    const rows = await queryable.query<LineRow>(LINES, [since]);
    return rows.map(({ kind, reference, currency, coins, state }) => ({
      kind,
      reference,
      source: "sandbox",
      railReference: reference,
      assetReference: currency,
      amount: { coins },
      state,
    }));
  };
