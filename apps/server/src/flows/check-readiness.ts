import { readHistory } from "../storage/history.ts";
import type { Deps } from "./deps.ts";
import { isUnavailable } from "./refusal.ts";

/** The checks that must pass before this copy may be sent requests. */
export interface Readiness {
  readonly isReady: boolean;
  readonly checks: Readonly<Record<"database" | "catalogue", "ok" | "failing">> & {
    /**
     * `restored`: the database is older than the world. This copy takes orders, but payouts are stopped and webhooks
     * are held until an operator has reconciled the rails.
     */
    readonly history: "ok" | "restored" | "unknown";
  };
  /** Why a check fails, in one sentence. */
  readonly cause?: string;
}

/** A copy whose statements take longer is not ready. */
const ANSWER_DEADLINE_MS = 2_000;

/** Every process writes the row of the history each second, so one that rests this long means hung writes. */
const WRITES_DEADLINE_MS = 15_000;

/**
 * Makes the check of this process. It remembers the version of the history's row: a database without its synchronous
 * standby answers reads while every write hangs.
 */
export function makeReadinessCheck(
  deps: Deps,
  nowMs: () => number = () => performance.now(),
): () => Promise<Readiness> {
  let seen: { readonly version: string; readonly atMs: number } | undefined;
  const areWritesHung = (version: string): boolean => {
    if (seen?.version !== version) seen = { version, atMs: nowMs() };
    return nowMs() - seen.atMs > WRITES_DEADLINE_MS;
  };
  return async () => {
    const { cause, history } = await findDatabaseFault(deps, areWritesHung);
    // While the database was away nothing wrote the row.
    if (history === "unknown") seen = undefined;
    const database = cause === undefined ? "ok" : "failing";
    const catalogue = deps.catalogue().currencies.length > 0 ? "ok" : "failing";
    return {
      isReady: database === "ok" && catalogue === "ok",
      checks: { database, catalogue, history },
      ...(cause !== undefined && { cause }),
    };
  };
}

interface DatabaseState {
  readonly cause?: string;
  readonly history: Readiness["checks"]["history"];
}

async function findDatabaseFault(
  { database }: Deps,
  areWritesHung: (version: string) => boolean,
): Promise<DatabaseState> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<DatabaseState>((resolve) => {
    const late = { cause: "The database does not answer.", history: "unknown" } as const;
    timer = setTimeout(() => resolve(late), ANSWER_DEADLINE_MS);
  });
  const reading = readHistory(database).then(
    ({ version, restoredWhy }): DatabaseState => ({
      history: restoredWhy === null ? "ok" : "restored",
      ...(areWritesHung(version) && { cause: "The database answers reads, and its writes hang." }),
    }),
    (error: Error): DatabaseState => ({
      cause: isUnavailable(error) ? error.message : "The database cannot be read.",
      history: "unknown",
    }),
  );
  return Promise.race([reading, deadline]).finally(() => clearTimeout(timer));
}
