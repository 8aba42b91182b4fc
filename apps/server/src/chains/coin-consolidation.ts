import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import type { ChainSend } from "../domain/ports/chain-gateway.ts";
import { FeeTooHigh } from "../domain/ports/chain-sender.ts";
import type { CoinSender, ConsolidationRules } from "../domain/ports/coin-sender.ts";
import { failpoint } from "../failpoints.ts";
import { repeat } from "../flows/repeat.ts";
import { listCoinsOf } from "../storage/chains/coins.ts";
import { storeTerms } from "../storage/payouts/releases.ts";
import type { Database } from "../storage/postgres/database.ts";
import { bindConsolidation, mayConsolidate } from "../storage/treasury/consolidations.ts";
import { cursorOf } from "./coin-places.ts";
import { withHeight } from "./coin-raises.ts";

interface Parts {
  readonly database: Database;
  readonly log: Logger;
}

export interface ConsolidationOptions {
  readonly senders: readonly CoinSender[];
  /** False while nobody knows whether this database was restored. */
  readonly mayMove?: () => boolean;
}

/** Nobody waits for a consolidation, so it is looked for this many times less often than a transaction. */
const PAUSE_FACTOR = 4;
/** Fewer coins are not worth a transaction of their own. */
const COINS_MIN = 10;

/**
 * Makes one coin of many small ones in the hot wallets, while the network's fees are low. Any number of processes may
 * do it at once. The hole filler signs and follows the sends bound here. Returns the function that stops it.
 */
export function startConsolidations(
  parts: Parts,
  { senders, mayMove }: ConsolidationOptions,
): () => Promise<void> {
  const stops = senders.map((sender) =>
    repeat({
      everyMs: sender.pollMs * PAUSE_FACTOR,
      round: async () => {
        if (mayMove?.() !== false) await consolidateOnce(parts, sender);
      },
      failed: (error) => {
        const { networkCode } = sender;
        parts.log.warn({ err: error, networkCode }, "no consolidation, retrying");
      },
    }),
  );
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}

/** Binds a consolidation with its coins and terms, in one database transaction. Returns the number of its coins. */
export async function consolidateOnce(
  { database, log }: Parts,
  sender: CoinSender,
): Promise<number> {
  const { networkCode, consolidation: rules, wallet } = sender;
  const own = { networkCode, address: wallet.address, account: wallet.account };
  if (rules === undefined || !(await mayConsolidate(database, own, rules))) return 0;
  const rate = await lowRate(sender, rules);
  if (rate === undefined) return 0;
  const { height } = await cursorOf(database, sender);
  const { unitsForEach } = sender.costOf({ outputs: [] }, rate);
  const sendId = randomUUID();
  failpoint("consolidation.before_bind");
  const count = await database.transaction(async (tx) => {
    const { aboveCoins, coinsAtOnce } = rules;
    const wanted = { sendId, aboveCoins, coinsAtOnce, unitsForEach, coinsMin: COINS_MIN };
    const taken = await bindConsolidation(tx, own, wanted);
    if (taken === 0) return 0;
    const coins = await listCoinsOf(tx, sendId);
    const send: ChainSend = {
      ...{ id: sendId, networkCode, purpose: "rebalance" },
      ...{ place: { kind: "coins", coins }, outputs: [] },
    };
    await storeTerms(tx, { sendId, number: 1 }, withHeight(height, sender.termsOf(send, rate)));
    return taken;
  });
  failpoint("consolidation.after_bind");
  if (count > 0)
    log.info({ networkCode, sendId, coins: count, rate: String(rate) }, "coins become one");
  return count;
}

/** Returns the current rate, or undefined while it is above the rule's maximum. */
async function lowRate(
  sender: CoinSender,
  { feeRateMax }: ConsolidationRules,
): Promise<bigint | undefined> {
  try {
    const rate = await sender.feeRate();
    return rate > feeRateMax ? undefined : rate;
  } catch (error) {
    if (error instanceof FeeTooHigh) return undefined;
    throw error;
  }
}
