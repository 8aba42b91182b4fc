import { LRUCache } from "lru-cache";
import {
  type ChainPayment,
  type ChainSend,
  PayoutWaits,
  type Preflight,
  type SendOutcome,
  type SignedTransaction,
} from "../domain/ports/chain-gateway.ts";
import { type FeeTerms, SigningRefused } from "../domain/ports/chain-sender.ts";
import type { CoinSender } from "../domain/ports/coin-sender.ts";
import { failpoint } from "../failpoints.ts";
import {
  type CoinPayment,
  findSpenders,
  listCoinsOf,
  listPayments,
  type SpentIn,
  type TakenCoin,
} from "../storage/chains/coins.ts";
import type { ChainCursor } from "../storage/chains/cursors.ts";
import { readFreeUnits } from "../storage/chains/take-coins.ts";
import { listOutputs } from "../storage/payouts/batches.ts";
import { findFee } from "../storage/payouts/mismatches.ts";
import { bindRaise } from "../storage/payouts/raises.ts";
import { listSigned } from "../storage/payouts/sends.ts";
import type { Database } from "../storage/postgres/database.ts";
import {
  cursorOf,
  POOR_LOOK_MS,
  rateOrWait,
  signTogether,
  takePlace,
  walletKeyOf,
} from "./coin-places.ts";
import { findRaise } from "./coin-raises.ts";
import { type LiveSends, type LiveSendsOptions, makeLiveSends } from "./live-sends.ts";

export interface LiveCoinsOptions extends Omit<LiveSendsOptions, "sender" | "takePlace"> {
  readonly sender: CoinSender;
}

/** A transaction in a block becomes final in many minutes, so it is looked at less often. */
const MINED_PAUSE_FACTOR = 4;
const REFUSALS_MAX = 1_000;

/**
 * Sends on one live network of the Bitcoin family. The place of a send is its coins. One database transaction takes
 * the coins and stores the plan, before the releases are written. The signer is asked the same question after a
 * crash. One send may pay several payouts (docs/decisions/0098-pay-several-payouts-in-one-transaction.md).
 */
export function makeLiveCoins(options: LiveCoinsOptions): LiveSends {
  const { sender, log } = options;
  const raising = { ...options, refusals: new LRUCache<string, bigint>({ max: REFUSALS_MAX }) };
  const sends = makeLiveSends({
    ...options,
    takePlace: (send) => takePlace(options, send),
    sender: {
      ...sender,
      preflight: (payment) => preflight(options, payment),
      feeTerms: (send, stuck) => feeTerms(options, send, stuck),
      follow: (send, signed) => follow(raising, send, signed),
    },
  });
  return {
    ...sends,
    batch: sender.batch,
    sign: (send) => signTogether(options, send, () => sends.sign(send)),
    replace: async (send, stuck) => {
      if (sender.raising.by === "child") return raiseByChild(options, send);
      try {
        return await sends.replace(send, stuck);
      } catch (error) {
        if (!(error instanceof SigningRefused)) throw error;
        const { height } = await cursorOf(options.database, sender);
        raising.refusals.set(send.id, height);
        log.warn(
          { network: send.networkCode, reason: error.reason },
          `no higher fee: ${error.message}`,
        );
        return undefined;
      }
    },
  };
}

/** The blocks at which the signer refused to replace a send. After a restart the signer is merely asked again. */
interface Raising extends Pick<LiveCoinsOptions, "database" | "sender"> {
  readonly refusals: LRUCache<string, bigint>;
}

async function feeTerms(
  { database, sender }: LiveCoinsOptions,
  send: ChainSend,
  stuck?: SignedTransaction,
): Promise<FeeTerms> {
  // The plan of its first transaction is made with its coins. A payout that left it since took the plan away.
  if (!stuck) throw new Error(`a payout left send ${send.id}, so it is planned again`);
  const { height } = await cursorOf(database, sender);
  const signed = await signedOf(database, send);
  const raise = await findRaise({ database, sender }, { send, signed, height });
  if (raise?.kind === "replace") return raise.terms;
  throw new Error(`the fee of send ${send.id} needs no other version now`);
}

/** Binds a child to the change of a stuck payout. The worker signs and sends it as it does other sends of our own. */
async function raiseByChild(
  { database, sender }: LiveCoinsOptions,
  send: ChainSend,
): Promise<undefined> {
  const { networkCode, wallet } = sender;
  const { height } = await cursorOf(database, sender);
  const signed = await signedOf(database, send);
  const raise = await findRaise({ database, sender }, { send, signed, height });
  if (raise?.kind !== "child") return undefined;
  const { id, change, terms } = raise;
  const bound = { id, raises: send.id, networkCode, account: wallet.account, change, terms };
  await database.transaction((tx) => bindRaise(tx, bound));
  failpoint("send.after_raise");
  return undefined;
}

const signedOf = async (
  database: Database,
  { id, networkCode }: ChainSend,
): Promise<SignedTransaction[]> =>
  (await listSigned(database, id)).map((one) => ({ ...one, networkCode }));

