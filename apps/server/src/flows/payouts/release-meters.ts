import {
  currencyKey,
  isLimited,
  type LimitRow,
  limitsOf,
  TOTAL_KEY,
} from "../../domain/payouts/limits.ts";
import type { PayoutIntent } from "../../domain/payouts/payout-intent.ts";
import type { Meter, Outflow } from "../../domain/payouts/release.ts";
import { listPayoutLimits, lockReleases, readOutflows } from "../../storage/payouts/controls.ts";
import type { Tx } from "../../storage/postgres/database.ts";
import type { Deps } from "../deps.ts";

type MeterDeps = Pick<Deps, "catalogue" | "environment">;

/** The limits of payouts, with the amounts that were released against them so far. */
export interface Meters {
  of(intent: PayoutIntent): Meter[];
  /** Counts a payout that goes. */
  add(intent: PayoutIntent): void;
}

/** Returns undefined if no limit applies to any of the payouts. The lock excludes other decisions. */
export async function readMeters(
  tx: Tx,
  deps: MeterDeps,
  intents: readonly PayoutIntent[],
): Promise<Meters | undefined> {
  const before = await listPayoutLimits(tx);
  if (intents.every((intent) => applying(deps, before, intent).length === 0)) return undefined;
  await lockReleases(tx);
  // Read again: the last holder of the lock may have changed the limits.
  const limits = await listPayoutLimits(tx);
  const outflows = new Map(await readOutflows(tx));
  return {
    of: (intent) =>
      applying(deps, limits, intent).map(({ asset, ...meter }) => ({
        ...meter,
        out: asset === "all" ? sumOf([...outflows.values()]) : sumOf([outflows.get(asset)]),
      })),
    add: ({ assetId, euroCents }) => {
      const released = { hourCents: euroCents, dayCents: euroCents };
      outflows.set(assetId, sumOf([outflows.get(assetId), released]));
    },
  };
}

const sumOf = (outflows: readonly (Outflow | undefined)[]): Outflow =>
  outflows.reduce<Outflow>(
    (sum, out) => ({
      hourCents: sum.hourCents + (out?.hourCents ?? 0n),
      dayCents: sum.dayCents + (out?.dayCents ?? 0n),
    }),
    { hourCents: 0n, dayCents: 0n },
  );

/** Returns the limits that apply to a payout: its currency's and those of all currencies together. */
function applying(
  { environment, catalogue }: MeterDeps,
  rows: readonly LimitRow[],
  { assetId }: PayoutIntent,
) {
  const { reference, code } = catalogue().requireCurrency(assetId);
  const book = { environment, rows };
  const candidates = [
    { limits: limitsOf(book, currencyKey(reference)), currency: code, asset: assetId },
    { limits: limitsOf(book, TOTAL_KEY), currency: null, asset: "all" as const },
  ];
  return candidates.filter(({ limits }) => isLimited(limits));
}
