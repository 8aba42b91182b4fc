import type {
  ChainPayment,
  ChainSend,
  Preflight,
  SendOutcome,
  SignedTransaction,
} from "../domain/ports/chain-gateway.ts";
import type { CoinSender } from "../domain/ports/coin-sender.ts";
import { failpoint } from "../failpoints.ts";
import {
  type CoinPurse,
  findSpenders,
  listCoinsOf,
  lockSend,
  readFreeUnits,
  type SpentIn,
  takeCoins,
} from "../storage/chains/coins.ts";
import { type ChainCursor, findCursor } from "../storage/chains/cursors.ts";
import { storeTerms } from "../storage/payouts/releases.ts";
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
  return makeLiveSends({
    ...options,
    takePlace: (send) => takePlace(options, send),
    sender: {
      ...sender,
      preflight: (payment) => preflight(options, payment),
      feeTerms: async (send, stuck) => {
        if (stuck) throw new Error(`fees on ${sender.networkCode} are not raised`);
        return sender.termsOf(send, await sender.feeRate());
      },
      follow: (send, signed) => follow(options, send, signed),
    },
  });
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
  { database, sender }: LiveCoinsOptions,
  send: ChainSend,
): Promise<ChainSend> {
  const taken = await placed(database, send);
  if (taken) return taken;
  const rate = await sender.feeRate();
  const wanted = { sendId: send.id, ...sender.costOf(send, rate) };
  const ready = await database.transaction(async (tx) => {
    // Another worker may have taken coins for it meanwhile: the row of the send makes one of the two wait.
    await lockSend(tx, send.id);
    const found = await placed(tx, send);
    if (found) return found;
    await takeCoins(tx, purseOf(sender), wanted);
    const made = await placed(tx, send);
    if (made) await storeTerms(tx, { sendId: send.id, number: 1 }, sender.termsOf(made, rate));
    return made;
  });
  failpoint("send.after_coins");
  if (ready) return ready;
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
  const cursor = await findCursor(database, networkCode);
  if (!cursor) throw new Error(`${networkCode} was never read`);
  const coins = await listCoinsOf(database, send.id);
  const hashes = signed.map(({ transactionHash }) => transactionHash);
  const ours = (await findSpenders(database, networkCode, hashes)).at(0);
  if (ours)
    return minedOf({ sender, cursor, ours, signed }, { ...send, place: { kind: "coins", coins } });
  const isFinal = ({ height }: SpentIn): boolean => height <= cursor.finalHeight;
  const lost = coins.flatMap(({ lostBy }) => lostBy ?? []).at(0);
  if (lost !== undefined) return { state: "dead", by: lost };
  const foreign = coins.flatMap(({ spent }) => (spent && isFinal(spent) ? [spent] : [])).at(0);
  if (foreign) return { state: "dead", by: foreign.by };
  const newest = signed.at(-1);
  // An adopted payout has no bytes of ours.
  const isKnown =
    !newest || newest.bytes.length === 0 || (await sender.isKnown(newest.transactionHash));
  return { state: "waiting", isKnown, isStuck: false, askAgainMs: pollMs };
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
    return { state: "mined", hash, confirmations, askAgainMs: sender.pollMs * MINED_PAUSE_FACTOR };
  }
  const transaction = signed.find(({ transactionHash }) => transactionHash === hash);
  // The id covers every output, and the bytes were compared with the send before they were stored.
  const networkFee =
    transaction && transaction.bytes.length > 0 ? sender.feeOf(send, transaction) : 0n;
  return { state: "final", hash, confirmations, networkFee };
}
