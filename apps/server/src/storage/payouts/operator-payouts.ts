import type { OrderStatus, StatusReason } from "../../domain/orders/status.ts";
import type { PayoutIntent } from "../../domain/payouts/payout-intent.ts";
import { type Queryable, statement } from "../postgres/database.ts";
import { COUNTING_APPROVALS } from "./approvals.ts";
import { PAYOUT_INTENTS } from "./table.ts";
import { WAIT_JSON, type WaitRow, waitJson } from "./waits.ts";

/** A payout as it is shown to the operator. */
export interface OperatorPayout {
  readonly intent: PayoutIntent;
  /** The rail by its name in stops: `chain:bitcoin`, `bank:sepa`, `card`. */
  readonly rail: string;
  readonly orderStatus: OrderStatus;
  readonly orderReason: StatusReason | null;
  readonly approvedBy: readonly string[];
  /** The reason why the payout is not released, or null when there is none. */
  readonly waitsFor: string | null;
  /** The same as a code and a limit. */
  readonly wait: WaitRow | null;
}

interface OperatorPayoutRow {
  readonly rail_name: string;
  readonly order_status: OrderStatus;
  readonly order_reason: StatusReason | null;
  readonly approved_by: string[];
  readonly waits_for: string | null;
  readonly wait: WaitRow | null;
}

/** Returns an expression for the cause for which a payout waits; null where nothing is in its way. */
function waitWith(causes: Readonly<Record<"stored" | "decision" | "finalBlock", string>>): string {
  const { stored, decision, finalBlock } = causes;
  return `case when payout.state = 'created' then
      (select ${stored} from payout_waits w where w.intent_id = payout.id)
    when payout.state in ('signed', 'broadcast') or payout.awaits_finality then
      coalesce((select ${decision} from payout_mismatches m
       where m.intent_id = payout.id and m.decided_at is null),
        case when payout.awaits_finality then ${finalBlock} end) end`;
}

const COLUMNS = `payout.*, rail_of_payout(payout) as rail_name,
  (select status from orders o where o.id = payout.order_id) as order_status,
  (select status_reason from orders o where o.id = payout.order_id) as order_reason,
  array(select a.person from ${COUNTING_APPROVALS} a where a.intent_id = payout.id order by a.at, a.person)
    as approved_by,
  ${waitWith({
    stored: "w.why",
    decision: "'a decision (payouts resolve): ' || m.why",
    finalBlock: "'its final block; its order is completed'",
  })} as waits_for,
  ${waitWith({
    stored: WAIT_JSON,
    decision: waitJson("decision"),
    finalBlock: waitJson("final_block"),
  })} as wait`;

const FIND = statement(
  "operator_payouts_find",
  `select ${COLUMNS} from payout_intents payout where payout.id = $1`,
);
/** A payout that is not sent waits for its release, and a sent one for a decision about what it moved. */
const WAITS = `case when payout.state = 'created' then exists (select from payout_waits w where w.intent_id = payout.id)
  when payout.state in ('signed', 'broadcast') or payout.awaits_finality then exists (
    select from payout_mismatches m where m.intent_id = payout.id and m.decided_at is null) end`;
const WHICH = {
  under_way: "(payout.state in ('created', 'signed', 'broadcast') or payout.awaits_finality)",
  waiting: `payout.id in (select intent_id from payout_waits union all
      select intent_id from payout_mismatches where decided_at is null)
    and ${WAITS}`,
} as const;
const IS_WANTED = `($1::text is null or payout.merchant_id = $1) and ($2::bigint is null or payout.order_id = $2)`;
const IS_OF_ASSET = `($3::integer is null or payout.asset_id = $3)`;
/** The payout that waits longest comes first, so that a long list hides nobody who was forgotten. */
const OLDEST_FIRST = "order by created_at, id";
const LIST = {
  under_way: statement(
    "operator_payouts_list",
    `select ${COLUMNS} from payout_intents payout
     where ${WHICH.under_way} and ${IS_WANTED} and ${IS_OF_ASSET}
     ${OLDEST_FIRST} limit $4`,
  ),
  waiting: statement(
    "operator_payouts_list_waiting",
    `select ${COLUMNS} from payout_intents payout
     where ${WHICH.waiting} and ${IS_WANTED} and ${IS_OF_ASSET}
     ${OLDEST_FIRST} limit $4`,
  ),
} as const;
const totalsOf = (which: keyof typeof WHICH): string =>
  `select payout.asset_id as "assetId", count(*)::int as count, sum(payout.units)::text as units,
     sum(payout.euro_cents)::text as cents
   from payout_intents payout where ${WHICH[which]} and ${IS_WANTED}
   group by 1 order by sum(payout.euro_cents) desc, 1`;
const TOTALS = {
  under_way: statement("operator_payouts_totals", totalsOf("under_way")),
  waiting: statement("operator_payouts_totals_waiting", totalsOf("waiting")),
} as const;

const toOperatorPayout = (row: OperatorPayoutRow): OperatorPayout => ({
  intent: PAYOUT_INTENTS.read(row),
  rail: row.rail_name,
  orderStatus: row.order_status,
  orderReason: row.order_reason,
  approvedBy: row.approved_by,
  waitsFor: row.waits_for,
  wait: row.wait,
});

export async function findOperatorPayout(
  queryable: Queryable,
  id: string,
): Promise<OperatorPayout | undefined> {
  const [row] = await queryable.query<OperatorPayoutRow>(FIND, [id]);
  return row && toOperatorPayout(row);
}

/** Payouts that are not finished, or only those of them that wait. */
export interface PayoutFilter {
  readonly which: keyof typeof WHICH;
  readonly merchantId?: string | undefined;
  readonly orderId?: bigint | undefined;
}

/** Lists unfinished payouts, or only those of them that wait, the oldest first. */
export async function listOperatorPayouts(
  queryable: Queryable,
  filter: PayoutFilter & { readonly assetId?: number | undefined; readonly limit: number },
): Promise<OperatorPayout[]> {
  const { merchantId, orderId, assetId, limit } = filter;
  const values = [merchantId ?? null, orderId ?? null, assetId ?? null, limit];
  const rows = await queryable.query<OperatorPayoutRow>(LIST[filter.which], values);
  return rows.map(toOperatorPayout);
}

/** The payouts of one asset together. */
export interface PayoutTotal {
  readonly assetId: number;
  readonly count: number;
  readonly units: bigint;
  /** The value that limits count. */
  readonly euroCents: bigint;
}

/** Adds up unfinished payouts by asset, however many there are, the highest value first. */
export async function readPayoutTotals(
  queryable: Queryable,
  { which, merchantId, orderId }: PayoutFilter,
): Promise<PayoutTotal[]> {
  const rows = await queryable.query<{
    readonly assetId: number;
    readonly count: number;
    readonly units: string;
    readonly cents: string;
  }>(TOTALS[which], [merchantId ?? null, orderId ?? null]);
  return rows.map(({ assetId, count, units, cents }) => ({
    ...{ assetId, count, units: BigInt(units), euroCents: BigInt(cents) },
  }));
}
