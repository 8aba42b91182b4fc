import { TooDear } from "../../../domain/ports/chain-sender.ts";
import type { Quorum } from "../agree.ts";
import type { Rpc } from "../rpc.ts";
import { NodeRefusal } from "./rpc.ts";
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
  const rates = (await quorum.collect({ what: "fees", ask })).map(({ value }) => value);
  const rate =
    rates.toSorted((a, b) => Number(a - b))[(rates.length - 1) >> 1] ?? rateWithoutEstimate;
  if (rate > rateMax) {
    throw new TooDear(`a byte costs ${rate} units, above the limit of ${rateMax}`);
  }
  return rate;
}

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
    if (error instanceof NodeRefusal) return undefined;
    throw error;
  }
}
