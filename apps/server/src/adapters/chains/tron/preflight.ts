import type { ChainPayment, Preflight } from "../../../domain/ports/chain-gateway.ts";
import type { TronTransfer } from "../../../domain/wallets/tron.ts";
import type { Quorum } from "../agree.ts";
import { walletWaits } from "../wallet-wait.ts";
import { feeLimitOf, readPrices, TRANSFER_BYTES, type TronPrices } from "./fees.ts";
import {
  readRecipient,
  readResources,
  readTokens,
  type TronResources,
  tryTransfer,
} from "./resources.ts";
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

/** Asks whether the transfer would succeed now, so that no deadline is spent on one that would not. */
export async function preflightOf(
  options: PreflightOptions,
  payment: ChainPayment,
): Promise<Preflight> {
  const { quorum, account, pollMs } = options;
  const transfer = transferOfSend({ outputs: [payment] }, account);
  const prices = await readPrices(quorum);
  const resources = await readResources(quorum, account.address);
  const found = { ...options, prices, resources, reference: payment.assetReference };
  const { contract } = transfer;
  const answer =
    contract === null
      ? await tryCoins(found, transfer)
      : await tryToken(found, { ...transfer, contract });
  if (typeof answer !== "string") return answer;
  return walletWaits(`the hot wallet ${account.address} ${answer}`, pollMs);
}

interface PreflightFacts extends PreflightOptions {
  readonly prices: TronPrices;
  readonly resources: TronResources;
  readonly reference: string;
}

/** The cost of a transaction's bytes, unless the free ones of the day suffice. */
export const bytesCost = ({
  prices,
  resources,
}: Pick<PreflightFacts, "prices" | "resources">): bigint =>
  resources.bandwidth >= TRANSFER_BYTES ? 0n : TRANSFER_BYTES * prices.bandwidth;

/** Returns what the wallet lacks, or the answer. */
async function tryCoins(
  found: PreflightFacts,
  { to, units }: TronTransfer,
): Promise<Preflight | string> {
  const { quorum, prices, resources, gasFloor } = found;
  const recipient = await readRecipient(quorum, to);
  if (recipient === "contract") {
    return { state: "rejected", why: `${to} is a contract, which takes no transfer of TRX` };
  }
  const fee = bytesCost(found) + (recipient === "none" ? prices.newAccount : 0n);
  if (resources.coins < units + fee) {
    return `has ${resources.coins} sun, and ${units} and a fee of up to ${fee} are needed`;
  }
  return resources.coins - units - fee < gasFloor
    ? `keeps ${gasFloor} sun for the fees of tokens`
    : { state: "clear" };
}

async function tryToken(
  found: PreflightFacts,
  transfer: TronTransfer & { readonly contract: string },
): Promise<Preflight | string> {
  const { quorum, account, prices, resources, feeMax, reference } = found;
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
  const covered = resources.energy * prices.energy;
  const fee = (limit > covered ? limit - covered : 0n) + bytesCost(found);
  return resources.coins < fee
    ? `has ${resources.coins} sun and ${resources.energy} energy, and a fee of up to ${fee} sun is needed`
    : { state: "clear" };
}
