import type { ChainPayment, Preflight } from "../../../domain/ports/chain-gateway.ts";
import type { TronTransfer } from "../../../domain/wallets/tron.ts";
import type { Quorum } from "../agree.ts";
import { feeLimitOf, readPrices, TRANSFER_BYTES, type TronPrices } from "./fees.ts";
import { readPurse, readRecipient, readTokens, type TronPurse, tryTransfer } from "./resources.ts";
import { type TronAccountFacts, transferOfSend } from "./transaction.ts";

export interface PreflightOptions {
  readonly quorum: Quorum;
  readonly account: TronAccountFacts;
  /** The most that the call of a token may burn, in sun. */
  readonly feeMax: bigint;
  /** The TRX that payouts of TRX leave in the wallet for the fees of tokens, in sun. */
  readonly gasFloor: bigint;
  readonly pollMs: number;
}

/** A wallet that is too empty is looked at again after so many polls. */
const SHORT_PAUSE_FACTOR = 5;
/** Asks whether the transfer would succeed now, so that no deadline is spent on one that would not. */
export async function preflightOf(
  options: PreflightOptions,
  payment: ChainPayment,
): Promise<Preflight> {
  const { quorum, account, pollMs } = options;
  const wait = (why: string): Preflight => ({
    state: "wait",
    why: `the hot wallet ${account.address} ${why}`,
    askAgainMs: pollMs * SHORT_PAUSE_FACTOR,
  });
  const transfer = transferOfSend({ outputs: [payment] }, account);
  const prices = await readPrices(quorum);
  const purse = await readPurse(quorum, account.address);
  const found = { ...options, prices, purse, reference: payment.assetReference };
  const { contract } = transfer;
  const answer =
    contract === null
      ? await tryCoins(found, transfer)
      : await tryToken(found, { ...transfer, contract });
  return typeof answer === "string" ? wait(answer) : answer;
}

interface Found extends PreflightOptions {
  readonly prices: TronPrices;
  readonly purse: TronPurse;
  readonly reference: string;
}

/** The cost of a transaction's bytes, unless the free ones of the day suffice. */
export const bytesCost = ({ prices, purse }: Pick<Found, "prices" | "purse">): bigint =>
  purse.bandwidth >= TRANSFER_BYTES ? 0n : TRANSFER_BYTES * prices.bandwidth;

/** Returns what the wallet lacks, or the answer. */
async function tryCoins(found: Found, { to, units }: TronTransfer): Promise<Preflight | string> {
  const { quorum, prices, purse, gasFloor } = found;
  const recipient = await readRecipient(quorum, to);
  if (recipient === "contract") {
    return { state: "rejected", why: `${to} is a contract, which takes no transfer of TRX` };
  }
  const fee = bytesCost(found) + (recipient === "none" ? prices.newAccount : 0n);
  if (purse.coins < units + fee) {
    return `has ${purse.coins} sun, and ${units} and a fee of up to ${fee} are needed`;
  }
  return purse.coins - units - fee < gasFloor
    ? `keeps ${gasFloor} sun for the fees of tokens`
    : { state: "clear" };
}

async function tryToken(
  found: Found,
  transfer: TronTransfer & { readonly contract: string },
): Promise<Preflight | string> {
  const { quorum, account, prices, purse, feeMax, reference } = found;
  const tokens = await readTokens(quorum, account.address, transfer.contract);
  if (tokens === null)
    return `has an unknown amount of ${reference}, whose contract does not say it`;
  if (tokens < transfer.units) return `has too little ${reference}`;
  const { isGood, energy } = await tryTransfer(quorum, account.address, transfer);
  if (!isGood) return { state: "rejected", why: "the transfer would fail: it is reverted" };
  const limit = feeLimitOf(energy, prices);
  if (limit > feeMax) {
    return `would burn up to ${limit} sun for energy, above the limit of ${feeMax}`;
  }
  const covered = purse.energy * prices.energy;
  const fee = (limit > covered ? limit - covered : 0n) + bytesCost(found);
  return purse.coins < fee
    ? `has ${purse.coins} sun and ${purse.energy} energy, and a fee of up to ${fee} sun is needed`
    : { state: "clear" };
}
