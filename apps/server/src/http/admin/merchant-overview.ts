import { ADMIN_ENDPOINTS } from "@exchange/contract/admin";
import { Refusal } from "../../flows/refusal.ts";
import { readSessions } from "../../flows/reports/read.ts";
import { listWebhookEndpoints } from "../../flows/webhooks/list-endpoints.ts";
import { ok, unixSecondsOrNull } from "../wire.ts";
import type { AdminDeps, RegisterAdmin } from "./registrar.ts";
import { daysReport } from "./reports.ts";

/** Today and the days before it. */
const OVERVIEW_DAYS = 7;
const DAY_MS = 86_400_000;

const dayText = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** The first screen of a merchant's people. */
export function registerMerchantOverview(register: RegisterAdmin, deps: AdminDeps): void {
  register(ADMIN_ENDPOINTS.readMerchantOverview, async ({ caller }) => {
    const { merchantId } = caller;
    if (merchantId === null) throw new Refusal("ROLE_REQUIRED");
    const now = deps.clock.now().getTime();
    const span = {
      fromDay: dayText(now - (OVERVIEW_DAYS - 1) * DAY_MS),
      toDay: dayText(now),
      merchantId,
    };
    const report = await daysReport(deps, span);
    const sessions = await readSessions(deps, span);
    const endpoints = await listWebhookEndpoints(deps, { merchantId });
    return ok({
      report,
      ...sessions,
      endpoints: endpoints
        .filter(({ state, firstFailureAt }) => state === "disabled" || firstFailureAt !== null)
        .map(({ id, url, state, firstFailureAt }) => ({
          endpointId: id,
          origin: new URL(url).origin,
          state: state === "disabled" ? ("disabled" as const) : ("active" as const),
          failingSince: unixSecondsOrNull(firstFailureAt),
        })),
    });
  });
}
