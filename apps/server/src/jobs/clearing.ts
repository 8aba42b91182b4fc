import type { Deps } from "../flows/deps.ts";
import { repeat } from "../flows/repeat.ts";
import { clearOldAlerts } from "../storage/alerts/alerts.ts";
import { clearEndedWindows } from "../storage/limits/rate-windows.ts";
import { clearOldMails } from "../storage/mails/mails.ts";
import { clearEndedProviderSignIns } from "../storage/people/identities.ts";
import { clearEndedChallenges } from "../storage/people/passkeys.ts";
import { clearEndedSessions } from "../storage/people/sessions.ts";
import { analyzeGrownTables } from "../storage/postgres/analyze.ts";
import {
  type ClearAfter,
  clearOldCallbacks,
  clearOldEvents,
  clearOldKeyAddresses,
  clearOldKeys,
  clearOldQuotes,
  clearOldRequests,
  clearOldSessions,
  eraseOldOrders,
  eraseOldWalletNames,
} from "../storage/retention.ts";
import { dropOfRemoved } from "../storage/webhooks/deliveries.ts";

const HOUR_MS = 3_600_000;
const ROWS_AT_ONCE = 1_000;

/** The days for which data is kept, by its kind (docs/operating/personal-data.md). */
export interface Retention {
  readonly ordersRetentionDays: number;
  readonly sessionsRetentionDays: number;
  readonly walletsRetentionDays: number;
  readonly addressesRetentionDays: number;
}

/** Returns the passes that delete expired rows, by the name of the rows. */
function passesOf(retention: Retention) {
  const after =
    (clear: ClearAfter, days: number) =>
    (database: Deps["database"], limit: number): Promise<number> =>
      clear(database, limit, days);
  return {
    "old quotes": clearOldQuotes,
    "old idempotency keys": clearOldKeys,
    "old events": clearOldEvents,
    "pending deliveries of removed endpoints": dropOfRemoved,
    "old callbacks of providers": clearOldCallbacks,
    "old requests": clearOldRequests,
    "old sessions": after(clearOldSessions, retention.sessionsRetentionDays),
    "data keys of old orders": after(eraseOldOrders, retention.ordersRetentionDays),
    "names of old wallets": after(eraseOldWalletNames, retention.walletsRetentionDays),
    "old addresses of API keys": after(clearOldKeyAddresses, retention.addressesRetentionDays),
    "ended rate limit windows": clearEndedWindows,
    "ended sessions of people": clearEndedSessions,
    "ended questions to passkeys": clearEndedChallenges,
    "ended sign-ins at the identity provider": clearEndedProviderSignIns,
    "old alerts": clearOldAlerts,
    "old mails": clearOldMails,
  };
}

/**
 * Deletes expired rows and analyzes tables that have grown: at once, and then every hour. Returns
 * the function that stops it.
 */
export function startClearing(
  deps: Pick<Deps, "database" | "log">,
  retention: Retention,
): () => Promise<void> {
  const passes = passesOf(retention);
  const clear = async (signal: AbortSignal): Promise<void> => {
    for (const [name, clearSome] of Object.entries(passes)) {
      try {
        // In batches, so that no statement holds its locks for long.
        while (!signal.aborted && (await clearSome(deps.database, ROWS_AT_ONCE)) > 0);
      } catch (error) {
        if (!signal.aborted) deps.log.warn({ err: error }, `${name} were not deleted`);
      }
    }
    await analyzeGrownTables(deps.database);
  };
  return repeat({
    everyMs: HOUR_MS,
    atOnce: true,
    round: clear,
    failed: (err) => deps.log.warn({ err }, "grown tables were not analyzed"),
  });
}