async function preflight(
  { database, sender }: LiveCoinsOptions,
  payment: ChainPayment,
): Promise<Preflight> {
  const refusal = sender.refusalOf(payment);
  if (refusal !== undefined) return { state: "rejected", why: refusal };
  const wait = (why: string): Preflight => ({ state: "wait", why, askAgainMs: POOR_LOOK_MS });
  const rate = await rateOrWait(sender);
  if (rate instanceof PayoutWaits) return wait(rate.message);
  const { units, unitsForEach } = sender.costOf({ outputs: [payment] }, rate);
  const free = await readFreeUnits(database, walletKeyOf(sender));
  if (free >= units + unitsForEach) return { state: "clear" };
  return wait(
    `the hot wallet of ${sender.networkCode} has ${free} units to spend, and this takes ${units + unitsForEach}`,
  );
}

/**
 * Decides by the scanner's rows: a block that spends the send's coins has one of our transactions, or another one. A
 * coin that never came to be takes the send with it.
 */
async function follow(
  { database, sender, refusals }: Raising,
  send: ChainSend,
  signed: readonly SignedTransaction[],
): Promise<SendOutcome> {
  const { networkCode, pollMs } = sender;
  const cursor = await cursorOf(database, sender);
  const coins = await listCoinsOf(database, send.id);
  const hashes = signed.map(({ transactionHash }) => transactionHash);
  const ours = (await findSpenders(database, networkCode, hashes)).at(0);
  if (ours) return minedOf({ database, sender, cursor }, { send, ours });
  const isFinal = ({ height }: SpentIn): boolean => height <= cursor.finalHeight;
  const lost = coins.find(({ lostBy }) => lostBy !== null);
  if (lost?.lostBy) return lostOf(send, { by: lost.lostBy, isOurs: lost.isLostToOurs });
  const foreign = coins.flatMap(({ spent }) => (spent && isFinal(spent) ? [spent] : [])).at(0);
  // A database that lost its last commits does not know a raised version. It paid, so nobody may pay again.
  if (foreign && (await isPaidBy(database, send, foreign)))
    return minedOf({ database, sender, cursor }, { send, ours: foreign });
  if (foreign) return { state: "dead", by: foreign.by };
  const newest = signed.at(-1);
  const { height } = cursor;
  const refusedAt = refusals.get(send.id);
  const raise = await findRaise({ database, sender }, { send, signed, height, refusedAt });
  return {
    state: "waiting",
    isKnown: !newest || (await isKnown(sender, { send, coins, newest })),
    isStuck: raise !== undefined,
    askAgainMs: pollMs,
  };
}

/**
 * A payout whose coin another transaction of ours made impossible is planned again. A stranger's transaction is a
 * break, and a raise does not report it a second time.
 */
const lostOf = (
  send: ChainSend,
  { by, isOurs }: { readonly by: string; readonly isOurs: boolean },
): SendOutcome => ({
  state: isOurs || send.purpose === "raise" ? "lost" : "dead",
  by,
});

/** Returns whether a transaction of our wallet that the database does not have makes each payment of the payout's send. */
async function isPaidBy(
  database: Database,
  { id, networkCode }: ChainSend,
  { by }: SpentIn,
): Promise<boolean> {
  const paid = await listPayments(database, networkCode, by);
  const owed = await listOutputs(database, id);
  return owed.length > 0 && owed.every((output) => paid.some((one) => isSamePayment(one, output)));
}

/** No two payouts of a send have both address and amount in common. Addresses of SegWit have one meaning in any case. */
const isSamePayment = (paid: CoinPayment, owed: CoinPayment): boolean =>
  paid.units === owed.units && paid.address.toLowerCase() === owed.address.toLowerCase();

/** Nodes refuse a payout before its coins are in blocks again, so it is not sent to them. */
async function isKnown(
  sender: CoinSender,
  {
    send,
    coins,
    newest,
  }: {
    readonly send: ChainSend;
    readonly coins: readonly TakenCoin[];
    readonly newest: SignedTransaction;
  },
): Promise<boolean> {
  // An adopted payout has no bytes of ours.
  if (newest.bytes.length === 0) return true;
  const isEarly = send.purpose === "payout" && coins.some(({ isInBlock }) => !isInBlock);
  return isEarly || sender.isKnown(newest.transactionHash);
}

async function minedOf(
  {
    database,
    sender,
    cursor,
  }: Pick<LiveCoinsOptions, "database" | "sender"> & { readonly cursor: ChainCursor },
  { send, ours }: { readonly send: ChainSend; readonly ours: SpentIn },
): Promise<SendOutcome> {
  const hash = ours.by;
  const confirmations = Number(cursor.height - ours.height) + 1;
  if (ours.height > cursor.finalHeight) {
    // The id covers every output, so a payout in a block moved exactly what it says.
    const { payoutDepth = Number.POSITIVE_INFINITY } = sender;
    const isPaid = send.purpose === "payout" && confirmations >= payoutDepth;
    const askAgainMs = sender.pollMs * MINED_PAUSE_FACTOR;
    return { state: "mined", hash, confirmations, isPaid, askAgainMs };
  }
  // The id covers every output, and the bytes were compared with the send before they were stored.
  const { networkCode } = sender;
  const networkFee = await findFee(database, { networkCode, hash });
  if (networkFee === undefined) throw new Error(`the scanner has no fee of ${hash}`);
  return { state: "final", hash, confirmations, networkFee };
}
