import type {
  ChainSend,
  SendOutcome,
  SignedTransaction,
} from "../../../domain/ports/chain-gateway.ts";
import { Disagreement } from "../../../domain/ports/chain-reader.ts";
import type { DeadlineFacts } from "../../../domain/ports/chain-sender.ts";
import type { Quorum } from "../agree.ts";
import type { Rpc, RpcCall } from "../rpc.ts";
import { agreeOnBlock, isEachBlock, readBlock, readSlotsFrom } from "./blocks.ts";
import {
  type Commitment,
  listOf,
  objectOf,
  type SolanaEndpointsOptions,
  wholeOf,
} from "./endpoints.ts";
import { readSolanaHeads } from "./reader.ts";
import { VALID_BLOCKS } from "./terms.ts";
import { paymentOfSend, type TokenOf, unitsBrought } from "./transaction.ts";
import { costOf, readTransactions, type SolanaTransaction } from "./transactions.ts";

export interface FollowOptions {
  readonly quorum: Quorum;
  readonly endpoints: SolanaEndpointsOptions;
  readonly tokenOf: TokenOf;
  /** The pause between two questions about a transaction that no block has. */
  readonly pollMs: number;
  /** The blocks beyond a transaction's last valid one that must be final before it is called dead. */
  readonly graceBlocks: number;
}

/** A transaction in a block becomes final in some 13 seconds, so it is looked at less often. */
const MINED_PAUSE_FACTOR = 2;

/** Returns the outcome of a send, which has one transaction at most. */
export async function followSend(
  options: FollowOptions,
  send: ChainSend,
  {
    signed: [only],
    finalHeight,
    terms,
  }: DeadlineFacts & {
    readonly signed: readonly SignedTransaction[];
  },
): Promise<SendOutcome> {
  const { quorum, endpoints, pollMs } = options;
  const waiting = { state: "waiting", isKnown: true, isStuck: false, askAgainMs: pollMs } as const;
  if (!only) return waiting;
  const { transactionHash: hash } = only;
  // The heads are read first: a transaction that is missing afterwards is not in a block up to them.
  const heads = await readSolanaHeads(quorum, endpoints);
  const mined = await findMined(quorum, hash, "confirmed");
  if (mined === null) {
    const { reference, referenceSlot, lastBlock } = terms ?? {};
    // An adopted payout has no terms and no bytes of ours.
    if (lastBlock === undefined || only.bytes.length === 0) return waiting;
    // Without the slot of its reference nobody can prove a transaction dead.
    const isProvable = reference !== undefined && referenceSlot !== undefined;
    if (!isProvable) return { ...waiting, isKnown: false };
    const deadline = {
      hash,
      reference,
      referenceSlot: BigInt(referenceSlot),
      lastBlock: BigInt(lastBlock),
      graceBlocks: BigInt(options.graceBlocks),
    };
    const isFinal = heads.final !== undefined && heads.final >= finalHeight;
    if (isFinal && (await isDead(quorum, deadline, finalHeight))) {
      return { state: "lost", by: `deadline:${finalHeight}` };
    }
    // Nodes drop a transaction that waits too long, and take the same one twice.
    return { ...waiting, isKnown: false };
  }
  const confirmations = Math.max(Number(heads.believed - mined.height) + 1, 1);
  if (mined.height > (heads.final ?? -1n) || mined.height > finalHeight) {
    return { state: "mined", hash, confirmations, askAgainMs: pollMs * MINED_PAUSE_FACTOR };
  }
  const final = await findMined(quorum, hash, "finalized");
  if (final === null) throw new Error(`${hash} was final, and no finalized block has it`);
  const ended = { hash, networkFee: costOf(final) };
  if (final.error !== null) {
    return { state: "failed", ...ended, why: `the network reports ${final.error}` };
  }
  const { to, units, assetReference } = paymentOfSend(send);
  const moved = unitsBrought(final, to, options.tokenOf(assetReference));
  if (moved === units) return { state: "final", ...ended, confirmations };
  const why = `${to} got ${moved} of ${units} units of ${assetReference}`;
  return { state: "mismatch", ...ended, why };
}

