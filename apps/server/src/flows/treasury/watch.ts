import type { Deps } from "../deps.ts";
import { repeat } from "../repeat.ts";
import { isLow, readTreasury, type TreasuryAsset } from "./overview.ts";

const LOOK_MS = 30_000;

type WatchDeps = Pick<Deps, "database" | "catalogue" | "log" | "metrics">;

/** The float of an asset, or that its issuer froze the stock. */
export type FloatState = TreasuryAsset["float"] | "frozen";

export interface TreasuryWatch {
  /** Returns the references of the assets whose float was low at the last look. */
  lowFloats(): readonly string[];
  stop(): Promise<void>;
}

/** Writes a line to the log when a float falls or is frozen, and one when it is enough again. */
export function watchTreasury(deps: WatchDeps): TreasuryWatch {
  const before = new Map<number, FloatState>();
  let low: readonly string[] = [];
  const stop = repeat({
    everyMs: LOOK_MS,
    atOnce: true,
    round: async () => {
      const assets = await readTreasury(deps.database);
      reportChanges(deps, before, assets);
      setFloatGauges(deps, assets);
      low = assets
        .filter(isLow)
        .map(({ assetId }) => deps.catalogue().requireCurrency(assetId).reference);
    },
    failed: (err) => deps.log.warn({ err }, "the stock cannot be read, retrying"),
  });
  return { lowFloats: () => low, stop };
}

export function setFloatGauges(
  { catalogue, metrics }: Pick<WatchDeps, "catalogue" | "metrics">,
  assets: readonly TreasuryAsset[],
): void {
  metrics.floatAmount.reset();
  metrics.floatLow.reset();
  for (const asset of assets) {
    const { assetId, position } = asset;
    const { reference, decimals } = catalogue().requireCurrency(assetId);
    // A chart needs no exact amount. The books are exact.
    metrics.floatAmount.set(
      { asset: reference },
      Number(position.onHand - position.promised) / 10 ** decimals,
    );
    metrics.floatLow.set({ asset: reference }, isLow(asset) ? 1 : 0);
  }
}

const LINES = {
  below_floor: "the float of an asset is below its floor; it is not quoted",
  low: "the float of an asset is low",
  above_ceiling: "the float of an asset is above its ceiling; take coins to cold storage",
  frozen:
    "the stock of an asset is frozen by its issuer; it is neither quoted nor paid out, and a refill does not reach it",
} as const;

/** Reports the assets whose float changed since the last look. */
export function reportChanges(
  { catalogue, log }: Pick<WatchDeps, "catalogue" | "log">,
  before: Map<number, FloatState>,
  assets: readonly TreasuryAsset[],
): void {
  for (const { assetId, float, frozen, position, advice } of assets) {
    const state = frozen === null ? float : "frozen";
    const earlier = before.get(assetId) ?? "enough";
    before.set(assetId, state);
    if (earlier === state) continue;
    const facts = {
      asset: catalogue().requireCurrency(assetId).reference,
      onHandUnits: String(position.onHand),
      promisedUnits: String(position.promised),
      ...(frozen !== null && { frozenUnits: String(frozen) }),
    };
    if (state === "enough") log.info(facts, "the float of an asset is enough again");
    else {
      const adviceUnits = advice.kind === "nothing" ? null : String(advice.units);
      log.warn({ ...facts, advice: advice.kind, adviceUnits }, LINES[state]);
    }
  }
}
