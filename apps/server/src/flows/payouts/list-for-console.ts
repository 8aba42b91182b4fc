import type { Operator } from "../../domain/operators/operator.ts";
import type { Stop } from "../../domain/payouts/stop.ts";
import { hasAskedForRefund } from "../../storage/audit/control-log.ts";
import {
  listOperatorPayouts,
  type OperatorPayout,
} from "../../storage/payouts/operator-payouts.ts";
import { listStops } from "../../storage/payouts/stops.ts";
import type { Deps } from "../deps.ts";
import { requirePayout } from "./require-payout.ts";

/** A payout, and whether the person who reads it may be one of its approvers. */
export interface ConsolePayout extends OperatorPayout {
  readonly isOpenToReader: boolean;
}

export interface ListPayouts {
  readonly which: "waiting" | "under_way";
  readonly reader: Operator;
  readonly limit: number;
}

/** Lists payouts under way, or those that wait for a person. */
export async function listPayoutsForConsole(
  deps: Pick<Deps, "database">,
  { which, reader, limit }: ListPayouts,
): Promise<readonly ConsolePayout[]> {
  const payouts = await listOperatorPayouts(deps.database, { which, limit });
  const read: ConsolePayout[] = [];
  for (const payout of payouts) read.push(await withReader(deps, payout, reader));
  return read;
}

/** Reads a payout. Refuses NOT_FOUND. */
export async function readPayoutForConsole(
  deps: Pick<Deps, "database">,
  { payoutId, reader }: { readonly payoutId: string; readonly reader: Operator },
): Promise<ConsolePayout> {
  return withReader(deps, await requirePayout(deps, payoutId), reader);
}

async function withReader(
  { database }: Pick<Deps, "database">,
  payout: OperatorPayout,
  { person, account }: Operator,
): Promise<ConsolePayout> {
  const { intent, approvedBy } = payout;
  const waits = intent.state === "created" && intent.releasedAt === null;
  const isFirst = waits && !approvedBy.includes(person);
  const asked =
    isFirst && intent.purpose !== "payout"
      ? await hasAskedForRefund(database, { orderId: intent.orderId, account })
      : false;
  return { ...payout, isOpenToReader: isFirst && !asked };
}

/** Lists the stops in force, the oldest first. */
export const listStopsForConsole = ({
  database,
}: Pick<Deps, "database">): Promise<readonly Stop[]> => listStops(database);
