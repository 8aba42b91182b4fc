import { Disagreement } from "../../../domain/ports/chain-reader.ts";
import type { GasMarket } from "../../../domain/ports/chain-sweeper.ts";
import type { FeeMarket } from "../../../domain/ports/network-fees.ts";
import { type EvmEndpointsOptions, openQuorum } from "./endpoints.ts";
import { middleOf, readEndpointMarket } from "./fees.ts";

export interface EvmFeeMarketOptions extends EvmEndpointsOptions {
  /** The least tip for one gas that the network's validators accept, in wei. */
  readonly tipMin: bigint;
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

/** The next block's base fee may double several times before a transaction is mined. */
const BASE_FEE_MULTIPLE = 2n;
/** Endpoints that are a few blocks apart differ by less than this factor. */
const AGREEING_FACTOR = 2n;

/** Measures the fee market of an EVM network: the most that a transfer of now would pay for one gas, in wei. */
export function makeEvmFeeMarket(options: EvmFeeMarketOptions): FeeMarket {
  const { quorum: needed, suspect, tipMin } = options;
  const quorum = openQuorum(options);
  const rateOf = ({ base, tip }: GasMarket): bigint =>
    base * BASE_FEE_MULTIPLE + (tip > tipMin ? tip : tipMin);
  return {
    readRate: async () => {
      const answers = await quorum.collect({ what: "fees", ask: readEndpointMarket });
      const rates = answers.map(({ endpoint, value }) => ({ endpoint, rate: rateOf(value) }));
      const centre = middleOf(rates.map(({ rate }) => rate));
      const far = rates.filter(
        ({ rate }) => rate > centre * AGREEING_FACTOR || rate * AGREEING_FACTOR < centre,
      );
      for (const { endpoint } of far) suspect(endpoint.name, "fees");
      if (rates.length - far.length >= needed) return centre;
      const stated = rates.map(({ rate }) => rate).join(", ");
      throw new Disagreement(`fees: ${needed} endpoints must agree, and they say ${stated}`);
    },
    close: () => quorum.close(),
  };
}
