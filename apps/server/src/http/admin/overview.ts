import { encodeJson, type Outgoing, PAGE_LIMIT_DEFAULT } from "@exchange/contract";
import {
  ADMIN_ENDPOINTS,
  type ChangeNotice,
  type ChangeTopic,
  type LoggedChange,
  type OpenBreak,
  type Overview,
} from "@exchange/contract/admin";
import {
  type LoggedControlChange,
  needsPerson,
  readOverview,
  searchChanges,
} from "../../flows/operators/read-overview.ts";
import { makeChangeWatch } from "../../flows/people/watch-changes.ts";
import { decodeCursor, encodeCursor } from "../cursor.ts";
import { list, ok, toUnixSeconds } from "../wire.ts";
import { type ExportColumns, exportList, timeText } from "./export-list.ts";
import { presentStop, presentWait } from "./present-order.ts";
import type { AdminDeps, AdminHandler, RegisterAdmin } from "./registrar.ts";

const LIST = "admin_changes";

/** The first screen, and the log of changes. */
export function registerOverview(register: RegisterAdmin, deps: AdminDeps): void {
  register(ADMIN_ENDPOINTS.readOverview, async () =>
    ok(presentOverview(await readOverview(deps.database))),
  );
  const listChanges: AdminHandler<typeof ADMIN_ENDPOINTS.listChanges> = async ({
    caller,
    query,
  }) => {
    const { cursor, limit = PAGE_LIMIT_DEFAULT } = query;
    const page = await searchChanges(deps, {
      merchantId: caller.merchantId,
      person: query.person?.trim().toLowerCase() ?? null,
      action: query.action ?? null,
      subject: query.subject?.trim() ?? null,
      from: timeOrNull(query.from),
      before: timeOrNull(query.before),
      olderThan: cursor === undefined ? null : decodeCursor(LIST, cursor)[0],
      limit,
    });
    const next = page.last && encodeCursor(LIST, [BigInt(page.last.id)]);
    return list(page.items.map(presentChange), next);
  };
  register(ADMIN_ENDPOINTS.listChanges, listChanges);
  register(ADMIN_ENDPOINTS.exportChanges, (call) =>
    exportList("changes", CHANGE_COLUMNS, (pages) =>
      listChanges({ ...call, query: { ...call.query, ...pages } }),
    ),
  );
}

/** The time after which a browser opens a stream again that ended. */
const RETRY_MS = 3_000;

/** Tells a person's console which topics changed. It reads the rows by their own calls. */
export function registerChangeStream(register: RegisterAdmin, deps: AdminDeps): void {
  const watch = makeChangeWatch(deps);
  register(ADMIN_ENDPOINTS.followChanges, async ({ caller, signal }) => {
    const { session, merchantId } = caller;
    return eventsOf(watch.follow({ sessionId: session.id, merchantId }, signal));
  });
}

async function* eventsOf(changes: AsyncIterable<readonly ChangeTopic[]>): AsyncGenerator<string> {
  yield `retry: ${RETRY_MS}\n\n`;
  for await (const topics of changes) {
    const notice: ChangeNotice = { topics: [...topics] };
    yield `event: changes\ndata: ${encodeJson(notice)}\n\n`;
  }
}

const CHANGE_COLUMNS: ExportColumns<Outgoing<LoggedChange>> = {
  id: ({ changeId }) => changeId,
  time: ({ at }) => timeText(at),
  person: ({ person }) => person,
  via: ({ via }) => via,
  account: ({ account }) => account,
  address: ({ address }) => address,
  action: ({ action }) => action,
  subject: ({ subject }) => subject,
  reason: ({ reason }) => reason,
  changes: ({ changes }) =>
    changes
      .map(({ name, before, after }) => `${name}: ${before ?? ""} -> ${after ?? ""}`)
      .join("; "),
};

const timeOrNull = (seconds: number | undefined): Date | null =>
  seconds === undefined ? null : new Date(seconds * 1_000);

const seconds = (ms: number): number => Math.round(ms / 1_000);
const secondsOrNull = (ms: number | null): number | null => (ms === null ? null : seconds(ms));

export const presentBreak = ({
  subject,
  check,
  problem,
  foundAt,
}: ReadOverview["breaks"][number]): Outgoing<OpenBreak> => ({
  subject,
  check,
  problem,
  foundAt: toUnixSeconds(foundAt),
});

type ReadOverview = Awaited<ReturnType<typeof readOverview>>;

function presentOverview(read: ReadOverview): Outgoing<Overview> {
  const { backlog, lastDay } = read;
  return {
    needsPerson: needsPerson(read),
    orders: read.orders.map(({ status, reason, count, oldestMs }) => ({
      status,
      reason,
      count,
      oldestSeconds: seconds(oldestMs),
    })),
    payouts: read.payouts.map(({ state, waitsFor, wait, count, oldestMs }) => ({
      state,
      waitsFor,
      wait: presentWait(wait),
      count,
      oldestSeconds: seconds(oldestMs),
    })),
    proposals: {
      count: read.proposals.count,
      oldestSeconds: seconds(read.proposals.oldestMs),
    },
    stops: read.stops.map(presentStop),
    breaks: read.breaks.map(presentBreak),
    alerts: read.alerts.map(({ cause, summary, beganAt }) => ({
      ...{ cause, summary },
      beganAt: toUnixSeconds(beganAt),
    })),
    networks: read.networks.map(({ networkCode, problem, movedAt }) => ({
      networkCode,
      problem,
      movedAt: toUnixSeconds(movedAt),
    })),
    dueJobs: backlog.dueJobs,
    jobsLateSeconds: secondsOrNull(backlog.jobLateMs),
    pendingDeliveries: backlog.pendingDeliveries,
    deliveriesLateSeconds: secondsOrNull(backlog.deliveryLateMs),
    failingEndpoints: backlog.failingEndpoints,
    disabledEndpoints: backlog.disabledEndpoints,
    newestQuoteSeconds: secondsOrNull(backlog.newestQuoteMs),
    lastDay: {
      from: toUnixSeconds(lastDay.from),
      before: toUnixSeconds(lastDay.before),
      placed: lastDay.placed,
      completed: lastDay.completed,
      refunded: lastDay.refunded,
      paidOut: lastDay.paidOut,
      paidOutEuroCents: Number(lastDay.paidOutCents),
    },
  };
}

/** Returns a change in words: each member whose value differs, and the reason apart. */
function presentChange(change: LoggedControlChange): Outgoing<LoggedChange> {
  const { reason = null, ...details } = change.details;
  const members = new Set([
    ...Object.keys(change.before ?? {}),
    ...Object.keys(change.after ?? {}),
  ]);
  const differing = [...members]
    .map((name) => ({
      name,
      before: textOf(change.before?.[name]),
      after: textOf(change.after?.[name]),
    }))
    .filter(({ before, after }) => before !== after);
  const words = Object.entries(details)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => ({ name, before: null, after: value }));
  return {
    changeId: Number(change.id),
    at: toUnixSeconds(change.at),
    person: change.person,
    via:
      change.address !== null ? "console" : change.systemUser !== null ? "command line" : "service",
    account: change.account,
    address: change.address,
    action: change.action,
    subject: change.subject,
    reason,
    changes: [...words, ...differing],
  };
}

function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (Array.isArray(value)) return value.length === 0 ? null : value.map(textOf).join(", ");
  if (typeof value === "object") {
    return Object.entries(value)
      .map(([name, member]) => `${name} ${textOf(member) ?? "none"}`)
      .join(", ");
  }
  return typeof value === "string" ? value : JSON.stringify(value);
}
