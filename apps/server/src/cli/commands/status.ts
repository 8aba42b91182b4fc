import { setTimeout as sleep } from "node:timers/promises";
import { describeCents } from "../../domain/payouts/limits.ts";
import { describeStop, type Stop } from "../../domain/payouts/stop.ts";
import { type AuditBreak, listBreaks } from "../../storage/audit/breaks.ts";
import {
  type Backlog,
  type LastDay,
  listOpenOrders,
  listOpenPayouts,
  type OpenOrders,
  type OpenPayouts,
  readBacklog,
  readLastDay,
} from "../../storage/audit/overview.ts";
import { type FollowedNetwork, listFollowedNetworks } from "../../storage/chains/cursors.ts";
import { listStops } from "../../storage/payouts/stops.ts";
import type { Database } from "../../storage/postgres/database.ts";
import { type Command, type CommandContext, UsageError } from "../command.ts";
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
      const read = await readStatus(database);
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
    await context.write(`\n${now}\n${describe(await readStatus(database))}\n`);
    await sleep(WATCH_SECONDS * 1_000, null, { signal: interrupted.signal }).catch(() => {});
  }
}

interface Status {
  readonly orders: readonly OpenOrders[];
  readonly payouts: readonly OpenPayouts[];
  readonly stops: readonly Stop[];
  readonly breaks: readonly AuditBreak[];
  readonly networks: readonly FollowedNetwork[];
  readonly backlog: Backlog;
  readonly lastDay: LastDay;
}

const readStatus = async (database: Database): Promise<Status> => ({
  orders: await listOpenOrders(database),
  payouts: await listOpenPayouts(database),
  stops: await listStops(database),
  breaks: await listBreaks(database, "standing"),
  networks: await listFollowedNetworks(database),
  backlog: await readBacklog(database),
  lastDay: await readLastDay(database),
});

const showStatus = (read: Status) => ({
  ...read,
  lastDay: { ...read.lastDay, paidOutCents: Number(read.lastDay.paidOutCents) },
});

const troubled = ({ networks }: Status) => networks.filter(({ problem }) => problem !== null);

const needsPerson = (read: Status): boolean =>
  read.stops.length > 0 ||
  read.breaks.length > 0 ||
  read.backlog.disabledEndpoints > 0 ||
  troubled(read).length > 0 ||
  read.orders.some((group) => group.status === "in_review");

function describe(read: Status): string {
  const { orders, payouts, stops, breaks, backlog, lastDay } = read;
  const inReview = orders.filter((group) => group.status === "in_review");
  const onTheWay = orders.filter((group) => group.status !== "in_review");
  return fields({
    "In review": groups(inReview, (one) => one.reason ?? "without a reason"),
    "On the way": groups(onTheWay, (one) => one.status),
    Payouts: groups(payouts, (one) => one.waitsFor ?? one.state),
    Stopped: words(stops.map((stop) => `${describeStop(stop)} by ${stop.setBy}: ${stop.reason}`)),
    Breaks: words(breaks.map(({ check, problem }) => `${check}: ${problem}`)),
    "Live networks": describeNetworks(read),
    Jobs: late(backlog.dueJobs, "due", backlog.jobLateMs),
    Webhooks: `${late(backlog.pendingDeliveries, "pending", backlog.deliveryLateMs)}; endpoints: ${backlog.failingEndpoints} failing, ${backlog.disabledEndpoints} disabled`,
    "Newest quote":
      backlog.newestQuoteMs === null ? "none yet" : `${ageWords(backlog.newestQuoteMs)} ago`,
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

function describeNetworks(read: Status): string {
  if (read.networks.length === 0) return "none";
  const problems = troubled(read).map((one) => `${one.networkCode}: ${one.problem}`);
  if (problems.length > 0) return problems.join("; ");
  return read.networks
    .map((one) => `${one.networkCode} moved ${ageWords(Date.now() - one.movedAt.getTime())} ago`)
    .join(", ");
}
