import type {
  ChainSend,
  SendOutcome,
  SignedTransaction,
} from "../../../domain/ports/chain-gateway.ts";
import type { Quorum } from "../agree.ts";
import { accountsAt } from "./accounts.ts";
import { countKnowing } from "./broadcast.ts";
import type { XrpEndpointsOptions } from "./endpoints.ts";
import { findTaker, findValidated } from "./find-transaction.ts";
import { nameOfLedger, readXrpHeads } from "./ledgers.ts";
import { SUCCESS, type XrpMove } from "./moves.ts";
import { isSentTo, paymentOfSend, readXrp, type XrpAccountFacts } from "./transaction.ts";

export interface FollowOptions {
  readonly quorum: Quorum;
  readonly endpoints: XrpEndpointsOptions;
  readonly account: XrpAccountFacts;
  /** The pause between two questions about a transaction that no ledger has. */
  readonly pollMs: number;
}

interface FollowedSend {
  readonly send: ChainSend;
  readonly signed: readonly SignedTransaction[];
  readonly sequence: bigint;
  readonly final: bigint;
}

/**
 * Returns the outcome of a send. All of its transactions have its sequence, so at most one of them is ever in a validated
 * ledger. One that expired is stuck, and is replaced by one that may wait longer.
 */
export async function followSend(
  options: FollowOptions,
  send: ChainSend,
  signed: readonly SignedTransaction[],
): Promise<SendOutcome> {
  const { quorum, endpoints, account, pollMs } = options;
  // The heads are read first: a transaction that is missing afterwards is in no ledger up to them.
  const { believed, final } = await readXrpHeads(quorum, endpoints);
  const waiting = { state: "waiting", isKnown: true, isStuck: false, askAgainMs: pollMs } as const;
  for (const { transactionHash: hash } of [...signed].reverse()) {
    const move = await findValidated(quorum, { hash, account: account.address });
    if (move === null) continue;
    const confirmations = Math.max(Number(believed - move.height) + 1, 1);
    if (final !== undefined && move.height <= final) return endOf(send, move, confirmations);
    return { state: "mined", hash, confirmations, isPaid: false, askAgainMs: pollMs };
  }
  if (final === undefined || send.place?.kind !== "nonce") return waiting;
  const sequence = send.place.nonce;
  if ((await sequenceAt(quorum, account, final)) > sequence) {
    return (await takenOutcome(options, { send, signed, sequence, final })) ?? waiting;
  }
  const newest = signed.at(-1);
  // An adopted payout has no bytes of ours.
  if (!newest || newest.bytes.length === 0) return waiting;
  if (isExpired(newest, { account, final })) return { ...waiting, isStuck: true };
  const knowing = await countKnowing(quorum, newest.transactionHash);
  return { ...waiting, isKnown: knowing >= endpoints.quorum };
}

/** A result other than success took the fee and the sequence, and moved nothing. */
function endOf(send: ChainSend, move: XrpMove, confirmations: number): SendOutcome {
  const { hash, fee: networkFee, result, change, delivered } = move;
  const ended = { hash, networkFee };
  if (result !== SUCCESS) return { state: "failed", ...ended, why: `its result is ${result}` };
  const payment = paymentOfSend(send);
  // A hash that a person named after a restore may be the payment of another customer of the same service.
  if (payment !== null && !isSentTo(move, payment)) {
    const why = `it paid ${textOf(move.destination, move.tag)}, not ${textOf(payment.to, payment.tag)}`;
    return { state: "mismatch", ...ended, why };
  }
  const units = payment?.units ?? 0n;
  const isExact = (delivered ?? 0n) === units && -change === units + networkFee;
  if (isExact) return { state: "final", ...ended, confirmations };
  const why = `it moved ${delivered ?? 0n} of ${units} drops`;
  return { state: "mismatch", ...ended, why };
}

const textOf = (account: string | null, tag: string | number | null): string =>
  `${account ?? "nobody"} ${tag === null ? "without a tag" : `with tag ${tag}`}`;

/** Returns the outcome where the sequence was used, unless one of these transactions used it. */
async function takenOutcome(
  { quorum, account }: FollowOptions,
  { send, signed, sequence, final }: FollowedSend,
): Promise<SendOutcome | undefined> {
  const taker = await findTaker(quorum, { account: account.address, sequence, final });
  // The endpoints that did not have it were behind.
  if (signed.some(({ transactionHash }) => transactionHash === taker.hash)) return undefined;
  // A database that lost its last commits does not know a replacement. It paid, so nobody may pay again.
  return isOurs(taker, send)
    ? endOf(send, taker, Math.max(Number(final - taker.height) + 1, 1))
    : { state: "dead", by: taker.hash };
}

async function sequenceAt(
  quorum: Quorum,
  { address }: XrpAccountFacts,
  height: bigint,
): Promise<bigint> {
  const [found] = await accountsAt(quorum, await nameOfLedger(quorum, height), [address]);
  return found?.sequence ?? 0n;
}

function isOurs(move: XrpMove, send: ChainSend): boolean {
  const payment = paymentOfSend(send);
  if (payment === null || !isSentTo(move, payment)) return false;
  return move.result === SUCCESS && move.delivered === payment.units;
}

/**
 * Returns whether no ledger can ever have a transaction whose sequence is unused after the final ledger: a ledger that has
 * it uses the sequence, and the last one that could have it was before. No history is needed for that.
 */
const isExpired = (
  newest: SignedTransaction,
  { account, final }: { readonly account: XrpAccountFacts; readonly final: bigint },
): boolean => final > BigInt(readXrp(newest, account).lastLedger);
