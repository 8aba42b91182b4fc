import { euroCentsOf } from "../domain/payouts/limits.ts";
import type { SignedTransaction } from "../domain/ports/chain-gateway.ts";
import { type FeeTerms, mayHaveSigned, SigningRefused } from "../domain/ports/chain-sender.ts";
import type { ChainSweeper, OwnMove } from "../domain/ports/chain-sweeper.ts";
import { planSweep, type Sweepable, type SweepRules } from "../domain/treasury/sweep-plan.ts";
import { failpoint } from "../failpoints.ts";
import { noteUnstopped } from "../storage/payouts/questions.ts";
import { findStoredTerms, forgetRefusedTerms, storeTerms } from "../storage/payouts/releases.ts";
import { addSigned } from "../storage/payouts/sends.ts";
import { readFunds, type StoredMove } from "../storage/treasury/sweeps.ts";
import { coinOf, maxCostOf, type SweepDeps, type SweptNetwork, topUp } from "./top-up.ts";

/** A move whose newest transaction is stuck. */
export interface StuckMove {
  readonly stored: StoredMove;
  readonly move: OwnMove;
  /** The newest last. */
  readonly signed: readonly SignedTransaction[];
  /** Every move of the network that is under way. */
  readonly all: readonly StoredMove[];
}

/**
 * Replaces a stuck transaction at its place, as a payout's is replaced. Both prices rise by an eighth at least. A
 * sweep of the network's own coin pays the higher fee from the coins that it moves. A sweep of a token may need
 * another top-up first. Terms and bytes are stored before they are used. Returns false where nothing is replaced now.
 */
export async function raiseMove(
  deps: SweepDeps,
  network: SweptNetwork,
  stuck: StuckMove,
): Promise<boolean> {
  const { database, log } = deps;
  const { sweeper } = network;
  const { networkCode } = sweeper;
  const { stored, signed } = stuck;
  const { id, purpose } = stored;
  const number = signed.length + 1;
  const key = { sendId: id, number };
  const question = { sendId: id, id: deps.ids.uuid() };
  // A replacement is signed too. A stop may have been set after the move was listed.
  if (!(await noteUnstopped(database, question))) return false;
  let terms = await findStoredTerms(database, key);
  if (!terms) {
    const planned = await planTerms(deps, network, stuck);
    if (!planned) return false;
    terms = await storeTerms(database, key, planned);
  }
  failpoint("raise.after_terms");
  const units = await unitsOf(deps, sweeper, { stuck, terms });
  const [output] = stuck.move.send.outputs;
  if (!output || units <= 0n) return false;
  const send = { ...stuck.move.send, outputs: [{ ...output, units }] };
  try {
    const transaction = await sweeper.sign({ ...stuck.move, send }, terms);
    failpoint("raise.after_sign");
    const newest = await addSigned(database, id, { ...transaction, number });
    failpoint("raise.after_store");
    await sweeper.broadcast({ ...newest, networkCode });
    return true;
  } catch (error) {
    if (!(error instanceof SigningRefused)) throw error;
    const wantsOthers = await forgetRefusedTerms(database, error, { ...question, number });
    if (!wantsOthers && mayHaveSigned(error)) throw error;
    log.error({ networkCode, purpose, reason: error.reason }, `no higher fee: ${error.message}`);
    return false;
  }
}

/** Returns the terms of the replacement, or undefined where it waits: it is not worth its fee, or has no coins yet. */
async function planTerms(
  deps: SweepDeps,
  network: SweptNetwork,
  stuck: StuckMove,
): Promise<FeeTerms | undefined> {
  const { sweeper, rules } = network;
  const { stored, signed } = stuck;
  const newest = signed.at(-1);
  if (!newest) return undefined;
  if (stored.purpose === "top_up") return planTopUp(deps, sweeper, { stored, signed, newest });
  if (rules === undefined) return undefined;
  const coin = coinOf(deps, sweeper.networkCode);
  const found = await sweptBy(deps, sweeper, { stored, rules });
  const market = await sweeper.market();
  const centsOf = (units: bigint): bigint => euroCentsOf({ asset: coin, units });
  const costs = market.costsOf(stored.assetId, newest);
  const plan = planSweep(found, { costs, centsOf }, rules);
  if (plan.kind === "sweep") {
    return sweeper.termsOf(stored.assetId, plan.fee, newest) ?? undefined;
  }
  const isToppedUp = stuck.all.some(
    ({ purpose, to }) => purpose === "top_up" && to === stored.from,
  );
  if (plan.kind === "top_up" && !isToppedUp) {
    await topUp(deps, network, { to: stored.from, units: plan.units, isForRaise: true });
  }
  return undefined;
}

/**
 * Returns the terms of a higher fee that the wallet can pay. Nodes refuse any other, and the transaction before it may
 * still be mined.
 */
async function planTopUp(
  { database, log }: SweepDeps,
  sweeper: ChainSweeper,
  {
    stored,
    signed,
    newest,
  }: Pick<StuckMove, "stored" | "signed"> & { readonly newest: SignedTransaction },
): Promise<FeeTerms | undefined> {
  const { id: sendId, from: address, to } = stored;
  const { networkCode } = newest;
  const offer = await sweeper.topUpOffer?.(to, newest);
  if (!offer?.terms) return undefined;
  const before = await findStoredTerms(database, { sendId, number: signed.length });
  const funds = await readFunds(database, { ...stored, networkCode, address });
  const wanted = offer.fee - (before ? maxCostOf(before) : 0n);
  if (wanted <= funds) return offer.terms;
  log.warn({ networkCode, address }, "no higher fee: the wallet that pays it has too little");
  return undefined;
}

/** Returns the coins that the sweep has for itself and its fee. */
async function sweptBy(
  deps: SweepDeps,
  sweeper: ChainSweeper,
  { stored, rules }: { readonly stored: StoredMove; readonly rules: SweepRules },
): Promise<Sweepable> {
  const { assetId, units, ageMs } = stored;
  const asset = deps.catalogue().requireCurrency(assetId);
  const coin = coinOf(deps, sweeper.networkCode);
  const cents = euroCentsOf({ asset, units });
  if (asset.id === coin.id) {
    const all = units + (await firstCost(deps, stored)) + rules.leftUnits;
    return { units: all, cents, ageMs, isCoin: true, coins: 0n };
  }
  const { coins } = await sweeper.holdingOf(stored.from, assetId);
  return { units, cents, ageMs, isCoin: false, coins };
}

/** Returns what the first transaction of the move costs. */
async function firstCost({ database }: SweepDeps, { id }: StoredMove): Promise<bigint> {
  const terms = await findStoredTerms(database, { sendId: id, number: 1 });
  if (!terms) throw new Error(`send ${id} has no terms`);
  return maxCostOf(terms);
}

/** A replaced sweep of the network's own coin moves less, by as much as its fee is higher. */
async function unitsOf(
  deps: SweepDeps,
  { networkCode }: ChainSweeper,
  { stuck, terms }: { readonly stuck: StuckMove; readonly terms: FeeTerms },
): Promise<bigint> {
  const { stored } = stuck;
  const isOfCoin = stored.assetId === coinOf(deps, networkCode).id;
  if (stored.purpose === "top_up" || !isOfCoin) return stored.units;
  return stored.units + (await firstCost(deps, stored)) - maxCostOf(terms);
}
