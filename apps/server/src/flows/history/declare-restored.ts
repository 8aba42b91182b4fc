import type { Operator } from "../../domain/operators/operator.ts";
import { lockHistory, setRestored } from "../../storage/history.ts";
import type { Deps } from "../deps.ts";
import { describePerson, requireOperator } from "../operators/require-operator.ts";

export interface Restored {
  /** The reason. It must not contain a number that changes, because people must agree again to a new reason. */
  readonly why: string;
  /** The highest mark that a process remembers; 0 when the mark did not show it. */
  readonly lastMark: bigint;
}

/**
 * Records that the database is older than the world. Payouts are stopped until two people agree, webhooks are held
 * until an operator has reconciled the rails, and the numbers of orders and addresses jump ahead. All of it is one database
 * transaction.
 */
export async function declareRestored(
  deps: Pick<Deps, "database" | "log">,
  { why, lastMark }: Restored,
): Promise<void> {
  await setRestored(deps.database, { why, lastMark });
  deps.log.error(
    { why },
    "the database was restored; payouts are stopped and webhooks are held. Run: exchange payouts reconcile",
  );
}

/** Why a database is restored, and whether it was declared just now. */
export interface Declaration {
  readonly why: string;
  readonly isNews: boolean;
}

/**
 * Records the same because an operator says so: a copy of a whole cluster without `history.json` is not noticed. The log
 * of changes has the stop, and the operator's name in its reason. The database writes that row, so the API's role of the
 * database is enough. A database that is declared already stays as it is, because every declaration moves numbers ahead.
 */
export async function declareRestoredBy(
  deps: Pick<Deps, "database" | "environment">,
  { by, lastMark }: { readonly by: Operator } & Pick<Restored, "lastMark">,
): Promise<Declaration> {
  const operator = requireOperator(deps, by);
  return deps.database.transaction(async (tx) => {
    const { restoredWhy } = await lockHistory(tx);
    if (restoredWhy !== null) return { why: restoredWhy, isNews: false };
    const why = `declared by ${describePerson(operator)}`;
    await setRestored(tx, { why, lastMark });
    return { why, isNews: true };
  });
}
