import type {
  ChainPayment,
  ChainSend,
  Preflight,
  SendOutcome,
  SignedTransaction,
} from "../domain/ports/chain-gateway.ts";
import type { FeeTerms } from "../domain/ports/chain-sender.ts";
import type { CoinSender } from "../domain/ports/coin-sender.ts";
import { failpoint } from "../failpoints.ts";
import { reportNoProof } from "../flows/payouts/report-break.ts";
import {
  findSpenders,
  listCoinsOf,
  type SpentIn,
  type TakenCoin,
} from "../storage/chains/coins.ts";
import { type ChainCursor, findCursor } from "../storage/chains/cursors.ts";
import {
  type CoinPurse,
  findBarrenWinner,
  lockSend,
  readFreeUnits,
  takeCoins,
} from "../storage/chains/take-coins.ts";
import { bindRaise } from "../storage/payouts/raises.ts";
import { storeTerms } from "../storage/payouts/releases.ts";
import { listSigned } from "../storage/payouts/sends.ts";
import type { Database } from "../storage/postgres/database.ts";
import { at, findRaise } from "./coin-raises.ts";
import { type LiveSends, type LiveSendsOptions, makeLiveSends } from "./live-sends.ts";

export interface LiveCoinsOptions extends Omit<LiveSendsOptions, "sender" | "takePlace"> {
  readonly sender: CoinSender;
}

/** Coins become free when blocks make earlier ones final. */
const POOR_LOOK_MS = 10_000;
/** A transaction in a block becomes final in many minutes, so it is looked at less often. */
const MINED_PAUSE_FACTOR = 4;

/**
 * Sends on one live network of the Bitcoin family. The place of a send is its coins. They are taken with the plan in
 * one database transaction, before the release is written, so a crash leads to the same question to the signer.
 */
export function makeLiveCoins(options: LiveCoinsOptions): LiveSends {
  const { sender } = options;
  const sends = makeLiveSends({
    ...options,
    takePlace: (send) => takePlace(options, send),
    sender: {
      ...sender,
      preflight: (payment) => preflight(options, payment),
      feeTerms: (send, stuck) => feeTerms(options, send, stuck),
      follow: (send, signed) => follow(options, send, signed),
    },
  });
  return {
    ...sends,
    replace: (send, stuck) =>
      sender.raising.by === "child" ? raiseByChild(options, send) : sends.replace(send, stuck),
  };
}

