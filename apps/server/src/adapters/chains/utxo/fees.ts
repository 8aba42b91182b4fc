import { FeeTooHigh } from "../../../domain/ports/chain-sender.ts";
import type { FeeMarket } from "../../../domain/ports/network-fees.ts";
import { middleOf, type Quorum } from "../agree.ts";
import { makeFeeMarket, requirePaid } from "../fee-market.ts";
import { type Rpc, RpcRefusal } from "../rpc.ts";
import { type CoinReaderOptions, openCoinQuorum } from "./reader.ts";
import { nodeWordsOf } from "./words.ts";

/** Rates are units for each virtual byte. */
export interface FeeLimits {
  /** The rate while the nodes have seen too few blocks to estimate one. */
  readonly rateWithoutEstimate: bigint;
  readonly rateMax: bigint;
}

const BLOCKS = 6;
/** Nodes name coins for a thousand bytes. */
const BYTES = 1_000n;

/** Reads the rate. Of the nodes' answers the middle one counts, so that one node sets no price. */
export async function readFeeRate(
  quorum: Quorum,
  { rateWithoutEstimate, rateMax }: FeeLimits,
): Promise<bigint> {
  const ask = (rpc: Rpc): Promise<bigint> => readNodeRate(rpc, rateWithoutEstimate);
  const answers = await quorum.collect({ what: "fees", ask });
  const rate = middleOf(answers.map(({ value }) => value));
  if (rate > rateMax) {
    throw new FeeTooHigh(`a byte costs ${rate} units, above the limit of ${rateMax}`);
  }
  return rate;
}

/**
 * Measures the fee market of a network of the Bitcoin family: the units that a payout pays for a virtual byte now. Nodes
 * state fractions of a unit. A payout pays the next whole number, so that number is the exact rate.
 */
export const makeCoinFeeMarket = (
  options: CoinReaderOptions,
  { rateWithoutEstimate }: Pick<FeeLimits, "rateWithoutEstimate">,
): FeeMarket =>
  makeFeeMarket({
    quorum: openCoinQuorum(options),
    needed: options.quorum,
    suspect: options.suspect,
    ratesOf: async (rpc) => ({
      rate: requirePaid(rpc, await readNodeRate(rpc, rateWithoutEstimate)),
    }),
  });

async function readNodeRate(rpc: Rpc, rateWithoutEstimate: bigint): Promise<bigint> {
  const words = nodeWordsOf(rpc.name);
  const rateOf = (value: unknown): bigint => (words.units(value) + BYTES - 1n) / BYTES;
  const [pool] = await rpc.ask([["getmempoolinfo"]]);
  const least = rateOf(words.object<{ readonly mempoolminfee?: unknown }>(pool).mempoolminfee);
  const estimate = await askForEstimate(rpc);
  const rate = estimate === undefined ? rateWithoutEstimate : rateOf(estimate);
  return rate > least ? rate : least;
}

/** A node that has seen too few blocks answers without a rate. */
async function askForEstimate(rpc: Rpc): Promise<unknown> {
  try {
    const [answer] = await rpc.ask([["estimatesmartfee", BLOCKS]]);
    return nodeWordsOf(rpc.name).object<{ readonly feerate?: unknown }>(answer).feerate;
  } catch (error) {
    if (error instanceof RpcRefusal) return undefined;
    throw error;
  }
}
