import { beforeDeadline, startDeadline, type Turns } from "../deadline.ts";
import { readHistory } from "../storage/history.ts";
import { DatabaseUnavailable } from "../storage/postgres/unavailable.ts";
import type { Deps } from "./deps.ts";

/** The checks that must pass before this copy may be sent requests. */
export interface Readiness {
  readonly isReady: boolean;
  readonly checks: Readonly<Record<"database" | "catalogue" | "clock", "ok" | "failing">> & {
    /** `draining`: the process was told to stop, and finishes its requests. */
    readonly process: "ok" | "draining";
    /**
     * `restored`: the database lacks payments or orders that were already made. This copy takes orders, but payouts
     * are stopped and webhooks are held until an operator has reconciled the rails.
     */
    readonly history: "ok" | "restored" | "unknown";
  };
  /** Why a check fails, in one sentence. */
  readonly cause?: string;
}

/** A copy whose statements take longer is not ready. */
const ANSWER_DEADLINE_MS = 2_000;

/** Every process updates the row of the history each second. An older row means that writes hang. */
const WRITES_DEADLINE_MS = 15_000;

/**
 * Differences between the process's clock and the database's. At the first one a line is logged. At the second one a
 * receiver of webhooks, which allows five minutes, is near to refusing them.
 */
export const CLOCK_AHEAD_MS = { reported: 5_000, notReady: 60_000 } as const;

/**
 * Makes the check of this process. It remembers the version of the history's row: a database without its synchronous
 * standby answers reads while every write hangs.
 */
export function makeReadinessCheck(
  deps: Deps,
  start: typeof startDeadline = startDeadline,
): () => Promise<Readiness> {
  let seen: { readonly version: string; readonly deadline: Turns; isOld: boolean } | undefined;
  const forget = (): void => {
    seen?.deadline.stop();
    seen = undefined;
  };
  const areWritesHung = (version: string): boolean => {
    if (seen?.version === version) return seen.isOld;
    forget();
    // If this process is the only writer, a pause also stops the writes, so the pause must not count.
    const deadline = start(WRITES_DEADLINE_MS, () => {
      if (seen !== undefined) seen.isOld = true;
    });
    seen = { version, deadline: deadline.unref(), isOld: false };
    return false;
  };
  return async () => {
    const found = await findDatabaseFault(deps, areWritesHung);
    const { history } = found;
    // While the database was away nothing wrote the row.
    if (history === "unknown") forget();
    const isDraining = deps.isDraining?.() === true;
    const clockFault = findClockFault(deps.clockAheadMs?.() ?? 0);
    const cause = isDraining ? "The process is stopping." : (found.cause ?? clockFault);
    const database = found.cause === undefined ? "ok" : "failing";
    const catalogue = deps.catalogue().currencies.length > 0 ? "ok" : "failing";
    const clock = clockFault === undefined ? "ok" : "failing";
    return {
      isReady: !isDraining && [database, catalogue, clock].every((check) => check === "ok"),
      checks: { database, catalogue, clock, history, process: isDraining ? "draining" : "ok" },
      ...(cause !== undefined && { cause }),
    };
  };
}

function findClockFault(aheadMs: number): string | undefined {
  if (Math.abs(aheadMs) <= CLOCK_AHEAD_MS.notReady) return undefined;
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  const direction = aheadMs > 0 ? "ahead of" : "behind";
  return `The clock of this machine is ${seconds} s ${direction} the database's.`;
}

interface DatabaseState {
  readonly cause?: string;
  readonly history: Readiness["checks"]["history"];
}

const late = (): Error => new DatabaseUnavailable("The database does not answer.");

async function findDatabaseFault(
  { database }: Deps,
  areWritesHung: (version: string) => boolean,
): Promise<DatabaseState> {
  try {
    const reading = readHistory(database);
    const { version, restoredWhy } = await beforeDeadline(reading, ANSWER_DEADLINE_MS, late);
    return {
      history: restoredWhy === null ? "ok" : "restored",
      ...(areWritesHung(version) && { cause: "The database answers reads, and its writes hang." }),
    };
  } catch (error) {
    const cause =
      error instanceof DatabaseUnavailable ? error.message : "The database cannot be read.";
    return { cause, history: "unknown" };
  }
}
