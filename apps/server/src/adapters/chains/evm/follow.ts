import { LRUCache } from "lru-cache";
import type {
  ChainSend,
  SendOutcome,
  SignedTransaction,
} from "../../../domain/ports/chain-gateway.ts";
import { Disagreement } from "../../../domain/ports/chain-reader.ts";
import type { Quorum } from "../agree.ts";
import type { EvmEndpointsOptions } from "./endpoints.ts";
import { type FeeLimits, isAffordable, readMarket } from "./fees.ts";
import {
  countKnowing,
  type ExpectedTransfer,
  findMined,
  isBalanceUnchanged,
  type MinedQuestion,
  type MinedTransaction,
} from "./mined.ts";
import { countAt, findTaker, latestCount, type TakenPlace } from "./places.ts";
import { payableLimits } from "./preflight.ts";
import { readHeads } from "./reader.ts";
import { type EvmAccountFacts, gasOf, transferOfSend } from "./transaction.ts";

export interface FollowOptions {
  readonly quorum: Quorum;
  readonly endpoints: EvmEndpointsOptions;
  readonly limits: FeeLimits;
  /** The pause between two questions about a transaction that no block has. */
  readonly pollMs: number;
  /** The blocks after which a payout is paid, its own included. Absent for what waits until it is final. */
  readonly payoutDepth?: number;
}

/** Follows a send of an account of ours. */
export type Follow = (
  account: EvmAccountFacts,
  send: ChainSend,
  signed: readonly SignedTransaction[],
) => Promise<SendOutcome>;

/** The blocks without it after which a transaction is stuck. One whose price is below the market is stuck sooner. */
const STUCK_BLOCKS = { belowMarket: 3n, others: 10n };
/** The most replacements of a transaction, as in a new signer policy. */
const RAISES_MAX = 8;
/** A transaction in a block becomes final in minutes, so it is looked at less often. */
const MINED_PAUSE_FACTOR = 4;
/** The longest pause, in polls. The pause grows by one poll for each block without the transaction. */
const PATIENCE_MAX = 7;
const TRANSACTIONS_REMEMBERED = 10_000;

export function makeFollow(options: FollowOptions): Follow {
  // The head at the first look at a transaction that no block had. A restart only delays a replacement.
  const firstLooks = new LRUCache<string, bigint>({ max: TRANSACTIONS_REMEMBERED });
  return async (account, send, signed) => {
    const { quorum, endpoints } = options;
    // The heads are read first: a receipt that is missing afterwards is not in a block up to them.
    const heads = await readHeads(quorum, endpoints);
    const question = { hashes: signed.map(hashOf), expected: expectedOf(send, account) };
    const mined = await findMined(quorum, { ...question, isFinal: false });
    if (mined === null) {
      if (heads.final !== undefined) {
        const taker = await takerOf(quorum, account, { send, signed, final: heads.final });
        const lost = taker && isTransferOf(taker, send, account);
        // A database that lost its last commits does not know a replacement. It paid, so nobody may pay again.
        const ours =
          lost && (await findMined(quorum, { ...question, hashes: [taker.hash], isFinal: true }));
        if (ours) {
          const confirmations = Number(heads.believed - ours.height) + 1;
          return endOf(options, ours, { send, expected: question.expected, confirmations });
        }
        if (taker) return { state: "dead", by: taker.hash };
      }
      return waiting(options, { account, send, signed, head: heads.believed, firstLooks });
    }
    // If its block is dropped, it waits again before it is replaced.
    for (const hash of question.hashes) firstLooks.delete(hash);
    const confirmations = Number(heads.believed - mined.height) + 1;
    if (heads.final === undefined || mined.height > heads.final) {
      return {
        state: "mined",
        hash: mined.hash,
        confirmations: Math.max(confirmations, 1),
        isPaid: await isPaid(options, { send, question, confirmations }),
        askAgainMs: options.pollMs * MINED_PAUSE_FACTOR,
      };
    }
    const final = await findMined(quorum, { ...question, isFinal: true });
    if (final === null) throw new Error(`${mined.hash} was final, and has no block now`);
    return endOf(options, final, { send, expected: question.expected, confirmations });
  };
}

const hashOf = ({ transactionHash }: SignedTransaction): string => transactionHash;

function expectedOf({ purpose, outputs }: ChainSend, account: EvmAccountFacts) {
  const [output] = outputs;
  const from = account.address;
  if (purpose === "cancel" || output === undefined) return { from, to: from, contract: null };
  return { from, to: output.address, contract: account.contractOf(output.assetReference) };
}

/** The operator's own nodes must have the block too, and exactly the output moved. */
async function isPaid(
  { quorum, payoutDepth = Number.POSITIVE_INFINITY }: FollowOptions,
  {
    send,
    question,
    confirmations,
  }: {
    readonly send: ChainSend;
    readonly question: Omit<MinedQuestion, "isFinal">;
    readonly confirmations: number;
  },
): Promise<boolean> {
  if (send.purpose !== "payout" || send.isPaid || confirmations < payoutDepth) return false;
  const mined = await findMined(quorum, { ...question, isFinal: true }).catch((error: unknown) => {
    // The operator's own nodes are behind, or one of them is away. The next look asks again.
    if (error instanceof Disagreement) return null;
    throw error;
  });
  return mined?.isSuccess === true && hasMoved(send, question.expected, mined);
}

