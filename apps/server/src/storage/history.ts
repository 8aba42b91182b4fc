import { type Queryable, statement, type Tx } from "./postgres/database.ts";
import { WEBHOOKS_DUE_CHANNEL } from "./webhooks/outbox.ts";

/** Where a database is in the history of its installation. */
export interface History {
  /** Names the installation in files outside the database. A backup of any age has the same one. */
  readonly installation: string;
  /** Grows while the service runs. A restored database has a lower one than its processes remember. */
  readonly mark: bigint;
  /** Changes with every write of the row, also with one that leaves the mark. */
  readonly version: string;
  /** The database was copied to another cluster since the service last used it. */
  readonly isMoved: boolean;
  /** Why the database lacks what was already done; null when it does not, or was reconciled. */
  readonly restoredWhy: string | null;
  /** Until when the books of a restored database were compared with the rails. */
  readonly comparedUntil: Date | null;
}

interface HistoryRow {
  readonly installation: string;
  readonly mark: string;
  readonly version: string;
  readonly is_moved: boolean;
  readonly restored_why: string | null;
  readonly compared_until: Date | null;
}

const READ = `select mark, history.xmin::text as version, cluster <> ledger_cluster() as is_moved, restored_why, compared_until,
    (select encode(substring(sha256(order_id_key) from 1 for 8), 'hex') from installation) as installation
  from history`;
const FIND = statement("history_find", READ);
const LOCK = statement("history_lock", `${READ} for update`);
const ADVANCE = statement("history_advance", "update history set mark = mark + $1 returning mark");

const SET_RESTORED = statement("history_set_restored", "select declare_restored($1, $2)");
const CONTINUE = statement("history_continue", "update history set cluster = ledger_cluster()");
const SET_RECONCILED = statement(
  "history_set_reconciled",
  "update history set restored_at = null, restored_why = null, compared_until = null where restored_at is not null",
);
const RAISE_PLACE = statement(
  "history_raise_place",
  `insert into chain_wallets as wallet (id, network_code, next_place)
   values ($1 || ':' || gen_random_uuid(), $1, $2)
   on conflict (network_code) where role = 'hot' and state = 'open'
   do update set next_place = greatest(wallet.next_place, excluded.next_place)
   where wallet.kind = 'account'`,
);
const RAISE_TANK_PLACE = statement(
  "history_raise_tank_place",
  `update chain_wallets set next_place = greatest(next_place, $2)
   where network_code = $1 and role = 'gas' and state = 'open'`,
);

/**
 * A condition that is true until a restored database was reconciled. Meanwhile no webhook is claimed: an order that
 * is driven again would report events that did not happen.
 */
export const IS_RESTORED = "(select restored_at is not null from history)";

const toHistory = (row: HistoryRow | undefined): History => {
  if (row === undefined) throw new Error("The table history has no row. Run the migrations.");
  return {
    installation: row.installation,
    mark: BigInt(row.mark),
    version: row.version,
    isMoved: row.is_moved,
    restoredWhy: row.restored_why,
    comparedUntil: row.compared_until,
  };
};

export async function readHistory(queryable: Queryable): Promise<History> {
  return toHistory((await queryable.query<HistoryRow>(FIND))[0]);
}

/** Locks the history until the database transaction ends. */
export async function lockHistory(tx: Tx): Promise<History> {
  return toHistory((await tx.query<HistoryRow>(LOCK))[0]);
}

/** Raises the mark by a number, which may be 0, and returns it. The row is written either way. */
export async function advanceHistory(queryable: Queryable, by: bigint): Promise<bigint> {
  const [row] = await queryable.query<{ mark: string }>(ADVANCE, [by]);
  return BigInt(row?.mark ?? 0);
}

/**
 * Records that the database lost payments or orders that were made. A function of the database stops the payouts,
 * holds the webhooks, and moves order numbers, positions of feeds and the mark past lost ones and those of other machines.
 */
export async function setRestored(
  queryable: Queryable,
  restored: { readonly why: string; readonly lastMark: bigint },
): Promise<void> {
  await queryable.query(SET_RESTORED, [restored.why, restored.lastMark]);
}

/** Lets a complete copy continue in its own cluster in place of the database that it was copied from. */
export async function continueHere(queryable: Queryable): Promise<void> {
  await queryable.write(CONTINUE);
}

/** Ends the state of a restored database. Its webhooks are sent again. */
export async function setReconciled(tx: Tx): Promise<void> {
  await tx.query(SET_RECONCILED);
  tx.hint(WEBHOOKS_DUE_CHANNEL);
}

/** The next places of a network's hot wallet and gas tank, as the chain says. 0 where it says nothing. */
export interface NextPlaces {
  readonly networkCode: string;
  readonly hot: bigint;
  readonly gas: bigint;
}

/** Moves the next places of a network's wallets to the chain's, where the chain's are higher. */
export async function raisePlaces(
  queryable: Queryable,
  { networkCode, hot, gas }: NextPlaces,
): Promise<void> {
  if (hot > 0n) await queryable.query(RAISE_PLACE, [networkCode, hot]);
  if (gas > 0n) await queryable.write(RAISE_TANK_PLACE, [networkCode, gas]);
}