async function feeTerms(
  { database, sender }: LiveCoinsOptions,
  send: ChainSend,
  stuck?: SignedTransaction,
): Promise<FeeTerms> {
  const { height } = await cursorOf(database, sender);
  if (!stuck) return at(height, sender.termsOf(send, await sender.feeRate()));
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

async function cursorOf(database: Database, { networkCode }: CoinSender): Promise<ChainCursor> {
  const cursor = await findCursor(database, networkCode);
  if (!cursor) throw new Error(`${networkCode} was never read`);
  return cursor;
}

const purseOf = ({ networkCode, wallet }: CoinSender): CoinPurse => ({
  networkCode,
  account: wallet.account,
});

async function preflight(
  { database, sender }: LiveCoinsOptions,
  payment: ChainPayment,
): Promise<Preflight> {
  const refusal = sender.refusalOf(payment);
  if (refusal !== undefined) return { state: "rejected", why: refusal };
  const rate = await sender.feeRate();
  const { units, unitsForEach } = sender.costOf({ outputs: [payment] }, rate);
  const free = await readFreeUnits(database, purseOf(sender));
  if (free >= units + unitsForEach) return { state: "clear" };
  const why = `the hot wallet of ${sender.networkCode} has ${free} units to spend, and this takes ${units + unitsForEach}`;
  return { state: "wait", why, askAgainMs: POOR_LOOK_MS };
}

/** Returns the send with its coins. They are taken once, and stay with it. */
async function takePlace(
  { database, log, sender }: LiveCoinsOptions,
  send: ChainSend,
): Promise<ChainSend> {
  const taken = await placed(database, send);
  if (taken) return taken;
  const rate = await sender.feeRate();
  const { height } = await cursorOf(database, sender);
  const wanted = { sendId: send.id, ...sender.costOf(send, rate) };
  const ready = await database.transaction(async (tx) => {
    // Another worker may have taken coins for it meanwhile: the row of the send makes one of the two wait.
    await lockSend(tx, send.id);
    const found = await placed(tx, send);
    if (found) return found;
    await takeCoins(tx, purseOf(sender), wanted);
    const made = await placed(tx, send);
    if (made) {
      const terms = at(height, sender.termsOf(made, rate));
      await storeTerms(tx, { sendId: send.id, number: 1 }, terms);
    }
    return made;
  });
  failpoint("send.after_coins");
  if (ready) return ready;
  if (send.purpose === "raise") throw new Error(`raise ${send.id} has lost its coin`);
  const barren = await findBarrenWinner(database, purseOf(sender), send.id);
  if (barren !== undefined)
    await reportNoProof(
      { database, log },
      { name: `payout ${send.outputs[0]?.intentId}`, networkCode: send.networkCode },
      barren,
    );
  throw new Error(`the hot wallet of ${send.networkCode} has too few coins, so the payout waits`);
}

async function placed(
  queryable: Parameters<typeof listCoinsOf>[0],
  send: ChainSend,
): Promise<ChainSend | undefined> {
  const coins = await listCoinsOf(queryable, send.id);
  return coins.length === 0 ? undefined : { ...send, place: { kind: "coins", coins } };
}

/**
 * Decides by the scanner's rows: a block that spends the send's coins has one of our transactions, or another one. A
 * coin that never came to be takes the send with it.
 */
async function follow(
  { database, sender }: LiveCoinsOptions,
  send: ChainSend,
  signed: readonly SignedTransaction[],
): Promise<SendOutcome> {
  const { networkCode, pollMs } = sender;
  const cursor = await cursorOf(database, sender);
  const coins = await listCoinsOf(database, send.id);
  const hashes = signed.map(({ transactionHash }) => transactionHash);
  const ours = (await findSpenders(database, networkCode, hashes)).at(0);
  if (ours)
    return minedOf({ sender, cursor, ours, signed }, { ...send, place: { kind: "coins", coins } });
  const isFinal = ({ height }: SpentIn): boolean => height <= cursor.finalHeight;
  const lost = coins.find(({ lostBy }) => lostBy !== null);
  if (lost?.lostBy) return lostOf(send, lost.lostBy, lost.isLostToOurs);
  const foreign = coins.flatMap(({ spent }) => (spent && isFinal(spent) ? [spent] : [])).at(0);
  if (foreign) return { state: "dead", by: foreign.by };
  const newest = signed.at(-1);
  const raise = await findRaise({ database, sender }, { send, signed, height: cursor.height });
  return {
    state: "waiting",
    isKnown: !newest || (await isKnown(sender, { send, coins, newest })),
    isStuck: raise !== undefined,
    askAgainMs: pollMs,
  };
}

/**
 * A payout whose coin another transaction of ours made impossible is planned again. A stranger's transaction is a
 * break, which a raise does not report once more.
 */
const lostOf = (send: ChainSend, by: string, isOurs: boolean): SendOutcome => ({
  state: isOurs || send.purpose === "raise" ? "lost" : "dead",
  by,
});

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

function minedOf(
  {
    sender,
    cursor,
    ours,
    signed,
  }: {
    readonly sender: CoinSender;
    readonly cursor: ChainCursor;
    readonly ours: SpentIn;
    readonly signed: readonly SignedTransaction[];
  },
  send: ChainSend,
): SendOutcome {
  const hash = ours.by;
  const confirmations = Number(cursor.height - ours.height) + 1;
  if (ours.height > cursor.finalHeight) {
    // The id covers every output, so a payout in a block moved exactly what it says.
    const { payoutDepth = Number.POSITIVE_INFINITY } = sender;
    const isPaid = send.purpose === "payout" && confirmations >= payoutDepth;
    const askAgainMs = sender.pollMs * MINED_PAUSE_FACTOR;
    return { state: "mined", hash, confirmations, isPaid, askAgainMs };
  }
  const transaction = signed.find(({ transactionHash }) => transactionHash === hash);
  // The id covers every output, and the bytes were compared with the send before they were stored.
  const networkFee =
    transaction && transaction.bytes.length > 0 ? sender.feeOf(send, transaction) : 0n;
  return { state: "final", hash, confirmations, networkFee };
}
