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
  | "cancel_order";

/** Something a person decided about what may go out. */
export interface ControlChange {
  readonly person: string;
  readonly action: ControlAction;
  /** What it is about: a stop, a currency, a payout's id, an order's id. */
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
 * Written in the database transaction that makes the change; an order's is told by its own timeline,
 * and here by whom. Rows are never changed or removed.
 */
export async function logControl(queryable: Queryable, change: ControlChange): Promise<void> {
  const { person, action, subject, details } = change;
  await queryable.query(INSERT, [person, action, subject, details]);
}

/** The latest changes first. */
export const listControlChanges = (
  queryable: Queryable,
  limit: number,
): Promise<LoggedControlChange[]> => queryable.query<LoggedControlChange>(LIST, [limit]);
