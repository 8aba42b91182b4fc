import type { Asset } from "@exchange/money";
import type { OurLine } from "../../domain/ledger/reconcile.ts";
import { type Queryable, statement } from "../postgres/database.ts";

// Movements of money, in the terms of a rail's statement.
const ATTEMPTS = `select 'capture' as kind, a.id::text as reference, null as source, null as network_code, a.asset_id, a.units,
    case when a.status = 'captured' then 'settled'
      when a.status in ('declined', 'authentication_failed', 'voided', 'failed') then 'rejected'
      else 'pending' end as state
  from payment_attempts a where a.id = any ($1::uuid[])`;
// Once people have decided a mismatch, the units that left are in the books, also those of an unpaid payout.
const INTENTS = `select 'payout', i.id::text, null, i.network_code, i.asset_id, coalesce(mismatch.left_units, i.units),
    case when i.awaits_finality then 'pending'
      when i.state = 'confirmed' or mismatch.left_units > 0 then 'settled'
      when i.state = 'void' then 'rejected' else 'pending' end
  from payout_intents i left join payout_mismatches mismatch on mismatch.intent_id = i.id
  where i.id = any ($2::uuid[])`;
const DEPOSITS = (condition: string): string => `select 'deposit', d.external_id, d.source,
    case when d.rail = 'chain' then d.source end, d.asset_id, d.units,
    case d.state when 'final' then 'settled' when 'lost' then 'rejected' else 'pending' end
  from deposits d where ${condition}`;

// Movements of orders that a restore lost, which an operator booked.
const RESTORED = `select kind, reference, case kind when 'deposit' then source end, null, asset_id, units, 'settled'
  from restored_lines where reference = any ($4::text[])`;

const WITH_ASSET = (lines: string): string => `
  select line.kind, line.reference, line.source, line.network_code as "networkCode", line.state, line.units::text as units,
    c.reference as "assetReference", c.id, c.code, c.decimals, c.published_decimals as "publishedDecimals"
  from (${lines}) line join currencies c on c.id = line.asset_id`;

const OF_REFERENCES = statement(
  "audit_rails_of_references",
  WITH_ASSET(
    `${ATTEMPTS} union all ${INTENTS} union all ${DEPOSITS("d.external_id = any ($3::text[])")}
     union all ${RESTORED}`,
  ),
);

// A network with a hot wallet of ours is compared by its scanner, which knows how far it has read.
const IS_AUDITED = `exists (select from chain_wallets wallet
    where wallet.network_code = i.network_code and wallet.role = 'hot' and wallet.address is not null)`;

// The key of an entry names the movement: capture:<attempt>, payout:<intent>, deposit:<deposit>.
const BOOKED = statement(
  "audit_rails_booked",
  `with moved as materialized (
     select kind, split_part(key, ':', 2) as id from ledger_entries
     where recorded_by >= $1::xid8 and recorded_by < $2::xid8
       and kind in ('capture', 'payout', 'refund', 'deposit')
       and split_part(key, ':', 2) ~ '^[0-9a-f-]{36}$')
   ${WITH_ASSET(
     `${ATTEMPTS.replace("any ($1::uuid[])", "any (select id::uuid from moved where kind = 'capture')")}
      union all ${INTENTS.replace("any ($2::uuid[])", "any (select id::uuid from moved where kind in ('payout', 'refund'))")} and not ${IS_AUDITED}
      union all ${DEPOSITS("d.id = any (select id::uuid from moved where kind = 'deposit')")}`,
   )}`,
);

interface LineRow extends Asset {
  readonly kind: OurLine["kind"];
  readonly reference: string;
  readonly source: string | null;
  readonly networkCode: string | null;
  readonly state: OurLine["state"];
  readonly units: string;
  readonly assetReference: string;
}

const toLine = ({ kind, reference, source, networkCode, state, ...row }: LineRow): OurLine => {
  const { units, assetReference, ...asset } = row;
  const line = { kind, reference, source, networkCode, state };
  return { ...line, units: BigInt(units), assetReference, asset };
};

/** Lists the movements that database transactions from the watermark up to the horizon booked. */
export async function listBookedLines(
  queryable: Queryable,
  span: { readonly watermark: string; readonly horizon: string },
): Promise<OurLine[]> {
  const rows = await queryable.query<LineRow>(BOOKED, [span.watermark, span.horizon]);
  return rows.map(toLine);
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Finds the movements in the books that have the references of a statement's lines. */
export async function findOurLines(
  queryable: Queryable,
  lines: readonly Pick<OurLine, "kind" | "reference">[],
): Promise<OurLine[]> {
  const of = (kind: OurLine["kind"]): string[] =>
    lines.filter((line) => line.kind === kind).map(({ reference }) => reference);
  const ids = (kind: OurLine["kind"]): string[] => of(kind).filter((id) => UUID.test(id));
  const all = lines.map(({ reference }) => reference);
  const values = [ids("capture"), ids("payout"), of("deposit"), all];
  const rows = await queryable.query<LineRow>(OF_REFERENCES, values);
  return rows.map(toLine);
}
