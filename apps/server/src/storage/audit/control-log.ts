import type { ControlAction } from "@exchange/contract/admin";
import type { Operator } from "../../domain/operators/operator.ts";
import { type Queryable, statement } from "../postgres/database.ts";

/** A state as JSON. It never contains a key or a secret. */
export type ControlState = Readonly<Record<string, unknown>>;

/** An operator's command that changed something. */
export interface ControlChange {
  readonly operator: Operator;
  readonly action: ControlAction;
  /** A stop, a currency, or the id of a payout, an order, a merchant, a key, a secret key or an endpoint. */
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
  readonly id: string;
  readonly at: Date;
  readonly person: string;
  /** Null for a change by the service itself. */
  readonly systemUser: string | null;
  readonly sudoUser: string | null;
  readonly account: string | null;
  /** The network address that the console was used from. Null at the command line. */
  readonly address: string | null;
  readonly action: ControlAction;
  readonly subject: string;
  readonly details: Readonly<Record<string, string | null>>;
  readonly before: ControlState | null;
  readonly after: ControlState | null;
}

const INSERT = statement(
  "control_log_insert",
  `insert into control_log (person, os_user, sudo_user, account, action, subject, details,
     before, after, person_id, address, merchant_id, service_account_id)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
);

const COLUMNS = `id::text, at, person, os_user as "systemUser", sudo_user as "sudoUser", account, address, action,
  subject, details, before, after`;

const LIST = statement(
  "control_log_list",
  `select ${COLUMNS} from control_log where $2::text is null or subject = $2 order by control_log.id desc limit $1`,
);

const DECISIONS_MAX = 50;
const DECISIONS = statement(
  "control_log_decisions",
  `select ${COLUMNS} from control_log where subject = $1 and action <> 'note_order'
   order by control_log.id desc limit ${DECISIONS_MAX}`,
);

/**
 * Logs a change in the database transaction that makes it. A change of an order is in the order's timeline
 * too, and this log names the person. Rows are never changed or removed.
 */
export async function logControl(queryable: Queryable, change: ControlChange): Promise<void> {
  const { operator, action, subject, details = {}, before, after } = change;
  const { person, systemUser, sudoUser, account } = operator;
  const {
    personId = null,
    address = null,
    merchantId = null,
    serviceAccountId = null,
  } = operator.console ?? {};
  const who = [person, systemUser, sudoUser, account];
  const from = [personId, address, merchantId, serviceAccountId];
  await queryable.query(INSERT, [...who, action, subject, details, before, after, ...from]);
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

/** Lists the latest actions of people on an order, without their notes. */
export const listOrderDecisions = (
  queryable: Queryable,
  orderId: bigint,
): Promise<LoggedControlChange[]> =>
  queryable.query<LoggedControlChange>(DECISIONS, [String(orderId)]);

/** A filter of the log. A member that is null does not filter. */
export interface ControlSearch {
  /** Only changes by people of this merchant. */
  readonly merchantId: string | null;
  readonly person: string | null;
  readonly action: string | null;
  readonly subject: string | null;
  readonly from: Date | null;
  readonly before: Date | null;
  /** Only changes before the one with this id. */
  readonly olderThan: bigint | null;
  readonly limit: number;
}

// Each statement begins with the filter that its index begins with. The others narrow what the index found.
const NARROWED = `($2::timestamptz is null or at >= $2) and ($3::timestamptz is null or at < $3)
  and id < coalesce($4::bigint, 9223372036854775807) and ($5::text is null or action = $5)`;
// The name of the table is needed: the selected `id` is text.
const NEWEST = "order by control_log.id desc limit $1";
const SEARCH = {
  all: statement(
    "control_log_search",
    `select ${COLUMNS} from control_log where ${NARROWED} and $6::text is null and $7::text is null
       and $8::text is null ${NEWEST}`,
  ),
  subject: statement(
    "control_log_search_subject",
    `select ${COLUMNS} from control_log where subject = $6 and ${NARROWED}
       and ($7::text is null or person = $7) and ($8::text is null or merchant_id = $8) ${NEWEST}`,
  ),
  person: statement(
    "control_log_search_person",
    `select ${COLUMNS} from control_log where person = $7 and ${NARROWED} and $6::text is null
       and ($8::text is null or merchant_id = $8) ${NEWEST}`,
  ),
  merchant: statement(
    "control_log_search_merchant",
    `select ${COLUMNS} from control_log where merchant_id = $8 and ${NARROWED} and $6::text is null
       and $7::text is null ${NEWEST}`,
  ),
} as const;

/** Searches the log, the latest change first. */
export function searchControlChanges(
  queryable: Queryable,
  search: ControlSearch,
): Promise<LoggedControlChange[]> {
  const { merchantId, person, action, subject, from, before, olderThan, limit } = search;
  const sql =
    subject !== null
      ? SEARCH.subject
      : person !== null
        ? SEARCH.person
        : merchantId !== null
          ? SEARCH.merchant
          : SEARCH.all;
  const values = [limit, from, before, olderThan, action, subject, person, merchantId];
  return queryable.query<LoggedControlChange>(sql, values);
}

const FIND_ASKER = statement(
  "control_log_find_asker",
  `select person from control_log where subject = $1 and (account = $2 or person = $3)
     and action = 'refund_order' order by person <> $3 limit 1`,
);

/** Returns the person who asked for a refund of the order, where it is this one or one of the same account. */
export async function findRefundAsker(
  queryable: Queryable,
  orderId: bigint,
  { account, person }: Pick<Operator, "account" | "person">,
): Promise<string | undefined> {
  const values = [String(orderId), account, person];
  const [row] = await queryable.query<{ person: string }>(FIND_ASKER, values);
  return row?.person;
}
