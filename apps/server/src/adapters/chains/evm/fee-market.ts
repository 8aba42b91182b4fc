import { Disagreement } from "../../../domain/ports/chain-reader.ts";
import type { FeeMarket } from "../../../domain/ports/network-fees.ts";
import { makeQuorum } from "./agree.ts";
import { makeEndpoint } from "./endpoint.ts";
import type { EvmEndpointSettings } from "./reader.ts";
import { EndpointFault, type Rpc } from "./rpc.ts";
import { hexOf, wordsOf } from "./words.ts";

export interface EvmFeeMarketOptions {
  readonly chainId: number;
  readonly genesis: string | undefined;
  readonly endpoints: readonly EvmEndpointSettings[];
  readonly quorum: number;
  readonly timeoutMs: number;
  /** The least tip for one gas that the network's validators accept, in wei. */
  readonly tipFloor: bigint;
  readonly suspect: (endpoint: string, what: string) => void;
}

const NATIVE_GAS = 21_000n;
const TOKEN_GAS = 65_000n;
/** The contract of USDT does more work than others. */
const USDT_GAS = 75_000n;

/** Returns the gas of a transfer. It is measured and fixed, because a token's own estimate can be made to lie. */
export function gasOfTransfer(asset: {
  readonly code: string;
  readonly contractAddress: string | null;
}): bigint {
  if (asset.contractAddress === null) return NATIVE_GAS;
  return asset.code === "USDT" ? USDT_GAS : TOKEN_GAS;
}

const BLOCKS = 10n;
const PERCENTILE = 50;
/** The next block's base fee may double several times before a transaction is mined. */
const BASE_FEE_MULTIPLE = 2n;
/** Endpoints that are a few blocks apart differ by less than this factor. */
const AGREEING_FACTOR = 2n;

/** Measures the fee market of an EVM network: the most that a transfer of now would pay for one gas, in wei. */
export function makeEvmFeeMarket(options: EvmFeeMarketOptions): FeeMarket {
  const { quorum: needed, suspect, tipFloor } = options;
  const endpoints = options.endpoints.map((one) => makeEndpoint({ ...options, ...one }));
  const quorum = makeQuorum({ endpoints, quorum: needed, suspect });
  return {
    readRate: async () => {
      const ask = (rpc: Rpc): Promise<bigint> => readMaxFee(rpc, tipFloor);
      const answers = await quorum.collect({ what: "fees", ask });
      const rates = answers.map(({ value }) => value).toSorted(ascending);
      // The lower median: of two endpoints the one that says less.
      const centre = rates[(rates.length - 1) >> 1] ?? 0n;
      const isNear = (rate: bigint): boolean =>
        rate <= centre * AGREEING_FACTOR && rate * AGREEING_FACTOR >= centre;
      for (const { endpoint, value } of answers) {
        if (!isNear(value)) suspect(endpoint.name, "fees");
      }
      if (rates.filter(isNear).length >= needed) return centre;
      throw new Disagreement(
        `fees: ${needed} endpoints must agree, and they say ${rates.join(", ")}`,
      );
    },
    close: () => quorum.close(),
  };
}

const ascending = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

interface FeeHistory {
  readonly baseFeePerGas?: unknown;
  readonly reward?: unknown;
}

/** Returns twice the next block's base fee, and the median of the tips that recent blocks took. */
async function readMaxFee(rpc: Rpc, tipFloor: bigint): Promise<bigint> {
  const words = wordsOf(rpc.name);
  const call = ["eth_feeHistory", hexOf(BLOCKS), "latest", [PERCENTILE]] as const;
  const [answer] = await rpc.ask([call]);
  const history = words.object<FeeHistory>(answer);
  const { baseFeePerGas: bases, reward: rewards = [] } = history ?? {};
  // The list of base fees ends with the one of the next block.
  const base = Array.isArray(bases) ? words.quantity(bases.at(-1)) : undefined;
  if (base === undefined || !Array.isArray(rewards)) {
    throw new EndpointFault(rpc.name, "the answer has a bad fee history");
  }
  const tips = rewards.map((tip: unknown) =>
    words.quantity(Array.isArray(tip) ? tip[0] : undefined),
  );
  const median = tips.toSorted(ascending)[tips.length >> 1] ?? 0n;
  return base * BASE_FEE_MULTIPLE + (median > tipFloor ? median : tipFloor);
}
