import type { Deps } from "../flows/deps.ts";
import { STATEMENT_OVERLAP_MS } from "../flows/history/rail-lines.ts";
import { repeat } from "../flows/repeat.ts";
import {
  type AuditProgress,
  advanceAudit,
  advanceRailsAudit,
  claimAudit,
  renewAudit,
} from "../storage/audit/progress.ts";
import { checkEntries } from "../storage/ledger/entry-checks.ts";
import { findMissingFees } from "../storage/ledger/fee-checks.ts";
import { foldBalances } from "../storage/ledger/fold.ts";
import { findUnfollowed } from "../storage/payouts/followed.ts";
import { auditOrders } from "./orders.ts";
import { auditRails } from "./rails.ts";
import { recordFindings, recordNetworkBreaks, recordRailBreaks } from "./record-findings.ts";
import type { AuditorState } from "./state.ts";

/** Another process may take over when this auditor has not renewed its lease for this long. */
const LEASE_SECONDS = 30;
const RENEW_MS = 10_000;
const RAILS_PAUSE_MS = 10_000;
/** The check of all postings runs for a hundredth of the time at most, whatever their number. */
const LEDGER_CHECK_PAUSE_FACTOR = 100;
const LEDGER_CHECK_PAUSE_MIN_MS = 10_000;

class LeaseLostError extends Error {
  constructor() {
    super("another process took the audit over during this pass");
  }
}

/**
 * Makes one pass, and renews the lease meanwhile: the first pass after downtime may take longer than a lease. Returns
 * false when another process is the auditor. A pass that loses the lease fails, because its progress is not written.
 */
export async function auditOnce(deps: Deps, state: AuditorState): Promise<boolean> {
  const { database } = deps;
  const lease = { token: state.token, seconds: LEASE_SECONDS };
  const progress = await claimAudit(database, lease);
  state.holdsLease = progress !== undefined;
  if (progress === undefined) return false;
  const endRenewal = repeat({
    everyMs: RENEW_MS,
    round: async () => {
      state.holdsLease = await renewAudit(database, lease);
    },
    failed: (err) => deps.log.warn({ err }, "the lease of the audit is not renewed, retrying"),
  });
  try {
    await makePass(deps, state, progress);
  } finally {
    await endRenewal();
  }
  return true;
}

/** Folds the balances, then checks orders, postings and the rails' statements. A new break stops every payout. */
async function makePass(deps: Deps, state: AuditorState, progress: AuditProgress): Promise<void> {
  const { database } = deps;
  const onBatch = (): void => {
    deps.beat?.("audit");
    if (!state.holdsLease) throw new LeaseLostError();
  };
  await foldBalances(database);
  const orders = await auditOrders(database, progress, onBatch);
  await recordFindings(deps, orders.findings);
  startLedgerCheck(deps, state);
  onBatch();
  await auditRailsWhenDue(deps, state, progress);
  // Changes are not read in their order, so the watermark moves once, when the findings of all are recorded.
  const reached = { ...orders, watermark: progress.horizon };
  state.holdsLease = await advanceAudit(database, state.token, reached);
  if (!state.holdsLease) throw new LeaseLostError();
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
 * not answer, the next comparison covers the missed span too. The time is the database's, because the clock of this
 * process may run ahead.
 */
async function auditRailsWhenDue(
  deps: Deps,
  state: AuditorState,
  progress: AuditProgress,
): Promise<void> {
  if (performance.now() < state.railsDueMs) return;
  state.railsDueMs = performance.now() + RAILS_PAUSE_MS;
  const { horizon, claimedAt: comparedAt } = progress;
  const span = { watermark: progress.railsWatermark, horizon, since: progress.railsComparedAt };
  try {
    const found = await auditRails(deps, span);
    const breaks = found.filter(({ networkCode }) => networkCode === null);
    await recordRailBreaks(deps, breaks);
    const fees = await findMissingFees(
      deps.database,
      new Date(span.since.getTime() - STATEMENT_OVERLAP_MS),
    );
    const unfollowed = await findUnfollowed(deps.database);
    await recordNetworkBreaks(deps, [...found, ...fees, ...unfollowed]);
    await advanceRailsAudit(deps.database, state.token, { watermark: horizon, comparedAt });
  } catch (error) {
    deps.log.warn({ err: error }, "rail statement unavailable, retrying");
  }
}
