import { type FeeTerms, FeeTooHigh } from "../../../domain/ports/chain-sender.ts";
import type { SweepCosts } from "../../../domain/ports/chain-sweeper.ts";
import { middleOf, type Quorum } from "../agree.ts";
import { EndpointFault, type Rpc } from "../rpc.ts";
import { wordsOf } from "./words.ts";

/** The prices of gas, by EIP-1559, in the smallest unit of the network's coin. */
export interface GasPrices {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** The price of gas of the next block, and the tip that half of the latest transactions paid. */
export interface GasMarket {
  readonly base: bigint;
  readonly tip: bigint;
}

/** Gas of a transfer of the network's own coin to an account. */
export const COIN_GAS = 21_000n;

export interface FeeLimits {
  /** The most that one transaction may cost. */
  readonly feeMax: bigint;
  /** The least tip, for networks whose blocks are empty. */
  readonly tipMin: bigint;
}

interface FeeHistory {
  readonly baseFeePerGas?: unknown;
  readonly reward?: unknown;
}

const BLOCKS = "0xa";

/** Reads the market. Of the endpoints' answers the middle one counts, so that one endpoint sets no price. */
export async function readMarket(quorum: Quorum): Promise<GasMarket> {
  const answers = await quorum.collect({ what: "fees", ask: readEndpointMarket });
  return {
    base: middleOf(answers.map(({ value }) => value.base)),
    tip: middleOf(answers.map(({ value }) => value.tip)),
  };
}

/** Reads one endpoint's market: the next block's base fee, and the median of the tips that recent blocks took. */
export async function readEndpointMarket(rpc: Rpc): Promise<GasMarket> {
  const words = wordsOf(rpc.name);
  const [answer] = await rpc.ask([["eth_feeHistory", BLOCKS, "latest", [50]]]);
  const { baseFeePerGas: bases, reward = [] } = words.object<FeeHistory>(answer) ?? {};
  if (!Array.isArray(bases) || !Array.isArray(reward)) {
    throw new EndpointFault(rpc.name, "the answer has a bad fee history");
  }
  // The list of base fees ends with the one of the next block.
  const base = words.quantity(bases.at(-1));
  const tips = reward.map((tip: unknown) => words.quantity(Array.isArray(tip) ? tip[0] : tip));
  return { base, tip: tips.length === 0 ? 0n : middleOf(tips) };
}

const highest = (...values: readonly bigint[]): bigint =>
  values.reduce((high, value) => (value > high ? value : high), 0n);

/** Nodes replace a transaction only if both of its prices rise by an eighth. A price of 0 must rise too. */
const raisedPrice = (price: bigint): bigint => highest((price * 9n + 7n) / 8n, 1n);

/** A transaction to price. With `before` it replaces one of those prices. */
export interface FeeRequest {
  readonly gasLimit: bigint;
  readonly before?: GasPrices | undefined;
}

/** Returns the least prices that a block takes now. */
function leastPrices(
  { base, tip: usual }: GasMarket,
  { tipMin }: FeeLimits,
  { before }: FeeRequest,
) {
  const tip = highest(usual, tipMin, before ? raisedPrice(before.maxPriorityFeePerGas) : 0n);
  return { tip, needed: highest(base + tip, before ? raisedPrice(before.maxFeePerGas) : 0n, 1n) };
}

/** Returns whether the fee stays within the limit. */
export const isAffordable = (market: GasMarket, limits: FeeLimits, request: FeeRequest): boolean =>
  leastPrices(market, limits, request).needed * request.gasLimit <= limits.feeMax;

/** Returns prices with room for a base fee that doubles. Throws `FeeTooHigh` above the limit. */
export function pricesFor(market: GasMarket, limits: FeeLimits, request: FeeRequest): GasPrices {
  const { tip, needed } = leastPrices(market, limits, request);
  const { gasLimit } = request;
  if (!isAffordable(market, limits, request)) {
    throw new FeeTooHigh(
      `a transaction may cost ${needed * gasLimit} units, above the limit of ${limits.feeMax}`,
    );
  }
  const wanted = highest(market.base * 2n + tip, needed);
  const affordable = limits.feeMax / gasLimit;
  return {
    maxFeePerGas: wanted > affordable ? affordable : wanted,
    maxPriorityFeePerGas: tip,
  };
}

/** The gas of a sweep, and the price of the one that it replaces. */
export interface SweepGas {
  /** The gas that a transfer of the asset may take, by our own list. */
  readonly gasLimit: bigint;
  readonly before?: bigint | undefined;
}

/**
 * Returns the costs of a sweep. The price has a quarter more than the next block needs, and is both prices of the
 * transaction. All of it is spent, because whatever stays at the address is lost.
 */
export function sweepCosts({ base, tip }: GasMarket, { gasLimit, before }: SweepGas): SweepCosts {
  const raised = before === undefined ? 0n : raisedPrice(before);
  const least = highest(base + tip, raised);
  const offered = highest((base * 5n) / 4n + tip + 1n, raised);
  return { offered: gasLimit * offered, least: gasLimit * least, topUp: COIN_GAS * offered };
}

/** Returns the terms as they are stored and sent to the signer. */
export const termsOf = (
  gasLimit: bigint,
  { maxFeePerGas, maxPriorityFeePerGas }: GasPrices,
): FeeTerms => ({
  type: "eip1559",
  gasLimit: String(gasLimit),
  maxFeePerGas: String(maxFeePerGas),
  maxPriorityFeePerGas: String(maxPriorityFeePerGas),
});
