import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import type { FeeMarket } from "../../../domain/ports/network-fees.ts";
import { feeAt } from "../../../domain/wallets/solana-message.ts";
import {
  ACCOUNT_OVERHEAD_BYTES,
  TOKEN_ACCOUNT_BYTES,
  tokenFeeAt,
} from "../../../domain/wallets/solana-token-message.ts";
import { middleOf, type Quorum } from "../agree.ts";
import { makeFeeMarket, requirePaid } from "../fee-market.ts";
import type { Rpc } from "../rpc.ts";
import { listOf, openSolanaQuorum, type SolanaEndpointsOptions, wholeOf } from "./endpoints.ts";

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

/** The bytes whose rent a payment of a token pays for a new token account. */
const NEW_ACCOUNT_BYTES = BigInt(TOKEN_ACCOUNT_BYTES + ACCOUNT_OVERHEAD_BYTES);

/**
 * Returns the work of a transfer, which is one transaction. A transfer of a token also pays the rent of a new token
 * account. Nobody knows at the quote whether the recipient has one. A recipient may close the account after each
 * payment and keep the rent.
 */
export const workOfSolana = ({ contractAddress }: { readonly contractAddress: string | null }) =>
  contractAddress === null
    ? { work: 1n }
    : { work: 1n, bytes: NEW_ACCOUNT_BYTES, isToken: true as const };

/**
 * Measures the fee market of Solana: the lamports that a transfer, or a payment of a token, costs now. They hold the fee of
 * the signature, which is fixed, and the price of the compute units. A byte of a token account has its rent.
 */
export const makeSolanaFeeMarket = (
  options: SolanaEndpointsOptions & { readonly unitPriceMin: bigint },
): FeeMarket =>
  makeFeeMarket({
    quorum: openSolanaQuorum(options),
    needed: options.quorum,
    suspect: options.suspect,
    ratesOf: async (rpc) => {
      const price =
        atLeast(options.unitPriceMin, await readEndpointPrice(rpc)) + BigInt(DISTINCT_PRICES - 1);
      const [answer] = await rpc.ask([["getMinimumBalanceForRentExemption", TOKEN_ACCOUNT_BYTES]]);
      const rent = requirePaid(rpc, wholeOf(rpc, answer, "rent"));
      const byteRate = (rent + NEW_ACCOUNT_BYTES - 1n) / NEW_ACCOUNT_BYTES;
      return { rate: feeAt(price), tokenRate: tokenFeeAt(price), byteRate };
    },
  });
