import type {
  ChainSend,
  SendOutcome,
  SignedTransaction,
} from "../../../domain/ports/chain-gateway.ts";
import { Disagreement } from "../../../domain/ports/chain-reader.ts";
import type { Quorum } from "../agree.ts";
import type { EvmEndpointsOptions } from "../evm/endpoints.ts";
import { readHeads } from "../evm/reader.ts";
import { hexOf, type RpcBlock, wordsOf } from "../evm/words.ts";
import { EndpointFault, type Rpc } from "../rpc.ts";
import { findMined, type MinedTransaction, readInfo, SUCCESS } from "./mined.ts";
import { readSignedTransfer, type TronAccountFacts, transferOfSend } from "./transaction.ts";

export interface FollowOptions {
  readonly quorum: Quorum;
  readonly endpoints: EvmEndpointsOptions;
  readonly account: TronAccountFacts;
  /** The pause between two questions about a transaction that no block has. */
  readonly pollMs: number;
  /** The time that the solidified blocks must be beyond a deadline before its transaction is called dead. */
  readonly graceMs: number;
}

/** A transaction in a block becomes final in a minute, so it is looked at less often. */
const MINED_PAUSE_FACTOR = 2;
const SECOND_MS = 1_000;

/** Returns the outcome of a send, which has one transaction at most. */
export async function followSend(
  options: FollowOptions,
  send: ChainSend,
  {
    signed: [only],
    finalHeight,
  }: { readonly signed: readonly SignedTransaction[]; readonly finalHeight: bigint },
): Promise<SendOutcome> {
  const { quorum, endpoints, account, pollMs } = options;
  const waiting = { state: "waiting", isKnown: true, isStuck: false, askAgainMs: pollMs } as const;
  if (!only) return waiting;
  // The heads are read first: a transaction that is missing afterwards is not in a block up to them.
  const heads = await readHeads(quorum, endpoints);
  const transfer = transferOfSend(send, account);
  const question = { hash: only.transactionHash, from: account.address, transfer };
  const mined = await findMined(quorum, { ...question, isFinal: false });
  if (mined === null) {
    // An adopted payout has no bytes of ours.
    if (only.bytes.length === 0) return waiting;
    const read = heads.final !== undefined && heads.final < finalHeight ? heads.final : finalHeight;
    if (heads.final !== undefined && (await isDead(options, only, read))) {
      return { state: "lost", by: `deadline:${read}` };
    }
    // Nodes drop a transaction that waits too long, and refuse the same one twice.
    return { ...waiting, isKnown: false };
  }
  const confirmations = Math.max(Number(heads.believed - mined.height) + 1, 1);
  const final = heads.final ?? -1n;
  if (mined.height > final || mined.height > finalHeight) {
    const { hash } = mined;
    return { state: "mined", hash, confirmations, askAgainMs: pollMs * MINED_PAUSE_FACTOR };
  }
  const solid = await findMined(quorum, { ...question, isFinal: true });
  if (solid === null) throw new Error(`${mined.hash} was final, and no solidified block has it`);
  return endOf(solid, { contract: transfer.contract, units: transfer.units, confirmations });
}

/**
 * Returns the outcome of a solidified transaction. A send is settled only on proof that exactly its output moved. A
 * token may report success and move nothing, or less.
 */
function endOf(
  { hash, result, networkFee, moved, events }: MinedTransaction,
  {
    contract,
    units,
    confirmations,
  }: {
    readonly contract: string | null;
    readonly units: bigint;
    readonly confirmations: number;
  },
): SendOutcome {
  const ended = { hash, networkFee };
  if (result !== SUCCESS) return { state: "failed", ...ended, why: `its result is ${result}` };
  if (contract === null || moved === units) return { state: "final", ...ended, confirmations };
  // Nodes have no balances of a chosen block, which would prove that nothing moved. People decide.
  const why =
    events === 0
      ? "the token reports success and no transfer"
      : `the token moved ${moved} of ${units} units`;
  return { state: "mismatch", ...ended, why };
}

/**
 * Returns whether no block can ever have the transaction. A block takes it only if the block before it is earlier than
 * the deadline. So once a solidified block is not, every block that could have it is solidified too. The scanner must
 * have read that far as well.
 */
async function isDead(
  { quorum, graceMs }: FollowOptions,
  { transactionHash, bytes }: SignedTransaction,
  read: bigint,
): Promise<boolean> {
  const { expiration } = readSignedTransfer(bytes);
  try {
    const time = await quorum.agree({
      what: `the time of block ${read}`,
      ask: (rpc) => readTime(rpc, hexOf(read)),
      keyOf: String,
    });
    if (time < expiration) return false;
    return await quorum.agree({
      what: `the deadline of transaction ${transactionHash}`,
      ask: (rpc) => isDeadAt(rpc, transactionHash, expiration + graceMs),
      keyOf: String,
      needsOwn: true,
    });
  } catch (error) {
    // The endpoints reach the deadline one after the other.
    if (error instanceof Disagreement) return false;
    throw error;
  }
}

/** Returns the time of a block in milliseconds. Ethereum's interface has whole seconds. */
export async function readTime(rpc: Rpc, block: string): Promise<number> {
  const words = wordsOf(rpc.name);
  const [answer] = await rpc.ask([["eth_getBlockByNumber", block, false]]);
  const { timestamp } = words.object<RpcBlock & { timestamp?: unknown }>(answer) ?? {};
  return Number(words.quantity(timestamp)) * SECOND_MS;
}

async function isDeadAt(rpc: Rpc, hash: string, passedAt: number): Promise<boolean> {
  // The exact time is in a block with all of its transactions, so it is asked for last.
  if ((await readTime(rpc, "finalized")) + SECOND_MS <= passedAt) return false;
  if ((await readSolidTime(rpc)) < passedAt) return false;
  const solid = await readInfo(rpc, hash, "solid");
  const any = await readInfo(rpc, hash, "any");
  return solid === undefined && any === undefined;
}

interface NodeBlock {
  readonly block_header?: { readonly raw_data?: { readonly timestamp?: unknown } };
}

async function readSolidTime(rpc: Rpc): Promise<number> {
  const [answer] = await rpc.ask([["/walletsolidity/getnowblock", {}]]);
  const time = Number((answer as NodeBlock).block_header?.raw_data?.timestamp);
  if (Number.isSafeInteger(time)) return time;
  throw new EndpointFault(rpc.name, "the solidified block has no time");
}
