import { money } from "@exchange/money";
import type { Currency } from "../domain/catalogue/currency.ts";
import { networkFeeEntry } from "../domain/ledger/house-entries.ts";
import { euroCentsOf } from "../domain/payouts/limits.ts";
import type { SendOutcome } from "../domain/ports/chain-gateway.ts";
import { mayHaveSigned, SigningRefused } from "../domain/ports/chain-sender.ts";
import type { ChainSweeper, GasMarket, OwnMove } from "../domain/ports/chain-sweeper.ts";
import {
  planSweep,
  type Sweepable,
  type SweepPrices,
  type SweepRules,
} from "../domain/treasury/sweep-plan.ts";
import { failpoint } from "../failpoints.ts";
import type { Deps } from "../flows/deps.ts";
import { reportForeign, reportMismatch } from "../flows/payouts/report-break.ts";
import { bookHouseEntry } from "../storage/ledger/house.ts";
import { vacate } from "../storage/payouts/holes.ts";
import { findTerms } from "../storage/payouts/releases.ts";
import { endSend, listSigned, storeOwn } from "../storage/payouts/sends.ts";
import {
  bindSweep,
  bindTopUp,
  giveUpSweep,
  listMoves,
  listUnswept,
  type StoredMove,
  type Unswept,
} from "../storage/treasury/sweeps.ts";
import { feeOf } from "./payout-rails.ts";

/** A network whose deposit addresses are swept. */
export interface SweptNetwork {
  readonly sweeper: ChainSweeper;
  readonly rules: SweepRules;
  /** The most that top-ups of a day may bring to deposit addresses. */
  readonly topUpsDayMax: bigint;
}

export interface SweepOptions {
  readonly networks: readonly SweptNetwork[];
  readonly everyMs: number;
  /** False while nobody knows whether this database was restored. */
  readonly mayMove?: () => boolean;
}

type SweepDeps = Pick<Deps, "database" | "catalogue" | "ids" | "log">;

/**
 * Collects the coins of deposit addresses in the hot wallets. Any number of processes may do it at once. Returns
 * the function that stops it.
 */
export function startSweeps(deps: SweepDeps, options: SweepOptions): () => Promise<void> {
  const { networks, everyMs, mayMove } = options;
  let isStopping = false;
  let sweeping = Promise.resolve();
  const pass = async (): Promise<void> => {
    if (isStopping || mayMove?.() === false) return;
    for (const network of networks) {
      const { networkCode } = network.sweeper;
      await sweepOnce(deps, network).catch((error: unknown) => {
        if (!isStopping) deps.log.warn({ err: error, networkCode }, "a sweep will be retried");
      });
    }
  };
  const timer = setInterval(() => {
    sweeping = sweeping.then(pass);
  }, everyMs);
  timer.unref();
  return async () => {
    isStopping = true;
    clearInterval(timer);
    await sweeping;
    await Promise.all(networks.map(({ sweeper }) => sweeper.close()));
  };
}

/** Takes every move a step further, then plans new ones. */
export async function sweepOnce(deps: SweepDeps, network: SweptNetwork): Promise<void> {
  const { networkCode } = network.sweeper;
  for (const move of await listMoves(deps.database, networkCode)) {
    await advanceMove(deps, network, move).catch((error: unknown) => {
      deps.log.warn({ err: error, networkCode, sendId: move.id }, "a sweep will be retried");
    });
  }
  const unswept = await listUnswept(deps.database, networkCode);
  if (unswept.length === 0) return;
  const market = await network.sweeper.market();
  for (const found of unswept) await planOne(deps, network, { found, market });
}

/** The coin of the network that fees are in. */
const coinOf = (deps: SweepDeps, networkCode: string): Currency =>
  deps
    .catalogue()
    .requireCurrency(feeOf(deps, { networkCode, hash: "", units: 0n }).amount.asset.id);

/** Decides by our rows first, so that coins which are not worth a sweep cost no question to the network. */
async function planOne(
  deps: SweepDeps,
  network: SweptNetwork,
  { found, market }: { readonly found: Unswept; readonly market: GasMarket },
): Promise<void> {
  const { sweeper, rules, topUpsDayMax } = network;
  const { networkCode, hot } = sweeper;
  const asset = deps.catalogue().requireCurrency(found.assetId);
  const coin = coinOf(deps, networkCode);
  const gasLimit = sweeper.gasLimitOf(found.assetId);
  const centsOf = (units: bigint): bigint => euroCentsOf({ asset: coin, units });
  const prices: SweepPrices = { market, gasLimit, centsOf };
  const booked: Sweepable = {
    units: found.units,
    cents: euroCentsOf(money(asset, found.units) as Parameters<typeof euroCentsOf>[0]),
    ageMs: found.ageMs,
    isCoin: asset.id === coin.id,
    coins: 0n,
  };
  if (planSweep(booked, prices, rules).kind === "wait") return;
  const holding = await sweeper.holdingOf(found.address, found.assetId);
  // Wait for the scanner to explain coins that our rows do not have, or that are gone.
  if (holding.units !== found.units) return;
  const plan = planSweep({ ...booked, coins: holding.coins }, prices, rules);
  if (plan.kind === "wait") return;
  const move = {
    sendId: deps.ids.uuid(),
    networkCode,
    units: plan.units,
    deposit: { address: found.address, keyIndex: found.keyIndex, usedPlaces: holding.usedPlaces },
    hotAddress: hot.address,
  };
  failpoint("sweep.before_bind");
  const isBound = await deps.database.transaction((tx) => {
    const terms = sweeper.termsOf(
      plan.kind === "sweep" ? gasLimit : sweeper.gasLimitOf(coin.id),
      plan.gasPrice,
    );
    return plan.kind === "sweep"
      ? bindSweep(tx, { ...move, assetId: asset.id, terms })
      : bindTopUp(tx, { ...move, assetId: coin.id, terms }, topUpsDayMax);
  });
  failpoint("sweep.after_bind");
  if (isBound) {
    const { address } = found;
    deps.log.info(
      { networkCode, address, purpose: plan.kind, units: String(plan.units) },
      "a sweep begins",
    );
  } else {
    deps.log.warn(
      { networkCode },
      "a sweep waits: another one is under way, or the day's top-ups are used",
    );
  }
}

