import type { Break } from "../domain/ledger/audit-facts.ts";
import type { Deps } from "../flows/deps.ts";
import { type AuditFinding, keepFindings } from "../storage/audit/breaks.ts";
import { putStop } from "../storage/payouts/stops.ts";

/** Enough of the log to see what it is; the rest is in audit_breaks. */
const LOGGED_MAX = 20;
const REASON_LENGTH_MAX = 300;

/**
 * Keeps what was found. What is new stops every payout until two people agreed that it is explained;
 * both are one database transaction, so a break that was kept has stopped them.
 */
export async function settleFindings(
  deps: Deps,
  findings: readonly AuditFinding[],
): Promise<readonly Break[]> {
  if (findings.length === 0) return [];
  const news = await deps.database.transaction(async (tx) => {
    const fresh = await keepFindings(tx, findings);
    const [first] = fresh;
    if (first !== undefined) {
      const others = fresh.length > 1 ? ` (and ${fresh.length - 1} more)` : "";
      const reason = `the audit found a break: ${first.check}: ${first.problem}`;
      await putStop(tx, {
        kind: "all",
        subject: "",
        reason: `${reason.slice(0, REASON_LENGTH_MAX)}${others}`,
        setBy: "auditor",
        peopleToResume: 2,
      });
    }
    return fresh;
  });
  for (const { check, problem } of news.slice(0, LOGGED_MAX)) {
    deps.log.error({ check, problem }, "the audit found a break; all payouts are stopped");
  }
  return news;
}
