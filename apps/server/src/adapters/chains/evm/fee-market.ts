import type { FeeMarket } from "../../../domain/ports/network-fees.ts";
import { makeFeeMarket } from "../fee-market.ts";
import { type EvmEndpointsOptions, openEvmQuorum } from "./endpoints.ts";
import { readEndpointMarket } from "./fees.ts";

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

/** Measures the fee market of an EVM network: the most that a transfer would pay for one gas now, in wei. */
export function makeEvmFeeMarket(options: EvmFeeMarketOptions): FeeMarket {
  const { quorum: needed, suspect, tipMin } = options;
  return makeFeeMarket({
    quorum: openEvmQuorum(options),
    needed,
    suspect,
    ratesOf: async (rpc) => {
      const { base, tip } = await readEndpointMarket(rpc);
      return { rate: base * BASE_FEE_MULTIPLE + (tip > tipMin ? tip : tipMin) };
    },
  });
}