/** Signs, sends and follows a move, like a payout. Only stored bytes are sent. */
async function advanceMove(
  deps: SweepDeps,
  { sweeper }: SweptNetwork,
  stored: StoredMove,
): Promise<void> {
  const { database } = deps;
  const { networkCode } = sweeper;
  const move = toMove(deps, sweeper, stored);
  if (stored.state === "bound") {
    if (stored.isStopped || !(await signMove(deps, sweeper, { stored, move }))) return;
  }
  const signed = (await listSigned(database, stored.id)).map((one) => ({ ...one, networkCode }));
  const [first] = signed;
  if (!first) return;
  if (stored.state === "bound") {
    await sweeper.broadcast(first);
    failpoint("sweep.after_broadcast");
    return;
  }
  const outcome = await sweeper.follow(move, signed);
  if (outcome.state === "waiting" && !outcome.isKnown) await sweeper.broadcast(first);
  await recordEnd(deps, networkCode, { stored, outcome });
}

function toMove(
  deps: SweepDeps,
  { networkCode, hot, depositAccount }: ChainSweeper,
  stored: StoredMove,
): OwnMove {
  const { id, purpose, place, to, units, assetId, keyIndex } = stored;
  const assetReference = deps.catalogue().requireCurrency(assetId).reference;
  const deposit = {
    name: depositAccount(keyIndex),
    address: purpose === "sweep" ? stored.from : to,
  };
  return {
    send: {
      id,
      networkCode,
      purpose,
      place: { kind: "nonce", nonce: place },
      outputs: [{ intentId: id, assetReference, address: to, memo: null, units }],
    },
    ...(purpose === "sweep" ? { from: deposit, to: hot } : { from: hot, to: deposit }),
  };
}

/** Returns false when the signer refused. A refused top-up gives up its place, so that payouts do not wait for it. */
async function signMove(
  deps: SweepDeps,
  sweeper: ChainSweeper,
  { stored, move }: { readonly stored: StoredMove; readonly move: OwnMove },
): Promise<boolean> {
  const { database, ids, log } = deps;
  const { id, purpose } = stored;
  const terms = await findTerms(database, { sendId: id, number: 1 });
  if (!terms) throw new Error(`send ${id} has no terms`);
  try {
    const transaction = await sweeper.sign(move, terms);
    failpoint("sweep.after_sign");
    await storeOwn(database, id, transaction);
    failpoint("sweep.after_store");
    return true;
  } catch (error) {
    if (!(error instanceof SigningRefused) || mayHaveSigned(error)) throw error;
    const { networkCode } = sweeper;
    log.error({ networkCode, purpose, reason: error.reason }, `no sweep: ${error.message}`);
    if (purpose === "sweep") await giveUpSweep(database, id);
    else await database.transaction((tx) => vacate(tx, { sendId: id, cancelId: ids.uuid() }));
    return false;
  }
}

async function recordEnd(
  deps: SweepDeps,
  networkCode: string,
  { stored, outcome }: { readonly stored: StoredMove; readonly outcome: SendOutcome },
): Promise<void> {
  const { database, log } = deps;
  const { id, purpose } = stored;
  const spender = { name: `${purpose} ${id}`, networkCode };
  switch (outcome.state) {
    case "waiting":
    case "mined":
      return;
    case "dead":
      await reportForeign(deps, spender, outcome.by);
      return void (await endSend(database, id, outcome));
    case "lost":
      return void (await endSend(database, id, { state: "dead", by: outcome.by }));
    case "mismatch":
      return reportMismatch(deps, spender, outcome);
    case "failed":
      log.error({ networkCode, sendId: id, why: outcome.why }, "a sweep moved nothing");
      return end(deps, networkCode, { stored, outcome });
    case "final":
      return end(deps, networkCode, { stored, outcome });
  }
}

async function end(
  deps: SweepDeps,
  networkCode: string,
  ended: {
    readonly stored: StoredMove;
    readonly outcome: Extract<SendOutcome, { state: "final" | "failed" }>;
  },
): Promise<void> {
  const { stored, outcome } = ended;
  const { state, hash, networkFee: units } = outcome;
  failpoint("sweep.before_end");
  await deps.database.transaction(async (tx) => {
    if (!(await endSend(tx, stored.id, { state, hash }))) return;
    await bookHouseEntry(tx, networkFeeEntry(feeOf(deps, { networkCode, hash, units })));
  });
  failpoint("sweep.after_end");
}