/** A transaction of the network's own coin that succeeded moved it. A token says in its events what it moved. */
const hasMoved = (
  { outputs }: ChainSend,
  { contract }: ExpectedTransfer,
  { moved }: MinedTransaction,
): boolean => contract === null || moved === (outputs[0]?.units ?? 0n);

/**
 * Returns the outcome of a final transaction. A send is settled only on proof that exactly its output moved. A token
 * may report success and move nothing, or less.
 */
async function endOf(
  { quorum }: FollowOptions,
  mined: MinedTransaction,
  {
    send,
    expected,
    confirmations,
  }: {
    readonly send: ChainSend;
    readonly expected: ExpectedTransfer;
    readonly confirmations: number;
  },
): Promise<SendOutcome> {
  const { hash, isSuccess, networkFee, moved, events } = mined;
  const ended = { hash, networkFee };
  if (!isSuccess) return { state: "failed", ...ended, why: "the transaction was reverted" };
  if (hasMoved(send, expected, mined)) return { state: "final", ...ended, confirmations };
  const units = send.outputs[0]?.units ?? 0n;
  if (events > 0) {
    return { state: "mismatch", ...ended, why: `the token moved ${moved} of ${units} units` };
  }
  // A token without events may have moved coins all the same. Nobody may pay them again then.
  return (await isBalanceUnchanged(quorum, expected, mined.height))
    ? { state: "failed", ...ended, why: "the token moved nothing" }
    : { state: "mismatch", ...ended, why: "the token moved coins without an event, or may have" };
}

/** Returns the final transaction, not ours, that has the place of the send. */
async function takerOf(
  quorum: Quorum,
  { address }: EvmAccountFacts,
  {
    send,
    signed,
    final,
  }: {
    readonly send: ChainSend;
    readonly signed: readonly SignedTransaction[];
    readonly final: bigint;
  },
): Promise<TakenPlace | undefined> {
  if (send.place?.kind !== "nonce") return undefined;
  const { nonce } = send.place;
  if ((await countAt(quorum, address, final)) <= nonce) return undefined;
  const taker = await findTaker(quorum, { address, nonce, final });
  // The endpoints that did not have the receipt were behind.
  return signed.some(({ transactionHash }) => transactionHash === taker.hash) ? undefined : taker;
}

/** A replaced sweep of the network's own coin moves less, because its fee is taken from it. */
function isTransferOf(
  { transfer }: TakenPlace,
  send: ChainSend,
  account: EvmAccountFacts,
): boolean {
  const { to, value, data } = transferOfSend(send, account);
  const isLess = send.purpose === "sweep" && transfer.value < value;
  return transfer.to === to && (transfer.value === value || isLess) && transfer.data === data;
}

async function waiting(
  { quorum, endpoints, limits, pollMs }: FollowOptions,
  {
    account,
    send,
    signed,
    head,
    firstLooks,
  }: {
    readonly account: EvmAccountFacts;
    readonly send: ChainSend;
    readonly signed: readonly SignedTransaction[];
    readonly head: bigint;
    readonly firstLooks: LRUCache<string, bigint>;
  },
): Promise<SendOutcome> {
  const newest = signed.at(-1);
  const pause = { state: "waiting", isStuck: false, askAgainMs: pollMs } as const;
  // An adopted payout has no bytes of ours.
  if (!newest || newest.bytes.length === 0 || send.place?.kind !== "nonce")
    return { ...pause, isKnown: true };
  const isKnown = (await countKnowing(quorum, newest.transactionHash)) >= endpoints.quorum;
  const since = firstLooks.get(newest.transactionHash);
  if (since === undefined) firstLooks.set(newest.transactionHash, head);
  const waited = head - (since ?? head);
  const patience = 1 + Math.min(Number(waited), PATIENCE_MAX);
  const state = { ...pause, askAgainMs: pollMs * patience };
  if (waited < STUCK_BLOCKS.belowMarket || signed.length > RAISES_MAX) return { ...state, isKnown };
  // One that waits for an earlier place is not mined sooner by a higher fee.
  if ((await latestCount(quorum, account.address)) < send.place.nonce) return { ...state, isKnown };
  const market = await readMarket(quorum);
  const { gasLimit, ...before } = gasOf(newest);
  const isStuck = before.maxFeePerGas < market.base || waited >= STUCK_BLOCKS.others;
  if (!isStuck) return { ...state, isKnown };
  const payable = await payableLimits(quorum, account, { send, limits });
  return { ...state, isKnown, isStuck: isAffordable(market, payable, { gasLimit, before }) };
}
