import type { Currency } from "../domain/catalogue/currency.ts";
import type { FeeTerms } from "../domain/ports/chain-sender.ts";
import type { ChainSweeper } from "../domain/ports/chain-sweeper.ts";
import type { SweepRules } from "../domain/treasury/sweep-plan.ts";
import { failpoint } from "../failpoints.ts";
import type { Deps } from "../flows/deps.ts";
import { type BoundTopUp, bindTopUp } from "../storage/treasury/sweeps.ts";
import { feeOf } from "./chain-rail.ts";

export type SweepDeps = Pick<Deps, "database" | "catalogue" | "ids" | "log">;

/** A network with a hot wallet, whose deposit addresses may be swept. */
export interface SweptNetwork {
  readonly sweeper: ChainSweeper;
  /** Undefined where nothing is swept now. Earlier sweeps and top-ups still run to their end. */
  readonly rules: SweepRules | undefined;
  readonly topUps: {
    /** The most that top-ups of a day may bring to deposit addresses. */
    readonly dayMax: bigint;
    /** The coins that they leave in the wallet. */
    readonly keep: bigint;
  };
}

/** The coin of the network that fees are in. */
export const coinOf = (deps: SweepDeps, networkCode: string): Currency =>
  deps
    .catalogue()
    .requireCurrency(feeOf(deps, { networkCode, hash: "", units: 0n }).amount.asset.id);

/** Returns the most that a transaction with the terms costs. */
export const maxCostOf = (terms: FeeTerms): bigint =>
  BigInt(terms["gasLimit"] ?? 0) * BigInt(terms["maxFeePerGas"] ?? 0);

const WHY_NOT: Readonly<Record<Exclude<BoundTopUp, "bound">, string>> = {
  busy: "a top-up waits: another move of the address is under way, or the wallet is not registered",
  held: "a top-up waits: an earlier one is not signed yet, or gave up its place within the last hour",
  day_used: "a top-up waits: the day's top-ups are used",
  short: "a top-up waits: the wallet that pays it has too little",
};

/** Brings coins to a deposit address, for the fee of its sweep. */
export async function topUp(
  deps: SweepDeps,
  { sweeper, topUps }: SweptNetwork,
  wanted: { readonly to: string; readonly units: bigint; readonly isForRaise: boolean },
): Promise<void> {
  const { networkCode, funder } = sweeper;
  const { to: address, units, isForRaise } = wanted;
  const offer = await sweeper.topUpOffer?.(address);
  if (!offer) return;
  const move = {
    sendId: deps.ids.uuid(),
    networkCode,
    units,
    assetId: coinOf(deps, networkCode).id,
    ...offer,
    deposit: { address },
    funderAddress: funder.address,
    ...topUps,
    isForRaise,
  };
  failpoint("sweep.before_bind");
  const result = await deps.database.transaction((tx) => bindTopUp(tx, move));
  failpoint("sweep.after_bind");
  const facts = { networkCode, address, units: String(units) };
  if (result === "bound") deps.log.info(facts, "a top-up begins");
  else deps.log[result === "held" ? "info" : "warn"](facts, WHY_NOT[result]);
}
