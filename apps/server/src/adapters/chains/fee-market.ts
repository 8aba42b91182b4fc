import { Disagreement } from "../../domain/ports/chain-reader.ts";
import type { FeeMarket, MarketRates } from "../../domain/ports/network-fees.ts";
import { type Answer, middleOf, type Quorum } from "./agree.ts";
import { EndpointFault, type Rpc } from "./rpc.ts";

export interface FeeMarketOptions {
  readonly quorum: Quorum;
  /** The number of endpoints that must agree. */
  readonly needed: number;
  readonly suspect: (endpoint: string, what: string) => void;
  /** Returns the rates as one endpoint has them. */
  readonly ratesOf: (rpc: Rpc) => Promise<MarketRates>;
}

/** Endpoints that are a few blocks apart differ by less than this factor. */
const AGREEING_FACTOR = 2n;

/**
 * Measures a fee market. The lower median of the endpoints' rates counts, and enough of them must be within a factor of
 * two of it (docs/decisions/0066-follow-the-network-in-fees-and-confirmations.md).
 */
export const makeFeeMarket = (options: FeeMarketOptions): FeeMarket => ({
  readRates: async () => {
    const answers = await options.quorum.collect({ what: "fees", ask: options.ratesOf });
    const agreed = (price: (rates: MarketRates) => bigint | undefined): bigint | undefined => {
      const prices = answers.flatMap(({ endpoint, value }) => {
        const own = price(value);
        return own === undefined ? [] : [{ endpoint, value: own }];
      });
      return prices.length === 0 ? undefined : agreeOnRate(options, prices);
    };
    const [rate = 0n, tokenRate, byteRate] = [
      agreed((rates) => rates.rate),
      agreed((rates) => rates.tokenRate),
      agreed((rates) => rates.byteRate),
    ];
    return {
      rate,
      ...(tokenRate !== undefined && { tokenRate }),
      ...(byteRate !== undefined && { byteRate }),
    };
  },
  close: () => options.quorum.close(),
});

/**
 * Endpoints that are far from the rate are named only where enough others agree. If two
 * endpoints differ, either may be wrong, so neither is named.
 */
function agreeOnRate(
  { needed, suspect }: Pick<FeeMarketOptions, "needed" | "suspect">,
  answers: readonly Answer<bigint>[],
): bigint {
  const centre = middleOf(answers.map(({ value }) => value));
  const far = answers.filter(
    ({ value }) => value > centre * AGREEING_FACTOR || value * AGREEING_FACTOR < centre,
  );
  if (answers.length - far.length >= needed) {
    for (const { endpoint } of far) suspect(endpoint.name, "fees");
    return centre;
  }
  const stated = answers.map(({ endpoint, value }) => `${value} (${endpoint.name})`).join(", ");
  throw new Disagreement(`fees: ${needed} endpoints must agree, and they say ${stated}`);
}

/** Returns the rate of a network where no transaction is free. A rate of nothing is a fault of its endpoint. */
export function requirePaid(rpc: Rpc, rate: bigint): bigint {
  if (rate > 0n) return rate;
  throw new EndpointFault(rpc.name, "it says that a transaction costs nothing");
}
