import { beforeDeadline } from "../deadline.ts";
import { lineKey } from "../domain/ledger/reconcile.ts";
import type { Deps } from "../flows/deps.ts";
import { declareRestored } from "../flows/history/declare-restored.ts";
import { compareLines, type RailLine, readRailLines } from "../flows/history/rail-lines.ts";
import { listBreaks } from "../storage/audit/breaks.ts";
import { readAuditTimes } from "../storage/audit/progress.ts";
import { readHistory } from "../storage/history.ts";

const RETRY_MS = 2_000;
/** A rail that does not answer delays the start by this at most. Its payouts wait until it answers. */
const ANSWER_MS = 5_000;

export interface FirstStatement {
  /** Whether the rails' statements were compared. Until then no payout is released. */
  readonly isCompared: () => boolean;
  stop(): Promise<void>;
}

/**
 * Compares the rails' statements with the books before the workers start. A payment that the books do not have
 * shows that the database is older than the world. A rail that does not answer is asked again in the background.
 */
export async function compareFirstStatement(deps: Deps): Promise<FirstStatement> {
  let isCompared = false;
  let isStopping = false;
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  const compare = async (): Promise<void> => {
    try {
      const unknown = await findPaymentsNotInBooks(deps);
      const [first] = unknown;
      if (first !== undefined && (await readHistory(deps.database)).restoredWhy === null) {
        const why = `a rail made payments that it does not have, such as ${lineKey(first)}`;
        await declareRestored(deps, { why, lastMark: 0n });
      }
      isCompared = true;
    } catch (error) {
      deps.log.warn(
        { err: error },
        "no payout is released until the rails' statements are compared",
      );
      if (isStopping) return;
      timer = setTimeout(() => {
        running = compare();
      }, RETRY_MS);
      timer.unref();
    }
  };
  running = compare();
  await running;
  return {
    isCompared: () => isCompared,
    stop: async () => {
      isStopping = true;
      clearTimeout(timer);
      await running;
    },
  };
}

/** Anybody may send us money, so a deposit shows nothing. A break that people explained is not shown again. */
async function findPaymentsNotInBooks(deps: Deps): Promise<RailLine[]> {
  const lines = await beforeDeadline(
    readRailLines(deps, (await readAuditTimes(deps.database)).railsComparedAt),
    ANSWER_MS,
    () => new Error(`a rail did not answer within ${ANSWER_MS / 1000} s`),
  );
  const payments = lines.filter(({ kind }) => kind !== "deposit");
  const { unknown } = await compareLines(deps, payments);
  if (unknown.length === 0) return [];
  const breaks = await listBreaks(deps.database, "standing");
  const isExplained = (line: RailLine): boolean =>
    breaks.some(({ problem }) => problem.includes(`${lineKey(line)},`));
  return unknown.filter((line) => !isExplained(line));
}
