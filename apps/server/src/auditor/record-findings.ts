import type { Break } from "../domain/ledger/audit-facts.ts";
import type { RailBreak } from "../domain/ledger/reconcile.ts";
import type { Deps } from "../flows/deps.ts";
import { type AuditFinding, storeFindings } from "../storage/audit/breaks.ts";
import { stopForBreaks } from "../storage/payouts/network-stops.ts";
import { putStop } from "../storage/payouts/stops.ts";

/** The log shows the first breaks only. All of them are in audit_breaks. */
const LOGGED_MAX = 20;
const REASON_LENGTH_MAX = 300;

/**
 * Records the findings. A new break stops every payout until two people agree to resume. Both are in one
 * database transaction, so every recorded break has stopped the payouts.
 */
export async function recordFindings(
  deps: Deps,
  findings: readonly AuditFinding[],
): Promise<readonly Break[]> {
  if (findings.length === 0) return [];
  const newBreaks = await deps.database.transaction(async (tx) => {
    const added = await storeFindings(tx, findings);
    const [first] = added;
    if (first !== undefined) {
      const others = added.length > 1 ? ` (and ${added.length - 1} more)` : "";
      const reason = `the audit found a break: ${first.check}: ${first.problem}`;
      await putStop(tx, {
        kind: "all",
        subject: "",
        reason: `${reason.slice(0, REASON_LENGTH_MAX)}${others}`,
        setBy: "auditor",
        peopleToResume: 2,
      });
    }
    return added;
  });
  for (const { check, problem } of newBreaks.slice(0, LOGGED_MAX)) {
    deps.log.error({ check, problem }, "the audit found a break; all payouts are stopped");
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
