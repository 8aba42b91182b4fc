import type { Operator } from "../../domain/operators/operator.ts";
import type { Stop, StopKey } from "../../domain/payouts/stop.ts";
import { findRefundAsker } from "../../storage/audit/control-log.ts";
import {
  listOperatorPayouts,
  type OperatorPayout,
  type PayoutFilter,
  type PayoutTotal,
  readPayoutTotals,
} from "../../storage/payouts/operator-payouts.ts";
import { listStops, stopsOfPayouts } from "../../storage/payouts/stops.ts";
import type { Deps } from "../deps.ts";
import { Refusal } from "../refusal.ts";
import { requirePayout } from "./require-payout.ts";

/** A payout, and whether the person who reads it may be one of its approvers. */
export interface ConsolePayout extends OperatorPayout {
  readonly isOpenToReader: boolean;
  /** The stops in force that cover it. A payout that was sent has none. */
  readonly stoppedBy: readonly StopKey[];
}

export interface ListPayouts extends Pick<PayoutFilter, "which" | "orderId"> {
  /** The reference of the currency that is paid. */
  readonly currency?: string | undefined;
  readonly reader: Operator;
  readonly limit: number;
}

/** Lists payouts under way, or those that wait for a person. Refuses CURRENCY_NOT_FOUND. */
export async function listPayoutsForConsole(
  deps: Pick<Deps, "database" | "catalogue">,
  { reader, currency, ...filter }: ListPayouts,
): Promise<readonly ConsolePayout[]> {
  const asset =
    currency === undefined ? undefined : deps.catalogue().currencyByCodeOrReference(currency);
  if (currency !== undefined && !asset) throw new Refusal("CURRENCY_NOT_FOUND");
  const payouts = await listOperatorPayouts(deps.database, { ...filter, assetId: asset?.id });
  return withReader(deps, payouts, reader);
}

/** Adds up payouts under way, or those that wait for a person, by asset. */
export const readPayoutTotalsForConsole = (
  { database }: Pick<Deps, "database">,
  filter: Pick<PayoutFilter, "which" | "orderId">,
): Promise<readonly PayoutTotal[]> => readPayoutTotals(database, filter);

/** Reads a payout. Refuses NOT_FOUND. */
export async function readPayoutForConsole(
  deps: Pick<Deps, "database">,
  { payoutId, reader }: { readonly payoutId: string; readonly reader: Operator },
): Promise<ConsolePayout> {
  const [payout] = await withReader(deps, [await requirePayout(deps, payoutId)], reader);
  if (payout === undefined) throw new Error(`payout ${payoutId} was read and lost`);
  return payout;
}

async function withReader(
  { database }: Pick<Deps, "database">,
  payouts: readonly OperatorPayout[],
  reader: Operator,
): Promise<readonly ConsolePayout[]> {
  const unsent = payouts.filter(({ intent }) => intent.state === "created");
  const stops = await stopsOfPayouts(
    database,
    unsent.map(({ intent }) => intent.id),
  );
  const read: ConsolePayout[] = [];
  for (const payout of payouts) {
    const stoppedBy = stops.filter(({ intentId }) => intentId === payout.intent.id);
    read.push({ ...payout, stoppedBy, isOpenToReader: await isOpenTo(database, payout, reader) });
  }
  return read;
}

/** Returns whether the person may be one of the payout's approvers. */
async function isOpenTo(
  database: Deps["database"],
  { intent, approvedBy }: OperatorPayout,
  reader: Operator,
): Promise<boolean> {
  const waits = intent.state === "created" && intent.releasedAt === null;
  if (!waits || approvedBy.includes(reader.person)) return false;
  if (intent.purpose === "payout") return true;
  return (await findRefundAsker(database, intent.orderId, reader)) === undefined;
}

/** Lists the stops in force, the oldest first. */
export const listStopsForConsole = ({
  database,
}: Pick<Deps, "database">): Promise<readonly Stop[]> => listStops(database);
