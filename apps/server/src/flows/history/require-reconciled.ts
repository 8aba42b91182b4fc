import { readHistory } from "../../storage/history.ts";
import type { Queryable } from "../../storage/postgres/database.ts";
import type { Deps } from "../deps.ts";
import { Refusal } from "../refusal.ts";

/** Whether the database was restored and nobody has compared its books with the rails since. */
export const isRestored = async (queryable: Queryable): Promise<boolean> =>
  (await readHistory(queryable)).restoredWhy !== null;

/**
 * Refuses INVALID_ORDER_STATE in a restored database until it is reconciled. A payment that its books do not
 * know may have been made. Only the operator can know that.
 */
export async function requireReconciled(
  { database }: Pick<Deps, "database">,
  paused: "Refunds" | "New prices" | "Other ways to pay",
): Promise<void> {
  if (!(await isRestored(database))) return;
  throw new Refusal("INVALID_ORDER_STATE", {
    message: `${paused} are paused while the operator checks the payments. Try again later.`,
  });
}
