import type {
  ChainSend,
  SendOutcome,
  SignedTransaction,
} from "../../domain/ports/chain-gateway.ts";
import type { Queryable } from "../../storage/postgres/database.ts";
import { listOfPlace, type StoredTransaction } from "./store.ts";

/** The time between blocks. It is short, so that a purchase is final in a second or two on any network. */
const BLOCK_MS = 25;
/** Only a transaction that is meant to be stuck waits this long for a block. */
const STUCK_AFTER_MS = 400;
/** A reorganised transaction leaves its first block after this time and enters a second one later. */
const FIRST_BLOCK_MS = 400;
const SECOND_BLOCK_MS = 700;

/** The cost of each transaction, in the smallest units of its network's own coin. */
const NETWORK_FEE = 1_000n;

/** The pause before the next question about a waiting transaction: a quarter of its age, within these bounds. */
const ASK_AGAIN = { part: 4, minMs: 100, maxMs: 30_000 };

/** Returns how soon something that began this long ago is worth another question. */
export const askAgainMsOf = (ageMs: number): number =>
  Math.min(Math.max(ageMs / ASK_AGAIN.part, ASK_AGAIN.minMs), ASK_AGAIN.maxMs);

/** Returns what became of a place, from the sandbox's list of transactions. */
export async function follow(
  database: Queryable,
  question: {
    readonly send: ChainSend;
    readonly signed: readonly SignedTransaction[];
    /** The confirmations after which a transaction is final. */
    readonly required: number;
  },
): Promise<SendOutcome> {
  const { networkCode, place } = question.send;
  const hashes = question.signed.map(({ transactionHash }) => transactionHash);
  const nonce = place?.kind === "nonce" ? String(place.nonce) : null;
  const found = await listOfPlace(database, { networkCode, hashes, nonce });
  const isOurs = ({ transactionHash }: StoredTransaction) => hashes.includes(transactionHash);
  const inBlocks = found.filter((one) => confirmationsOf(one) > 0);
  const mined = inBlocks.find(isOurs) ?? inBlocks[0];
  const newest = found.find(({ transactionHash }) => transactionHash === hashes.at(-1));
  if (mined === undefined) return waiting(newest);
  const confirmations = confirmationsOf(mined);
  const askAgainMs = (question.required - confirmations) * BLOCK_MS;
  if (askAgainMs > 0) {
    const { transactionHash: hash } = mined;
    // Until it is final, its block may be dropped, and ours may be mined after all.
    return isOurs(mined)
      ? { state: "mined", hash, confirmations, askAgainMs }
      : { state: "waiting", isKnown: newest !== undefined, isStuck: false, askAgainMs };
  }
  return isOurs(mined) ? ended(mined) : { state: "dead", by: mined.transactionHash };
}

function waiting(newest: StoredTransaction | undefined): SendOutcome {
  if (newest === undefined) {
    return { state: "waiting", isKnown: false, isStuck: false, askAgainMs: ASK_AGAIN.minMs };
  }
  const { ageMs, minedMs } = newest;
  const isStuck = minedMs === null && ageMs >= STUCK_AFTER_MS;
  return { state: "waiting", isKnown: true, isStuck, askAgainMs: askAgainMsOf(ageMs) };
}

/** Returns the outcome of our transaction, which is final: by what it moved. */
function ended(mined: StoredTransaction): SendOutcome {
  const { transactionHash: hash, units, movedUnits } = mined;
  if (movedUnits === null || movedUnits === units) {
    const confirmations = confirmationsOf(mined);
    return { state: "final", hash, confirmations, networkFee: NETWORK_FEE };
  }
  return movedUnits === "0"
    ? { state: "failed", hash, why: "the transaction was reverted", networkFee: NETWORK_FEE }
    : {
        state: "mismatch",
        hash,
        why: `${movedUnits} units moved instead of ${units}`,
        networkFee: NETWORK_FEE,
      };
}

function confirmationsOf({ minedMs, reorganised }: StoredTransaction): number {
  if (minedMs === null) return 0;
  if (!reorganised) return Math.floor(minedMs / BLOCK_MS);
  if (minedMs < FIRST_BLOCK_MS) return minedMs < BLOCK_MS ? 0 : 1;
  return Math.max(Math.floor((minedMs - SECOND_BLOCK_MS) / BLOCK_MS), 0);
}
