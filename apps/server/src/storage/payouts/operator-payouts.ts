import type { OrderStatus, StatusReason } from "../../domain/orders/status.ts";
import type { PayoutIntent } from "../../domain/payouts/payout-intent.ts";
import { type Queryable, statement } from "../postgres/database.ts";
import { PAYOUT_INTENTS } from "./table.ts";

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
}

interface OperatorPayoutRow {
  readonly rail_name: string;
  readonly order_status: OrderStatus;
  readonly order_reason: StatusReason | null;
  readonly approved_by: string[];
  readonly waits_for: string | null;
}

const COLUMNS = `payout.*, rail_of_payout(payout) as rail_name,
  (select status from orders o where o.id = payout.order_id) as order_status,
  (select status_reason from orders o where o.id = payout.order_id) as order_reason,
  array(select person from payout_approvals a where a.intent_id = payout.id order by at, person)
    as approved_by,
  case when payout.state = 'created' then
      (select why from payout_waits w where w.intent_id = payout.id)
    when payout.state in ('signed', 'broadcast') or payout.awaits_finality then
      coalesce((select 'a decision (payouts resolve): ' || why from payout_mismatches m
       where m.intent_id = payout.id and m.decided_at is null),
        case when payout.awaits_finality then 'its final block; its order is completed' end) end
    as waits_for`;

const FIND = statement(
  "operator_payouts_find",
  `select ${COLUMNS} from payout_intents payout where payout.id = $1`,
);
/** A payout that is not sent waits for its release, and a sent one for a decision about what it moved. */
const WAITS = `case when payout.state = 'created' then exists (select from payout_waits w where w.intent_id = payout.id)
  when payout.state in ('signed', 'broadcast') or payout.awaits_finality then exists (
    select from payout_mismatches m where m.intent_id = payout.id and m.decided_at is null) end`;
/** The payout that waits longest comes first, so that a long list hides nobody who was forgotten. */
const OLDEST_FIRST = "order by created_at, id";
const LIST = {
  under_way: statement(
    "operator_payouts_list",
    `select ${COLUMNS} from payout_intents payout
     where (payout.state in ('created', 'signed', 'broadcast') or payout.awaits_finality)
       and ($1::text is null or merchant_id = $1)
     ${OLDEST_FIRST} limit $2`,
  ),
  waiting: statement(
    "operator_payouts_list_waiting",
    `select ${COLUMNS} from payout_intents payout
     where payout.id in (select intent_id from payout_waits union all
         select intent_id from payout_mismatches where decided_at is null)
       and ${WAITS} and ($1::text is null or merchant_id = $1)
     ${OLDEST_FIRST} limit $2`,
  ),
} as const;

const toOperatorPayout = (row: OperatorPayoutRow): OperatorPayout => ({
  intent: PAYOUT_INTENTS.read(row),
  rail: row.rail_name,
  orderStatus: row.order_status,
  orderReason: row.order_reason,
  approvedBy: row.approved_by,
  waitsFor: row.waits_for,
});

export async function findOperatorPayout(
  queryable: Queryable,
  id: string,
): Promise<OperatorPayout | undefined> {
  const [row] = await queryable.query<OperatorPayoutRow>(FIND, [id]);
  return row && toOperatorPayout(row);
}

/** Lists unfinished payouts, or only those of them that wait, the newest first. */
export async function listOperatorPayouts(
  queryable: Queryable,
  filter: {
    readonly which: "under_way" | "waiting";
    readonly merchantId?: string | undefined;
    readonly limit: number;
  },
): Promise<OperatorPayout[]> {
  const values = [filter.merchantId ?? null, filter.limit];
  const rows = await queryable.query<OperatorPayoutRow>(LIST[filter.which], values);
  return rows.map(toOperatorPayout);
}
