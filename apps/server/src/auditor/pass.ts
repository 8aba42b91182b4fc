import type { Deps } from "../flows/deps.ts";
import { STATEMENT_OVERLAP_MS } from "../flows/history/rail-lines.ts";
import {
  type AuditProgress,
  advanceAudit,
  advanceRailsAudit,
  claimAudit,
} from "../storage/audit/progress.ts";
import { checkEntries } from "../storage/ledger/entry-checks.ts";
import { findMissingFees } from "../storage/ledger/fee-checks.ts";
import { foldBalances } from "../storage/ledger/fold.ts";
import { findUnfollowed } from "../storage/payouts/followed.ts";
import { auditOrders } from "./orders.ts";
import { auditRails } from "./rails.ts";
import { recordFindings, recordNetworkBreaks } from "./record-findings.ts";
import type { AuditorState } from "./state.ts";

/** Another process may take over when this auditor has not made a pass for this long. */
const LEASE_SECONDS = 30;
const RAILS_PAUSE_MS = 10_000;
/** The fee of a failed transaction is booked a moment after its end, also when a worker died between. */
const FEE_GRACE_SECONDS = 600;
/** The check of all postings runs for a hundredth of the time at most, whatever their number. */
const LEDGER_CHECK_PAUSE_FACTOR = 100;
const LEDGER_CHECK_PAUSE_MIN_MS = 10_000;

/**
 * Makes one pass: folds the balances, then checks orders, postings and the rails' statements. A new
 * break stops every payout. Returns false when another process is the auditor.
 */
export async function auditOnce(deps: Deps, state: AuditorState): Promise<boolean> {
  const { database } = deps;
  const lease = { token: state.token, seconds: LEASE_SECONDS };
  const progress = await claimAudit(database, lease);
  if (progress === undefined) return false;
  await foldBalances(database);
  const orders = await auditOrders(database, progress);
  await recordFindings(deps, orders.findings);
  startLedgerCheck(deps, state);
  await auditRailsWhenDue(deps, state, progress);
  await advanceAudit(database, state.token, { ...orders, watermark: progress.horizon });
  return true;
}

class StoppedError extends Error {}

/**
 * Checks all postings from time to time: balances, days, currencies. A million orders take minutes, so
 * the check runs beside the passes, and ends between two batches when the auditor stops.
 */
function startLedgerCheck(deps: Deps, state: AuditorState): void {
  const startedAtMs = performance.now();
  if (startedAtMs < state.ledgerCheckDueMs) return;
  state.ledgerCheckDueMs = Number.POSITIVE_INFINITY;
  const throwWhenStopping = (): void => {
    if (state.stopping) throw new StoppedError();
  };
  state.ledgerCheck = checkEntries(deps.database, throwWhenStopping)
    .then(async ({ problems }) => {
      await recordFindings(deps, [{ subject: "ledger", breaks: problems, isWhole: true }]);
    })
    .catch((error: unknown) => {
      if (error instanceof StoppedError) return;
      deps.log.warn({ err: error }, "ledger check failed, retrying");
    })
    .finally(() => {
      const tookMs = performance.now() - startedAtMs;
      const pauseMs = Math.max(LEDGER_CHECK_PAUSE_MIN_MS, tookMs * LEDGER_CHECK_PAUSE_FACTOR);
      state.ledgerCheckDueMs = performance.now() + pauseMs;
    });
}

/**
 * Compares with the rails from where the last comparison of any process ended. After downtime, or when a rail did
 * not answer, the next comparison covers the missed span too.
 */
async function auditRailsWhenDue(
  deps: Deps,
  state: AuditorState,
  progress: AuditProgress,
): Promise<void> {
  if (performance.now() < state.railsDueMs) return;
  state.railsDueMs = performance.now() + RAILS_PAUSE_MS;
  const { horizon } = progress;
  const span = { watermark: progress.railsWatermark, horizon, since: progress.railsComparedAt };
  const comparedAt = new Date();
  try {
    const found = await auditRails(deps, span);
    const breaks = found.filter(({ networkCode }) => networkCode === null);
    await recordFindings(deps, [{ subject: "rails", breaks, isWhole: false }]);
    const fees = await findMissingFees(deps.database, {
      since: new Date(span.since.getTime() - STATEMENT_OVERLAP_MS),
      graceSeconds: FEE_GRACE_SECONDS,
    });
    const unfollowed = await findUnfollowed(deps.database);
    await recordNetworkBreaks(deps, [...found, ...fees, ...unfollowed]);
    await advanceRailsAudit(deps.database, state.token, { watermark: horizon, comparedAt });
  } catch (error) {
    deps.log.warn({ err: error }, "rail statement unavailable, retrying");
  }
}
