import { readBusinessNow } from "../storage/postgres/business-clock.ts";
import type { Deps } from "./deps.ts";
import { isUnavailable } from "./refusal.ts";

/** The checks that must pass before this copy may be sent requests. */
export interface Readiness {
  readonly isReady: boolean;
  readonly checks: Readonly<Record<"database" | "catalogue", "ok" | "failing">>;
  /** Why a check fails, in one sentence. */
  readonly cause?: string;
}

/** A copy whose statements take longer is not ready. */
const ANSWER_DEADLINE_MS = 2_000;

export async function checkReadiness(deps: Deps): Promise<Readiness> {
  const cause = await findDatabaseFault(deps);
  const database = cause === undefined ? "ok" : "failing";
  const catalogue = deps.catalogue().currencies.length > 0 ? "ok" : "failing";
  return {
    isReady: database === "ok" && catalogue === "ok",
    checks: { database, catalogue },
    ...(cause !== undefined && { cause }),
  };
}

async function findDatabaseFault({ database }: Deps): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve("The database does not answer."), ANSWER_DEADLINE_MS);
  });
  const reading = readBusinessNow(database).then(
    () => undefined,
    (error: Error) => (isUnavailable(error) ? error.message : "The database cannot be read."),
  );
  return Promise.race([reading, deadline]).finally(() => clearTimeout(timer));
}