/** Returns the transaction if a block has it, as enough endpoints report, or null. */
export function findMined(
  quorum: Quorum,
  hash: string,
  commitment: Commitment,
): Promise<SolanaTransaction | null> {
  return quorum.agree({
    what: `transaction ${hash}`,
    ask: async (rpc) => (await readTransactions(rpc, [hash], commitment))[0] ?? null,
    keyOf: (mined) => (mined === null ? "none" : keyOf(mined)),
    ...(commitment === "finalized" ? { needsOwn: true as const } : {}),
  });
}

const keyOf = ({ height, error, fee, rent, changes, tokens }: SolanaTransaction): string =>
  [height, error, fee, rent, ...[...changes].flat(), ...tokens.flatMap(Object.values)].join(" ");

interface SolanaDeadline {
  readonly hash: string;
  /** The hash of the block that the transaction names, and its slot. */
  readonly reference: string;
  readonly referenceSlot: bigint;
  /** The number of the last block that may have the transaction. Empty slots do not count. */
  readonly lastBlock: bigint;
  /** The number of later blocks that must be final too. */
  readonly graceBlocks: bigint;
}

const graceOf = ({ lastBlock, graceBlocks }: SolanaDeadline): bigint => lastBlock + graceBlocks;

/**
 * Returns whether no block can ever have the transaction. A block takes it only while the one that it names is among the
 * newest 150. So once a final block is beyond that, every block that could have it is final too. The scanner must have
 * read that far as well.
 */
async function isDead(quorum: Quorum, deadline: SolanaDeadline, read: bigint): Promise<boolean> {
  try {
    const { number } = await agreeOnBlock(quorum, read);
    if (number <= graceOf(deadline)) return false;
    return await quorum.agree({
      what: `the deadline of transaction ${deadline.hash}`,
      ask: (rpc) => isDeadAt(rpc, deadline),
      keyOf: String,
      needsOwn: true,
    });
  } catch (error) {
    // The endpoints reach the deadline one after the other.
    if (error instanceof Disagreement) return false;
    throw error;
  }
}

interface NodeStatuses {
  readonly value?: unknown;
}

async function isDeadAt(rpc: Rpc, deadline: SolanaDeadline): Promise<boolean> {
  const { hash } = deadline;
  const height: RpcCall = ["getBlockHeight", { commitment: "finalized" }];
  // The height is asked for first: a transaction that is missing afterwards is not in a block up to it.
  const [reached] = await rpc.ask([height]);
  if (wholeOf(rpc, reached, "block height") <= graceOf(deadline)) return false;
  const status: RpcCall = ["getSignatureStatuses", [hash], { searchTransactionHistory: true }];
  const [answer] = await rpc.ask([status]);
  const { value } = objectOf<NodeStatuses>(rpc, answer, "statuses") ?? {};
  const [signatureStatus] = listOf<unknown>(rpc, value, "statuses");
  const [mined] = await readTransactions(rpc, [hash], "confirmed");
  return signatureStatus === null && mined === null && (await hasEachBlock(rpc, deadline));
}

/**
 * Returns whether the endpoint has every block that could have the transaction. An endpoint that lacks one of them
 * would not find the transaction either. Nodes delete old blocks, and a node that began again from a snapshot has a
 * gap.
 */
async function hasEachBlock(
  rpc: Rpc,
  { reference, referenceSlot, lastBlock }: SolanaDeadline,
): Promise<boolean> {
  const slots = await readSlotsFrom(rpc, referenceSlot, VALID_BLOCKS + 1n);
  const end = slots.at(-1);
  if (slots[0] !== referenceSlot || end === undefined) return false;
  const first = await readBlock(rpc, referenceSlot);
  const last = await readBlock(rpc, end);
  if (first?.hash !== reference || last?.number !== lastBlock) return false;
  return isEachBlock(slots, [first, last]);
}
