import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import type { FeeMarket } from "../../../domain/ports/network-fees.ts";
import { feeAt } from "../../../domain/wallets/solana-message.ts";
import { middleOf, type Quorum } from "../agree.ts";
import { makeFeeMarket } from "../fee-market.ts";
import type { Rpc } from "../rpc.ts";
import { listOf, openSolana, type SolanaEndpointsOptions, wholeOf } from "./endpoints.ts";

export const DISTINCT_PRICES = 1_000;

/** Returns a part of the price that depends on the send, so that equal payments after one block are different transactions. */
export function distinctionOf(sendId: string): bigint {
  const [first = 0, second = 0, third = 0] = sha256(utf8ToBytes(sendId));
  return BigInt(((first * 256 + second) * 256 + third) % DISTINCT_PRICES);
}

/**
 * Reads the price of a compute unit: not below the least one. Of the endpoints' answers the middle one counts, so that one
 * sets no price.
 */
export async function readUnitPrice(quorum: Quorum, unitPriceMin: bigint): Promise<bigint> {
  const answers = await quorum.collect({ what: "prices", ask: readEndpointPrice });
  return atLeast(unitPriceMin, middleOf(answers.map(({ value }) => value)));
}

const atLeast = (least: bigint, price: bigint): bigint => (price < least ? least : price);

interface NodeFee {
  readonly prioritizationFee?: unknown;
}

/**
 * Returns the median of what recent blocks took at least. That is the price of any transaction at all, and nothing in most
 * hours: the question names no accounts that are in demand.
 */
async function readEndpointPrice(rpc: Rpc): Promise<bigint> {
  const [answer] = await rpc.ask([["getRecentPrioritizationFees", []]]);
  const recent = listOf<NodeFee | null>(rpc, answer, "fees");
  return middleOf(recent.map((one) => wholeOf(rpc, one?.prioritizationFee, "price")));
}

/**
 * Measures the fee market of Solana: the lamports of a transfer of now. They hold the fee of its signature, which is
 * fixed, and the price of its compute units. Each transfer is one unit of work.
 */
export const makeSolanaFeeMarket = (
  options: SolanaEndpointsOptions & { readonly unitPriceMin: bigint },
): FeeMarket =>
  makeFeeMarket({
    quorum: openSolana(options),
    needed: options.quorum,
    suspect: options.suspect,
    ratesOf: async (rpc) => ({
      rate: feeAt(
        atLeast(options.unitPriceMin, await readEndpointPrice(rpc)) + BigInt(DISTINCT_PRICES - 1),
      ),
    }),
  });
