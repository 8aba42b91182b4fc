import type { ChainSend } from "../../../domain/ports/chain-gateway.ts";
import { type FeeTerms, FeeTooHigh } from "../../../domain/ports/chain-sender.ts";
import type { SolanaTerms } from "../../../signer/protocol.ts";
import type { Quorum } from "../agree.ts";
import { agreeOnBlock, NO_BLOCK, type SolanaBlock } from "./blocks.ts";
import type { SolanaEndpointsOptions } from "./endpoints.ts";
import { DISTINCT_PRICES, distinctionOf, readUnitPrice } from "./fees.ts";
import { readSolanaHeads } from "./reader.ts";

/** A block takes a transaction while the one that it names is among the newest 150, itself not counted. */
export const VALID_BLOCKS = 151n;
const SECOND_MS = 1_000;

export interface TermsOptions {
  readonly endpoints: SolanaEndpointsOptions;
  /** The least time between two transactions of a payout. */
  readonly expirationSeconds: number;
  /** In lamports. */
  readonly feeMax: bigint;
  /** The least price of a compute unit, in millionths of a lamport. */
  readonly unitPriceMin: bigint;
  /** Returns the lamports that the transaction costs at a price. */
  readonly feeAt: (unitPrice: bigint) => bigint;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A final block is in every branch, so a transaction that names it is valid in each. Its number is agreed on too. */
export async function readTerms(
  quorum: Quorum,
  { endpoints, expirationSeconds, feeMax, unitPriceMin, feeAt, now }: TermsOptions,
  { id }: Pick<ChainSend, "id">,
): Promise<FeeTerms> {
  const { final } = await readSolanaHeads(quorum, endpoints);
  if (final === undefined) throw new Error(`${endpoints.networkCode} has no final block yet`);
  const { height, hash, number } = await blockUpTo(quorum, final);
  const unitPrice = (await readUnitPrice(quorum, unitPriceMin)) + distinctionOf(id);
  const fee = feeAt(unitPrice);
  if (fee > feeMax) {
    throw new FeeTooHigh(`a transaction costs ${fee} lamports, above the limit of ${feeMax}`);
  }
  return {
    reference: hash,
    referenceSlot: String(height),
    lastBlock: String(number + VALID_BLOCKS),
    expiration: String(now() + expirationSeconds * SECOND_MS),
    unitPrice: String(unitPrice),
  };
}

/** The most empty slots in a row that are skipped. */
const SKIPPED_MAX = 16;

async function blockUpTo(quorum: Quorum, slot: bigint): Promise<SolanaBlock> {
  for (let below = 0; below < SKIPPED_MAX; below += 1) {
    const block = await agreeOnBlock(quorum, slot - BigInt(below));
    if (block.hash !== NO_BLOCK) return block;
  }
  throw new Error(`the ${SKIPPED_MAX} slots up to ${slot} have no block`);
}

/** Returns the most lamports that a transaction costs at the present price. */
export const readCost = async (
  quorum: Quorum,
  { feeAt, unitPriceMin }: Pick<TermsOptions, "feeAt" | "unitPriceMin">,
): Promise<bigint> => feeAt((await readUnitPrice(quorum, unitPriceMin)) + BigInt(DISTINCT_PRICES));

/** Stored terms are text. */
export const signerTermsOf = ({
  reference = "",
  expiration,
  unitPrice = "",
}: FeeTerms): SolanaTerms => ({ reference, expiration: Number(expiration), unitPrice });
