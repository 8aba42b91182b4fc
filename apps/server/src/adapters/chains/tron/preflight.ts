import type { ChainPayment, Preflight } from "../../../domain/ports/chain-gateway.ts";
import type { UnderWay } from "../../../domain/ports/chain-sender.ts";
import type { TronTransfer } from "../../../domain/wallets/tron.ts";
import type { Quorum } from "../agree.ts";
import { sendsTake, walletWaits } from "../wallet-wait.ts";
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
  readonly underWay: UnderWay | undefined;
}

/** Asks whether the transfer would succeed now, so that no deadline is spent on one that would not. */
export async function preflightOf(
  options: PreflightOptions,
  payment: ChainPayment,
): Promise<Preflight> {
  const { quorum, account, pollMs, underWay } = options;
  const transfer = transferOfSend({ outputs: [payment] }, account);
  const prices = await readPrices(quorum);
  const resources = await readResources(quorum, account.address, underWay?.readTo);
  const spare = spareOf({ ...options, prices, resources });
  const found = { ...options, prices, resources, spare, reference: payment.assetReference };
  const { contract } = transfer;
  const answer =
    contract === null
      ? await tryCoins(found, transfer)
      : await tryToken(found, { ...transfer, contract });
  if (typeof answer !== "string") return answer;
  return walletWaits(`the hot wallet ${account.address} ${answer}`, pollMs);
}

interface WalletFacts extends PreflightOptions {
  readonly prices: TronPrices;
  readonly resources: TronResources;
}

interface PreflightFacts extends WalletFacts {
  readonly spare: SpareResources;
  readonly reference: string;
}

/** The cost of a transaction's bytes, unless the free ones of the day suffice. */
export const bytesCost = ({
  prices,
  resources,
}: {
  readonly prices: TronPrices;
  readonly resources: Pick<TronResources, "bandwidth">;
}): bigint => (resources.bandwidth >= TRANSFER_BYTES ? 0n : TRANSFER_BYTES * prices.bandwidth);

/** The part of the wallet's resources that the sends under way leave. */
interface SpareResources {
  /** In sun. Negative where they take more than the wallet has. */
  readonly coins: bigint;
  /** The sun that the energy saves which costs nothing. */
  readonly covered: bigint;
  readonly bandwidth: bigint;
}

/**
 * Takes the most that the sends under way cost from the resources. A call takes energy first, and burns coins for the rest,
 * together up to its limit. Sweeps are paid by their own addresses.
 */
function spareOf({ account, feeMax, prices, resources, underWay }: WalletFacts): SpareResources {
  const payments = underWay?.payments ?? [];
  const transfers = payments.filter((one) => account.contractOf(one.assetReference) === null);
  const count = BigInt(payments.length);
  const paid = transfers.reduce((sum, { units }) => sum + units + prices.newAccount, 0n);
  const calls = (count - BigInt(transfers.length)) * feeMax;
  const energy = resources.energy * prices.energy;
  const burnt = calls > energy ? calls - energy : 0n;
  const bytes = count * TRANSFER_BYTES;
  const isFree = resources.bandwidth >= bytes;
  return {
    coins: resources.coins - paid - burnt - (isFree ? 0n : bytes * prices.bandwidth),
    covered: calls > energy ? 0n : energy - calls,
    bandwidth: isFree ? resources.bandwidth - bytes : 0n,
  };
}

const wordsOf = ({ underWay, resources, spare }: PreflightFacts): string => {
  const sends = underWay?.payments.length ?? 0;
  if (sends === 0) return "";
  return `. ${sendsTake(sends)} up to ${resources.coins - spare.coins} sun of it, and the energy first`;
};

/** Returns what the wallet lacks, or the answer. */
async function tryCoins(
  found: PreflightFacts,
  { to, units }: TronTransfer,
): Promise<Preflight | string> {
  const { quorum, prices, resources, spare, gasFloor } = found;
  const recipient = await readRecipient(quorum, to);
  if (recipient === "contract") {
    return { state: "rejected", why: `${to} is a contract, which takes no transfer of TRX` };
  }
  const bytes = bytesCost({ prices, resources: spare });
  const fee = bytes + (recipient === "none" ? prices.newAccount : 0n);
  const also = wordsOf(found);
  if (spare.coins < units + fee) {
    return `has ${resources.coins} sun, and ${units} and a fee of up to ${fee} are needed${also}`;
  }
  return spare.coins - units - fee < gasFloor
    ? `keeps ${gasFloor} sun for the fees of tokens${also}`
    : { state: "clear" };
}

async function tryToken(
  found: PreflightFacts,
  transfer: TronTransfer & { readonly contract: string },
): Promise<Preflight | string> {
  const { quorum, account, prices, resources, spare, feeMax, reference, underWay } = found;
  const tokens = await readTokens(quorum, account.address, {
    contract: transfer.contract,
    reached: underWay?.readTo,
  });
  if (tokens === null)
    return `has an unknown amount of ${reference}, whose contract does not say it`;
  const promised = (underWay?.payments ?? [])
    .filter((one) => one.assetReference === reference)
    .reduce((sum, { units }) => sum + units, 0n);
  if (tokens < transfer.units + promised) {
    const others = promised > 0n ? ` beside ${promised} units of payouts under way` : "";
    return `has too little ${reference}${others}`;
  }
  const { isGood, energy } = await tryTransfer(quorum, account.address, transfer);
  if (!isGood) return { state: "rejected", why: "the transfer would fail: it is reverted" };
  const limit = feeLimitOf(energy, prices);
  if (limit > feeMax) {
    return `would burn up to ${limit} sun for energy, above the limit of ${feeMax}`;
  }
  const burnt = limit > spare.covered ? limit - spare.covered : 0n;
  const fee = burnt + bytesCost({ prices, resources: spare });
  return spare.coins < fee
    ? `has ${resources.coins} sun and ${resources.energy} energy, and a fee of up to ${fee} sun is needed${wordsOf(found)}`
    : { state: "clear" };
}
