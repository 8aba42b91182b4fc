import { type History, readHistory } from "../../storage/history.ts";
import type { Database, Queryable } from "../../storage/postgres/database.ts";
import type { ReportDatabase } from "../../storage/reports/report-parts.ts";
import type { Deps } from "../deps.ts";
import { Refusal } from "../refusal.ts";

/**
 * The most marks that a standby may be behind. The service raises the mark of its database at least every second, so
 * this is the most seconds too.
 */
export const BEHIND_MAX = 60n;

/** Returns why a standby is not read, or undefined for one that follows the database. */
export async function findStandbyFault(
  database: Database,
  standby: Database,
): Promise<string | undefined> {
  return faultOf(await Promise.all([readHistory(database), readHistory(standby)]));
}

function faultOf([own, its]: readonly [own: History, its: History]): string | undefined {
  if (own.installation !== its.installation)
    return "EXCHANGE_DATABASE_STANDBY_URL names another installation's database. Name a standby of this one.";
  const behind = own.mark - its.mark;
  // Its mark is read a moment later, so it may be a little higher.
  if (behind < -BEHIND_MAX)
    return `The standby is ${-behind} marks ahead of the database, so it follows another one, such as the database from before a restore. Rebuild it from this database.`;
  if (behind <= BEHIND_MAX) return undefined;
  return `The standby may be ${behind} seconds behind the database, and at most ${BEHIND_MAX} are accepted. Try again later. If it stays behind, look at pg_stat_replication of the primary.`;
}

/**
 * Returns the database that reports are read from: the standby where one is named. One that is behind is refused, so
 * that nobody takes an old report for a new one. Its address may lead to several servers, so each snapshot is checked too.
 * Refuses SERVICE_UNAVAILABLE.
 */
export async function reportSource({
  database,
  standby,
}: Pick<Deps, "database" | "standby">): Promise<ReportDatabase> {
  if (standby === undefined) return database;
  const own = await readHistory(database);
  const requireFollowing = async (read: Queryable): Promise<void> => {
    const fault = faultOf([own, await readHistory(read)]);
    if (fault !== undefined) throw new Refusal("SERVICE_UNAVAILABLE", { message: fault });
  };
  await requireFollowing(standby);
  return { ...standby, requireFollowing };
}
