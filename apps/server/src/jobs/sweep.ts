import { euroCentsOf } from "../domain/payouts/limits.ts";
import type { SweepMarket } from "../domain/ports/chain-sweeper.ts";
import { planSweep, type Sweepable, type SweepRules } from "../domain/treasury/sweep-plan.ts";
import { failpoint } from "../failpoints.ts";
import { repeat } from "../flows/repeat.ts";
import { bindSweep, listMoves } from "../storage/treasury/sweeps.ts";
import { listUnswept, type Unswept } from "../storage/treasury/unswept.ts";
import { advanceMove } from "./own-moves.ts";
import { coinOf, type SweepDeps, type SweptNetwork, topUp } from "./top-up.ts";

export interface SweepOptions {
  readonly networks: readonly SweptNetwork[];
  readonly everyMs: number;
  /** False while nobody knows whether this database was restored. */
  readonly mayMove?: () => boolean;
}

/**
 * Collects the coins of deposit addresses in the hot wallets. Any number of processes may do it at once. Returns
 * the function that stops it.
 */
export function startSweeps(deps: SweepDeps, options: SweepOptions): () => Promise<void> {
  const { networks, everyMs, mayMove } = options;
  const failed = (err: unknown, networkCode?: string): void =>
    deps.log.warn({ err, networkCode }, "a sweep will be retried");
  const ends = new Map<string, string>();
  const round = async (signal: AbortSignal): Promise<void> => {
    if (mayMove?.() === false) return;
    for (const network of networks) {
      const { networkCode } = network.sweeper;
      try {
        ends.set(networkCode, await sweepOnce(deps, network, ends.get(networkCode)));
      } catch (error) {
        if (!signal.aborted) failed(error, networkCode);
      }
    }
  };
  const stop = repeat({ everyMs, round, failed });
  return async () => {
    await stop();
    await Promise.all(networks.map(({ sweeper }) => sweeper.close()));
  };
}

/**
 * Takes every move a step further, then plans new ones for the page of addresses behind `after`. Returns the address behind
 * which the next page begins.
 */
export async function sweepOnce(
  deps: SweepDeps,
  network: SweptNetwork,
  after = "",
): Promise<string> {
  const { networkCode } = network.sweeper;
  const moves = await listMoves(deps.database, networkCode);
  for (const move of moves) {
    await advanceMove(deps, network, move, moves).catch((error: unknown) => {
      deps.log.warn({ err: error, networkCode, sendId: move.id }, "a sweep will be retried");
    });
  }
  const { rules } = network;
  if (rules === undefined) return after;
  const { unswept, end = "" } = await listUnswept(deps.database, networkCode, after);
  if (unswept.length === 0) return end;
  const market = await network.sweeper.market();
  const coinId = coinOf(deps, networkCode).id;
  // A sweep of the network's own coin would take along the coins of a top-up, and the token would need another one.
  const inOrder = [
    ...unswept.filter(({ assetId }) => assetId !== coinId),
    ...unswept.filter(({ assetId }) => assetId === coinId),
  ];
  for (const found of inOrder) {
    // A token whose balance cannot be read does not hold up the others.
    await planOne(deps, network, { found, market, rules }).catch((error: unknown) => {
      const { address } = found;
      deps.log.warn({ err: error, networkCode, address }, "a sweep will be retried");
    });
  }
  return end;
}

/** Decides by our rows first, so that coins which are not worth a sweep cost no question to the network. */
async function planOne(
  deps: SweepDeps,
  network: SweptNetwork,
  {
    found,
    market,
    rules,
  }: { readonly found: Unswept; readonly market: SweepMarket; readonly rules: SweepRules },
): Promise<void> {
  const { sweeper } = network;
  const { networkCode, hot } = sweeper;
  const asset = deps.catalogue().requireCurrency(found.assetId);
  const coin = coinOf(deps, networkCode);
  const centsOf = (units: bigint): bigint => euroCentsOf({ asset: coin, units });
  const costs = market.costsOf(found.assetId);
  const booked: Sweepable = {
    units: found.units,
    cents: euroCentsOf({ asset, units: found.units }),
    ageMs: found.ageMs,
    isCoin: asset.id === coin.id,
    coins: 0n,
  };
  if (planSweep(booked, { costs, centsOf }, rules).kind === "wait") return;
  const holding = await sweeper.holdingOf(found.address, found.assetId);
  // Wait for the scanner to explain coins that our rows do not have, or that are gone.
  if (holding.units !== found.units) return;
  const prices = { costs: holding.costs ?? costs, centsOf };
  const plan = planSweep({ ...booked, coins: holding.coins }, prices, rules);
  if (plan.kind === "wait") return;
  if (plan.kind === "top_up") {
    return topUp(deps, network, { to: found.address, units: plan.units, isForRaise: false });
  }
  const move = {
    sendId: deps.ids.uuid(),
    networkCode,
    units: plan.units,
    assetId: asset.id,
    deposit: { address: found.address, keyIndex: found.keyIndex, usedPlaces: holding.usedPlaces },
    hotAddress: hot.address,
    terms: sweeper.termsOf(found.assetId, plan.fee),
  };
  failpoint("sweep.before_bind");
  const isBound = await deps.database.transaction((tx) => bindSweep(tx, move));
  failpoint("sweep.after_bind");
  if (!isBound) return;
  const { address } = found;
  deps.log.info({ networkCode, address, units: String(plan.units) }, "a sweep begins");
}
