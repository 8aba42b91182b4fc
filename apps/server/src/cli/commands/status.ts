import { setTimeout as sleep } from "node:timers/promises";
import { kindOf } from "../../domain/alerts/causes.ts";
import { describeCents } from "../../domain/payouts/limits.ts";
import { describeStop } from "../../domain/payouts/stop.ts";
import { COUNTED_BY_SENTENCE } from "../../domain/payouts/wait.ts";
import {
  needsPerson,
  type Overview,
  readOverview,
  troubledNetworks,
} from "../../flows/operators/read-overview.ts";
import { listOpenAlerts, type OpenAlert } from "../../storage/alerts/alerts.ts";
import { listBreaks } from "../../storage/audit/breaks.ts";
import { listOpenOrderGroups, readProposals } from "../../storage/audit/overview.ts";
import type { Database } from "../../storage/postgres/database.ts";
import { type Command, type CommandContext, UsageError } from "../command.ts";
import { bad, type Finding, good } from "../finding.ts";
import { fields } from "../table.ts";
import { ageWords, timeWords } from "../times.ts";
import { withDatabase } from "../with-database.ts";

const WATCH_SECONDS = 2;

export const status: Command = {
  name: "status",
  summary: "Show on one screen what waits, for how long, and what is stopped.",
  options: {
    watch: { description: `Show it again every ${WATCH_SECONDS} seconds, until Ctrl-C.` },
  },
  example: "status --watch",
  run: (context, input) => {
    const isWatched = input.hasFlag("watch");
    if (isWatched && context.json) {
      throw new UsageError("--watch prints text. Leave out --json, or run the command again.");
    }
    return withDatabase(context, async ({ database }) => {
      if (isWatched) await watch(context, database);
      const read = await readOverview(database);
      return { json: showStatus(read), text: describe(read), ok: !needsPerson(read) };
    });
  },
};

/** Writes the status until Ctrl-C, which ends the command in order: it may have started PostgreSQL itself. */
async function watch(context: CommandContext, database: Database): Promise<void> {
  const interrupted = new AbortController();
  process.once("SIGINT", () => interrupted.abort());
  while (!interrupted.signal.aborted) {
    const now = timeWords(new Date());
    await context.write(`\n${now}\n${describe(await readOverview(database))}\n`);
    await sleep(WATCH_SECONDS * 1_000, null, { signal: interrupted.signal }).catch(() => {});
  }
}

const showStatus = (read: Overview) => ({
  ...read,
  lastDay: { ...read.lastDay, paidOutCents: Number(read.lastDay.paidOutCents) },
});

/** Finds the work that waits for a person and that no other check of `doctor` names. */
export async function examineWaiting(database: Database): Promise<Finding> {
  const check = "people";
  try {
    const reviews = (await listOpenOrderGroups(database)).filter(isInReview);
    const breaks = await listBreaks(database, "standing");
    const alerts = (await listOpenAlerts(database)).filter(isNamedHereOnly);
    const { count: proposed } = await readProposals(database);
    const found = [
      ...(reviews.length > 0 ? [`in review: ${groups(reviews, reviewWords)}`] : []),
      ...breaks.map((each) => `${each.check}: ${each.problem}`),
      ...alerts.map(({ summary }) => summary),
      ...(proposed > 0 ? [`price changes to approve: ${proposed}`] : []),
    ];
    if (found.length === 0) return good(check, "nothing waits for a person");
    return bad(check, found.join("; "), "See what waits, and decide: exchange status.");
  } catch (error) {
    return bad(check, (error as Error).message, "Use the worker's role of the database.");
  }
}

/** Stops are named by the check of payouts, and breaks one by one. */
const isNamedHereOnly = ({ cause }: OpenAlert): boolean =>
  !["stop", "audit_break"].includes(kindOf(cause));

const isInReview = ({ status }: Overview["orders"][number]): boolean => status === "in_review";
const reviewWords = ({ reason }: Overview["orders"][number]): string =>
  reason ?? "without a reason";

/** The sentence of one payout has its amount, so the cause of several has the sentence as an example. */
function payoutWords({ state, waitsFor, wait, count }: Overview["payouts"][number]): string {
  if (waitsFor === null) return state;
  if (count === 1 || wait === null || COUNTED_BY_SENTENCE.includes(wait.code)) return waitsFor;
  return `${wait.code.replaceAll("_", " ")}, such as "${waitsFor}"`;
}

function describe(read: Overview): string {
  const { orders, payouts, proposals, stops, breaks, backlog, quotedPrices, lastDay } = read;
  const onTheWay = orders.filter((group) => !isInReview(group));
  return fields({
    "In review": groups(orders.filter(isInReview), reviewWords),
    "On the way": groups(onTheWay, (one) => one.status),
    Payouts: groups(payouts, payoutWords),
    "Price changes":
      proposals.count === 0
        ? "none to approve"
        : `${proposals.count} to approve (oldest ${ageWords(proposals.oldestMs)})`,
    Stopped: words(stops.map((stop) => `${describeStop(stop)} by ${stop.setBy}: ${stop.reason}`)),
    Breaks: words(breaks.map(({ check, problem }) => `${check}: ${problem}`)),
    Audit: describeAudit(read),
    Alerts: words(read.alerts.map(({ summary }) => summary)),
    "Live networks": describeNetworks(read),
    Jobs: late(backlog.dueJobs, "due", backlog.jobLateMs),
    Webhooks: `${late(backlog.pendingDeliveries, "pending", backlog.deliveryLateMs)}; endpoints: ${backlog.failingEndpoints} failing, ${backlog.disabledEndpoints} disabled`,
    "Newest quote":
      backlog.newestQuoteMs === null ? "none yet" : `${ageWords(backlog.newestQuoteMs)} ago`,
    "Prices quoted": words(
      quotedPrices.map(
        ({ code, ageMs, sources }) => `${code} ${ageWords(ageMs)} old (${sources.join(", ")})`,
      ),
    ),
    "Last 24 hours": `${lastDay.placed} orders placed, ${lastDay.completed} of them completed, ${lastDay.refunded} refunded; ${lastDay.paidOut} payouts released, worth ${describeCents(lastDay.paidOutCents)}`,
  });
}

/** Returns "2 underpaid (oldest 3h 5m), 1 screening_hit (oldest 20m 1s)". */
const groups = <Group extends { readonly count: number; readonly oldestMs: number }>(
  list: readonly Group[],
  name: (group: Group) => string,
): string =>
  words(
    list.map((one) => `${one.count} ${name(one)} (oldest ${ageWords(one.oldestMs)})`),
    ", ",
  );

const words = (list: readonly string[], between = "; "): string => list.join(between) || "none";

const late = (count: number, what: string, lateMs: number | null): string =>
  count === 0 || lateMs === null
    ? `0 ${what}`
    : `${count} ${what}, ${ageWords(lateMs)} late at most`;

function describeAudit({ audit }: Overview): string {
  const ago = (at: Date): string => `${ageWords(Date.now() - at.getTime())} ago`;
  const passed = audit.passedAt === null ? "not passed yet" : `passed ${ago(audit.passedAt)}`;
  return `${passed}, compared with the rails ${ago(audit.railsComparedAt)}`;
}

function describeNetworks(read: Overview): string {
  if (read.networks.length === 0) return "none";
  const problems = troubledNetworks(read).map((one) => `${one.networkCode}: ${one.problem}`);
  if (problems.length > 0) return problems.join("; ");
  return read.networks
    .map((one) => `${one.networkCode} moved ${ageWords(Date.now() - one.movedAt.getTime())} ago`)
    .join(", ");
}
