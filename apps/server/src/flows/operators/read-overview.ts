import type { Stop } from "../../domain/payouts/stop.ts";
import { listOpenAlerts, type OpenAlert } from "../../storage/alerts/alerts.ts";
import { type AuditBreak, listBreaks } from "../../storage/audit/breaks.ts";
import {
  type ControlSearch,
  type LoggedControlChange,
  searchControlChanges,
} from "../../storage/audit/control-log.ts";
import {
  type Backlog,
  type LastDay,
  listOpenOrderGroups,
  listOpenPayoutGroups,
  listQuotedPrices,
  type OpenOrderGroup,
  type OpenPayoutGroup,
  type Proposals,
  type QuotedPrice,
  readBacklog,
  readLastDay,
  readProposals,
} from "../../storage/audit/overview.ts";
import { type AuditTimes, readAuditTimes } from "../../storage/audit/progress.ts";
import { type FollowedNetwork, listFollowedNetworks } from "../../storage/chains/cursors.ts";
import { listStops } from "../../storage/payouts/stops.ts";
import type { Queryable } from "../../storage/postgres/database.ts";
import type { Deps } from "../deps.ts";
import { type Page, pageOf } from "../page.ts";

export type { LoggedControlChange } from "../../storage/audit/control-log.ts";

/** The work that waits, with its age, and everything that is stopped. */
export interface Overview {
  readonly orders: readonly OpenOrderGroup[];
  readonly payouts: readonly OpenPayoutGroup[];
  readonly proposals: Proposals;
  readonly stops: readonly Stop[];
  readonly breaks: readonly AuditBreak[];
  readonly audit: AuditTimes;
  readonly alerts: readonly OpenAlert[];
  readonly networks: readonly FollowedNetwork[];
  readonly backlog: Backlog;
  readonly quotedPrices: readonly QuotedPrice[];
  readonly lastDay: LastDay;
}

/** Reads the figures of `exchange status` and of the console's first screen. */
export const readOverview = async (database: Queryable): Promise<Overview> => ({
  orders: await listOpenOrderGroups(database),
  payouts: await listOpenPayoutGroups(database),
  proposals: await readProposals(database),
  stops: await listStops(database),
  breaks: await listBreaks(database, "standing"),
  audit: await readAuditTimes(database),
  alerts: await listOpenAlerts(database),
  networks: await listFollowedNetworks(database),
  backlog: await readBacklog(database),
  quotedPrices: await listQuotedPrices(database),
  lastDay: await readLastDay(database),
});

/** The networks whose scanner cannot go on. */
export const troubledNetworks = ({
  networks,
}: Pick<Overview, "networks">): readonly FollowedNetwork[] =>
  networks.filter(({ problem }) => problem !== null);

/** Whether something waits that the service does not do by itself. Every alert does until it ends. */
export const needsPerson = (read: Overview): boolean =>
  read.alerts.length > 0 ||
  read.stops.length > 0 ||
  read.breaks.length > 0 ||
  read.backlog.disabledEndpoints > 0 ||
  troubledNetworks(read).length > 0 ||
  read.orders.some((group) => group.status === "in_review");

/** Searches one page of the log of changes, the latest first. */
export async function searchChanges(
  { database }: Pick<Deps, "database">,
  search: ControlSearch,
): Promise<Page<LoggedControlChange, LoggedControlChange>> {
  const found = await searchControlChanges(database, { ...search, limit: search.limit + 1 });
  return pageOf(found, search.limit);
}
