import type { Deps } from "../flows/deps.ts";
import type { AuditFinding } from "../storage/audit/breaks.ts";
import { type AuditProgress, advanceAudit, claimAudit } from "../storage/audit/progress.ts";
import { foldBalances } from "../storage/ledger/fold.ts";
import { lookAtBooks } from "./books.ts";
import { lookAtOrders } from "./orders.ts";
import { auditRails } from "./rails.ts";
import { settleFindings } from "./settle.ts";
import type { AuditorState } from "./state.ts";

/** Another process may take over when this one has not looked for so long. */
const LEASE_SECONDS = 30;
const RAILS_REST_MS = 10_000;

/**
 * One look at the books: balances are folded, orders, postings and the rails' statements looked at.
 * What is wrong and new stops every payout. False when another process is the auditor.
 */
export async function auditOnce(deps: Deps, state: AuditorState): Promise<boolean> {
  const { database } = deps;
  const lease = { token: state.token, seconds: LEASE_SECONDS };
  const progress = await claimAudit(database, lease);
  if (progress === undefined) return false;
  await foldBalances(database);
  const orders = await lookAtOrders(database, progress);
  await settleFindings(deps, orders.findings);
  lookAtBooks(deps, state);
  await settleFindings(deps, await lookAtRails(deps, { progress, state }));
  await advanceAudit(database, state.token, { ...orders, watermark: progress.horizon });
  return true;
}

/** A rail that does not answer is asked again later, for what was not compared too. */
async function lookAtRails(
  deps: Deps,
  look: { readonly progress: AuditProgress; readonly state: AuditorState },
): Promise<AuditFinding[]> {
  const { progress, state } = look;
  if (performance.now() < state.railsAtMs) return [];
  state.railsAtMs = performance.now() + RAILS_REST_MS;
  const span = {
    watermark: state.railsWatermark ?? progress.watermark,
    horizon: progress.horizon,
    since: state.railsSeenAt,
  };
  const askedAt = new Date();
  try {
    const breaks = await auditRails(deps, span);
    state.railsWatermark = progress.horizon;
    state.railsSeenAt = askedAt;
    return [{ subject: "rails", breaks, isWhole: false }];
  } catch (error) {
    state.railsWatermark = span.watermark;
    deps.log.warn({ err: error }, "a rail gave no statement; it will be asked again");
    return [];
  }
}
