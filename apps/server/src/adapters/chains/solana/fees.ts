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

/** Reads the price of a compute unit. Of the endpoints' answers the middle one counts, so that one sets no price. */
export async function readUnitPrice(quorum: Quorum): Promise<bigint> {
  const answers = await quorum.collect({ what: "prices", ask: readEndpointPrice });
  return middleOf(answers.map(({ value }) => value));
}

interface NodeFee {
  readonly prioritizationFee?: unknown;
}

async function readEndpointPrice(rpc: Rpc): Promise<bigint> {
  const [answer] = await rpc.ask([["getRecentPrioritizationFees", []]]);
  const recent = listOf<NodeFee | null>(rpc, answer, "fees");
  return middleOf(recent.map((one) => wholeOf(rpc, one?.prioritizationFee, "price")));
}

/**
 * Measures the fee market of Solana: the lamports of a transfer of now. They hold the fee of its signature, which is
 * fixed, and the price of its compute units. Each transfer is one unit of work.
 */
export const makeSolanaFeeMarket = (options: SolanaEndpointsOptions): FeeMarket =>
  makeFeeMarket({
    quorum: openSolana(options),
    needed: options.quorum,
    suspect: options.suspect,
    ratesOf: async (rpc) => ({
      rate: feeAt((await readEndpointPrice(rpc)) + BigInt(DISTINCT_PRICES - 1)),
    }),
  });
