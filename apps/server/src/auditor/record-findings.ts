import type { Break } from "../domain/ledger/audit-facts.ts";
import type { RailBreak } from "../domain/ledger/reconcile.ts";
import type { Deps } from "../flows/deps.ts";
import {
  type AuditFinding,
  RAILS_SUBJECT,
  storeBreaksOnce,
  storeFindings,
} from "../storage/audit/breaks.ts";
import { putAuditorStop, stopForBreaks } from "../storage/payouts/network-stops.ts";
import type { Tx } from "../storage/postgres/database.ts";

/** The log shows the first breaks only. All of them are in audit_breaks. */
const LOGGED_MAX = 20;

/** Records the findings. A new break stops every payout until two people agree to resume. */
export async function recordFindings(
  deps: Deps,
  findings: readonly AuditFinding[],
): Promise<readonly Break[]> {
  if (findings.length === 0) return [];
  return stopForNew(deps, (tx) => storeFindings(tx, findings));
}

/**
 * Records the breaks of banks and card processors, whose statements do not say when one is gone. They stand until
 * two people resume all payouts. The same break stops them once.
 */
export async function recordRailBreaks(deps: Deps, breaks: readonly Break[]): Promise<void> {
  if (breaks.length === 0) return;
  await stopForNew(deps, (tx) => storeBreaksOnce(tx, RAILS_SUBJECT, breaks));
}

/** Stops every payout in the database transaction that stores new breaks, so no break is recorded without a stop. */
async function stopForNew(
  { database, log }: Deps,
  store: (tx: Tx) => Promise<readonly Break[]>,
): Promise<readonly Break[]> {
  const newBreaks = await database.transaction(async (tx) => {
    const added = await store(tx);
    const reasons = added.map(
      ({ check, problem }) => `the audit found a break: ${check}: ${problem}`,
    );
    await putAuditorStop(tx, { kind: "all", subject: "" }, reasons);
    return added;
  });
  for (const { check, problem } of newBreaks.slice(0, LOGGED_MAX)) {
    log.error({ check, problem }, "the audit found a break; all payouts are stopped");
  }
  return newBreaks;
}

/** Records the breaks of single networks. Each stops its own network, and the others go on. */
export async function recordNetworkBreaks(
  deps: Pick<Deps, "database" | "log">,
  breaks: readonly RailBreak[],
): Promise<void> {
  const networks = new Set(breaks.flatMap(({ networkCode }) => networkCode ?? []));
  for (const network of networks) {
    const found = breaks
      .filter(({ networkCode }) => networkCode === network)
      .map(({ check, problem }) => ({ check, problem }));
    const added = await deps.database.transaction((tx) => stopForBreaks(tx, network, found));
    for (const { check, problem } of added) {
      deps.log.error({ network, check, problem }, "the payouts of a network are stopped");
    }
  }
}
