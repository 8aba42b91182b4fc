import { type ChainSend, PayoutWaits, type WalletCoin } from "../domain/ports/chain-gateway.ts";
import { FeeTooHigh, mayHaveSigned, SigningRefused } from "../domain/ports/chain-sender.ts";
import type { CoinSender } from "../domain/ports/coin-sender.ts";
import { failpoint } from "../failpoints.ts";
import { reportNoProof } from "../flows/payouts/report-break.ts";
import { listCoinsOf } from "../storage/chains/coins.ts";
import { type ChainCursor, findCursor } from "../storage/chains/cursors.ts";
import {
  type CoinWalletKey,
  findWinnerWithoutCoins,
  lockSend,
  MOST_COINS,
  takeCoins,
} from "../storage/chains/take-coins.ts";
import { closeBatch, halveBatch, isUnplanned, listOutputs } from "../storage/payouts/batches.ts";
import { findStoredTerms, storeTerms } from "../storage/payouts/releases.ts";
import { listSigned } from "../storage/payouts/sends.ts";
import type { Database, Queryable, Tx } from "../storage/postgres/database.ts";
import { withHeight } from "./coin-raises.ts";
import type { LiveSendsOptions } from "./live-sends.ts";

interface Wallet extends Pick<LiveSendsOptions, "database" | "log"> {
  readonly sender: CoinSender;
}

/** Coins become free when blocks make earlier ones final. */
export const POOR_LOOK_MS = 10_000;

/** The payouts of a send are together more than the wallet's coins or the limits allow. */
class CannotPayTogether extends PayoutWaits {
  override readonly name = "CannotPayTogether";

  constructor(why: string) {
    super(why, POOR_LOOK_MS);
  }
}

export async function cursorOf(
  database: Database,
  { networkCode }: CoinSender,
): Promise<ChainCursor> {
  const cursor = await findCursor(database, networkCode);
  if (!cursor) throw new Error(`${networkCode} was never read`);
  return cursor;
}

export const walletKeyOf = ({ networkCode, wallet }: CoinSender): CoinWalletKey => ({
  networkCode,
  account: wallet.account,
});

/** Returns the present rate, or the wait of payouts while it is above the operator's limit. */
export async function rateOrWait(sender: CoinSender): Promise<bigint | PayoutWaits> {
  try {
    return await sender.feeRate();
  } catch (error) {
    if (error instanceof FeeTooHigh) return new PayoutWaits(error.message, POOR_LOOK_MS);
    throw error;
  }
}

/**
 * Returns the send with its payments and its coins. Before the signer is asked, the send is closed: payouts that were
 * stopped since they joined leave it, and no other joins. Coins and terms are taken once, and stay with the send.
 */
export async function takePlace(wallet: Wallet, send: ChainSend): Promise<ChainSend> {
  const { database, sender } = wallet;
  if ((await listSigned(database, send.id)).length > 0) return requirePlaced(database, send);
  const rate = await rateOrWait(sender);
  if (rate instanceof PayoutWaits) throw rate;
  const { height } = await cursorOf(database, sender);
  const ready = await database.transaction(async (tx) => {
    // Another worker may take coins for it too: the row of the send makes one of the two wait.
    await lockSend(tx, send.id);
    if (send.purpose === "payout") await closeBatch(tx, send.id);
    const made = await withCoins(tx, { send, sender, rate });
    if (!made || (await findStoredTerms(tx, { sendId: send.id, number: 1 }))) return made;
    await storeTerms(
      tx,
      { sendId: send.id, number: 1 },
      withHeight(height, termsOf(sender, made, rate)),
    );
    return made;
  });
  failpoint("send.after_coins");
  if (ready) return ready;
  if (send.purpose !== "payout") throw new Error(`${send.purpose} ${send.id} has lost its coins`);
  const winner = await findWinnerWithoutCoins(database, walletKeyOf(sender), send.id);
  if (winner !== undefined)
    await reportNoProof(
      wallet,
      { name: `payout ${send.outputs[0]?.intentId}`, networkCode: send.networkCode },
      winner,
    );
  throw new CannotPayTogether(
    `the hot wallet of ${send.networkCode} has too few coins, so the payout waits`,
  );
}

