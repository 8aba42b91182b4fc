import { listWebhookEndpoints } from "../../flows/webhooks/list-endpoints.ts";
import { listCallbackSources } from "../../storage/callbacks/inbox.ts";
import { listMerchants } from "../../storage/merchants/merchants.ts";
import type { Database } from "../../storage/postgres/database.ts";
import { bad, type Finding, good, unread } from "../finding.ts";
import { ageWords } from "../times.ts";

/** Says which webhook endpoints of merchants fail. */
export async function examineWebhooks(database: Database): Promise<Finding> {
  try {
    const merchants = await listMerchants(database);
    const lists = await Promise.all(
      merchants.map(({ id }) => listWebhookEndpoints({ database }, { merchantId: id })),
    );
    const endpoints = lists.flat();
    const failing = endpoints.filter((one) => one.state === "disabled" || one.firstFailureAt);
    if (failing.length === 0)
      return good("webhooks", `${endpoints.length} endpoints, none failing`);
    const words = failing
      .map((one) => `${one.url} (${one.disabledReason ?? "failing"})`)
      .join(", ");
    const fix =
      "Ask their merchants to fix them. Then enable a disabled one: exchange webhook enable.";
    return bad("webhooks", words, fix);
  } catch (error) {
    return unread("webhooks", error);
  }
}

/**
 * Says when each provider last called back. A provider may be quiet because nothing happens there, and its jobs look
 * without callbacks too. So silence is not a fault.
 */
export async function examineCallbacks(database: Database): Promise<readonly Finding[]> {
  try {
    const sources = await listCallbackSources(database);
    if (sources.length === 0) return [good("callbacks", "none in the last 30 days")];
    return sources.map(({ provider, lastAgeMs, lastDay }) =>
      good(
        `callbacks of ${provider}`,
        `the last one came ${ageWords(lastAgeMs)} ago; ${lastDay} in the last 24 hours`,
      ),
    );
  } catch (error) {
    return [unread("callbacks", error)];
  }
}
