import type { Deps } from "../flows/deps.ts";
import { checkEntries } from "../storage/ledger/entry-checks.ts";
import { settleFindings } from "./settle.ts";
import type { AuditorState } from "./state.ts";

/** Adding up all postings may take a hundredth of the time, however many there are. */
const REST_FACTOR = 100;
const REST_MIN_MS = 10_000;

class Stopping extends Error {}

/**
 * Adds up all postings now and then: balances, days, currencies. Of a million orders it takes minutes,
 * so it goes on beside the looks, and gives up between two batches when the auditor stops.
 */
export function lookAtBooks(deps: Deps, state: AuditorState): void {
  const startedAtMs = performance.now();
  if (startedAtMs < state.booksAtMs) return;
  state.booksAtMs = Number.POSITIVE_INFINITY;
  const giveUpWhenStopping = (): void => {
    if (state.stopping) throw new Stopping();
  };
  state.books = checkEntries(deps.database, giveUpWhenStopping)
    .then(async ({ problems }) => {
      await settleFindings(deps, [{ subject: "ledger", breaks: problems, isWhole: true }]);
    })
    .catch((error: unknown) => {
      if (error instanceof Stopping) return;
      deps.log.warn({ err: error }, "the audit could not add up the ledger; it will again");
    })
    .finally(() => {
      const tookMs = performance.now() - startedAtMs;
      state.booksAtMs = performance.now() + Math.max(REST_MIN_MS, tookMs * REST_FACTOR);
    });
}