/**
 * Returns the send with coins that it had or that it takes now. Undefined where the wallet has too few. If the signer
 * refused its terms and the rate rose since, it keeps its coins and takes more.
 */
async function withCoins(
  tx: Tx,
  { send, sender, rate }: { readonly send: ChainSend; readonly sender: CoinSender; rate: bigint },
): Promise<ChainSend | undefined> {
  const before = await placed(tx, send);
  const whole = before ?? (await withOutputs(tx, send));
  const { units, unitsForEach } = sender.costOf(whole, rate);
  const held = coinsOf(before).reduce((sum, coin) => sum + coin.units - unitsForEach, 0n);
  if (before && (held >= units || !(await isUnplanned(tx, send.id)))) return before;
  const missing = { sendId: send.id, units: units - held, unitsForEach };
  if ((await takeCoins(tx, walletKeyOf(sender), missing)) === 0) return before;
  const placedNow = await placed(tx, send);
  if (coinsOf(placedNow).length <= MOST_COINS) return placedNow;
  throw new CannotPayTogether(`the payout needs more than ${MOST_COINS} coins at this rate`);
}

const coinsOf = (send: ChainSend | undefined): readonly WalletCoin[] =>
  send?.place?.kind === "coins" ? send.place.coins : [];

/** A limit of the fee that several payments exceed together may allow each of them. */
function termsOf(sender: CoinSender, send: ChainSend, rate: bigint) {
  try {
    return sender.termsOf(send, rate);
  } catch (error) {
    if (error instanceof FeeTooHigh) throw new CannotPayTogether(error.message);
    throw error;
  }
}

async function requirePlaced(queryable: Queryable, send: ChainSend): Promise<ChainSend> {
  const found = await placed(queryable, send);
  if (!found) throw new Error(`send ${send.id} was signed and has no coins`);
  return found;
}

async function placed(queryable: Queryable, send: ChainSend): Promise<ChainSend | undefined> {
  const coins = await listCoinsOf(queryable, send.id);
  if (coins.length === 0) return undefined;
  return { ...(await withOutputs(queryable, send)), place: { kind: "coins", coins } };
}

/** A payout knows itself only. Its send may pay others too, in the order of their numbers. */
async function withOutputs(queryable: Queryable, send: ChainSend): Promise<ChainSend> {
  const [own] = send.outputs;
  if (!own) return send;
  const { assetReference, memo } = own;
  const outputs = await listOutputs(queryable, send.id);
  return { ...send, outputs: outputs.map((output) => ({ ...output, assetReference, memo })) };
}

/**
 * Signs a send. Where its payouts cannot be signed together, the later half of them leaves, and the rest is tried
 * again. One payout that the signer refuses, or that the wallet cannot pay, therefore delays the others only briefly.
 */
export async function signTogether<Signed>(
  { database, log, sender }: Wallet,
  send: ChainSend,
  sign: () => Promise<Signed>,
): Promise<Signed> {
  try {
    return await sign();
  } catch (error) {
    if (!isSurelyUnsigned(error) || !(await halve(database, send))) throw error;
    const { message } = error as Error;
    log.info({ network: sender.networkCode, sendId: send.id }, `fewer payouts at once: ${message}`);
    return signTogether({ database, log, sender }, send, sign);
  }
}

const isSurelyUnsigned = (error: unknown): boolean =>
  error instanceof CannotPayTogether || (error instanceof SigningRefused && !mayHaveSigned(error));

async function halve(database: Database, { id, purpose }: ChainSend): Promise<boolean> {
  if (purpose !== "payout") return false;
  const isHalved = await database.transaction(async (tx) => {
    await lockSend(tx, id);
    return halveBatch(tx, id);
  });
  failpoint("send.after_split");
  return isHalved;
}
