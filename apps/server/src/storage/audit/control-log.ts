import { type Queryable, statement } from "../postgres/database.ts";

export type ControlAction =
  | "stop"
  | "agree_to_resume"
  | "resume"
  | "set_payout_limits"
  | "remove_payout_limits"
  | "approve_payout"
  | "set_liquidity_limit"
  | "remove_liquidity_limit"
  | "hold_order"
  | "release_order"
  | "refund_order"
  | "cancel_order"
  | "advance_clock";

/** A person's decision about payouts, orders or limits. */
export interface ControlChange {
  readonly person: string;
  readonly action: ControlAction;
  /** A stop, a currency, a payout's id, or an order's id. */
  readonly subject: string;
  readonly details: Readonly<Record<string, string | null>>;
}

export interface LoggedControlChange extends ControlChange {
  readonly at: Date;
}

const INSERT = statement(
  "control_log_insert",
  "insert into control_log (person, action, subject, details) values ($1, $2, $3, $4)",
);
const LIST = statement(
  "control_log_list",
  "select person, action, subject, details, at from control_log order by id desc limit $1",
);

/**
 * Logs a change in the database transaction that makes it. A change of an order is in the order's timeline
 * too, and this log names the person. Rows are never changed or removed.
 */
export async function logControl(queryable: Queryable, change: ControlChange): Promise<void> {
  const { person, action, subject, details } = change;
  await queryable.query(INSERT, [person, action, subject, details]);
}

/** Lists changes, the latest first. */
export const listControlChanges = (
  queryable: Queryable,
  limit: number,
): Promise<LoggedControlChange[]> => queryable.query<LoggedControlChange>(LIST, [limit]);
