import type { Operator } from "../../domain/operators/operator.ts";
import { type Queryable, statement } from "../postgres/database.ts";

export type ControlAction =
  | "stop"
  | "agree_to_resume"
  | "resume"
  | "set_payout_limits"
  | "remove_payout_limits"
  | "approve_payout"
  | "resolve_payout"
  | "set_liquidity_limit"
  | "remove_liquidity_limit"
  | "set_treasury_limits"
  | "adopt_line"
  | "book_line"
  | "book_float"
  | "reconcile"
  | "hold_order"
  | "release_order"
  | "refund_order"
  | "approve_refund_address"
  | "cancel_order"
  | "advance_clock"
  | "accept_branch"
  | "create_merchant"
  | "update_merchant"
  | "disable_merchant"
  | "enable_merchant"
  | "create_key"
  | "revoke_key"
  | "revoke_session_token"
  | "revoke_order_page"
  | "export_customer"
  | "erase_customer"
  | "add_webhook_endpoint"
  | "remove_webhook_endpoint"
  | "enable_webhook_endpoint"
  | "disable_webhook_endpoint";

/** A state as JSON. It never contains a key or a secret. */
export type ControlState = Readonly<Record<string, unknown>>;

/** An operator's command that changed something. */
export interface ControlChange {
  readonly operator: Operator;
  readonly action: ControlAction;
  /** A stop, a currency, or the id of a payout, an order, a merchant, a key or an endpoint. */
  readonly subject: string;
  /** Words that belong to neither state, such as a reason. */
  readonly details?: Readonly<Record<string, string | null>>;
  /** Null when there was nothing before. */
  readonly before: ControlState | null;
  /** Null when nothing is left. */
  readonly after: ControlState | null;
}

/** A row of the log. Rows from before the log had accounts and states have null there. */
export interface LoggedControlChange {
  readonly at: Date;
  readonly person: string;
  /** Null for a change by the service itself. */
  readonly systemUser: string | null;
  readonly sudoUser: string | null;
  readonly account: string | null;
  readonly action: ControlAction;
  readonly subject: string;
  readonly details: Readonly<Record<string, string | null>>;
  readonly before: ControlState | null;
  readonly after: ControlState | null;
}

const INSERT = statement(
  "control_log_insert",
  `insert into control_log (person, os_user, sudo_user, account, action, subject, details,
     before, after) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
);
const LIST = statement(
  "control_log_list",
  `select at, person, os_user as "systemUser", sudo_user as "sudoUser", account, action, subject,
     details, before, after
   from control_log where $2::text is null or subject = $2 order by id desc limit $1`,
);

/**
 * Logs a change in the database transaction that makes it. A change of an order is in the order's timeline
 * too, and this log names the person. Rows are never changed or removed.
 */
export async function logControl(queryable: Queryable, change: ControlChange): Promise<void> {
  const { operator, action, subject, details = {}, before, after } = change;
  const { person, systemUser, sudoUser, account } = operator;
  const values = [person, systemUser, sudoUser, account, action, subject, details, before, after];
  await queryable.query(INSERT, values);
}

export interface ControlLogFilter {
  readonly limit: number;
  /** Only changes of this subject. */
  readonly subject?: string | undefined;
}

/** Lists changes, the latest first. */
export const listControlChanges = (
  queryable: Queryable,
  { limit, subject }: ControlLogFilter,
): Promise<LoggedControlChange[]> =>
  queryable.query<LoggedControlChange>(LIST, [limit, subject ?? null]);
