import type { ChainSend } from "../../../domain/ports/chain-gateway.ts";
import { Disagreement } from "../../../domain/ports/chain-reader.ts";
import type { FeeTerms } from "../../../domain/ports/chain-sender.ts";
import type {
  ChainSweeper,
  FinalHolding,
  OwnMove,
  SweepAccount,
  SweepCosts,
} from "../../../domain/ports/chain-sweeper.ts";
import type { Quorum } from "../agree.ts";
import { signedBy, wordsOfMove } from "../ask-to-sign.ts";
import { broadcastToAll } from "../broadcast.ts";
import { openEvmQuorum } from "../evm/endpoints.ts";
import { sendTo } from "./broadcast.ts";
import { feeLimitOf, readPrices, type TronPrices } from "./fees.ts";
import { followSend } from "./follow.ts";
import { bytesCost } from "./preflight.ts";
import {
  readRecipient,
  readResources,
  readTokens,
  type TronResources,
  tryTransfer,
} from "./resources.ts";
import { makeTronRpc } from "./rpc.ts";
import { readDeadline, readFeeLimit, type TronSenderOptions, termsOf } from "./sender.ts";
import { requireSend, type TronAccountFacts } from "./transaction.ts";

export interface TronSweeperOptions extends Omit<TronSenderOptions, "wallet" | "gasFloor"> {
  readonly hot: SweepAccount;
  /** The name of the deposit addresses in the signer's policy. */
  readonly depositsWallet: string | undefined;
  /** Returns the contract of a token, and null for TRX. */
  readonly contractOfId: (assetId: number) => string | null;
}

/** The energy of a usual transfer of Tether. It decides which coins are looked at, and no more. */
const USUAL_ENERGY = 65_000n;

/**
 * Sweeps the deposit addresses of Tron, and tops them up. A transaction has a deadline, which is set when the signer is
 * asked, and is never replaced (docs/decisions/0075-pay-on-tron-by-deadlines.md).
 */
export function makeTronSweeper(options: TronSweeperOptions): ChainSweeper {
  const { endpoints, hot, depositsWallet, contractOf, contractOfId, feeMax } = options;
  const quorum = openEvmQuorum(endpoints, makeTronRpc);
  const accountOf = ({ from }: OwnMove): TronAccountFacts => ({
    address: from.address,
    contractOf,
  });
  return {
    networkCode: endpoints.networkCode,
    hot,
    funder: hot,
    depositAccount: (keyIndex) => depositsWallet && `${depositsWallet}/${keyIndex}`,
    market: async () => {
      const prices = await readPrices(quorum);
      return { costsOf: (assetId) => usualCosts(prices, contractOfId(assetId)) };
    },
    termsOf: () => null,
    topUpOffer: async (to) => ({ fee: await readTopUpFee(quorum, hot.address, to), terms: null }),
    deadlineTerms: async (move): Promise<FeeTerms> => {
      const { send } = move;
      const limited = { send, account: accountOf(move), feeMax };
      const feeLimit = await readFeeLimit(quorum, limited);
      return { ...(await readDeadline(quorum, options, send)), feeLimit: String(feeLimit) };
    },
    holdingOf: (address, assetId) =>
      readHolding(quorum, { address, hot: hot.address, contract: contractOfId(assetId) }),
    sign: async (move, terms) => {
      const signed = await signedBy(options, {
        op: "sweep_tron",
        ...wordsOfMove(move),
        terms: termsOf(terms),
      });
      requireSend(signed, withDeadline(move.send, terms), accountOf(move));
      return signed;
    },
    broadcast: (transaction) => broadcastToAll(quorum, transaction, sendTo),
    follow: (move, signed, { finalHeight }) =>
      followSend({ quorum, account: accountOf(move), ...options }, move.send, {
        signed,
        finalHeight,
      }),
    close: () => quorum.close(),
  };
}

function usualCosts(prices: TronPrices, contract: string | null): SweepCosts {
  const burnt = contract === null ? 0n : USUAL_ENERGY * prices.energy;
  return { offered: burnt, least: burnt, topUp: prices.newAccount };
}

/** Returns what a top-up costs at most. The first TRX make an account of the address. */
async function readTopUpFee(quorum: Quorum, hot: string, to: string): Promise<bigint> {
  const prices = await readPrices(quorum);
  const resources = await readResources(quorum, hot);
  const isNew = (await readRecipient(quorum, to)) === "none";
  return bytesCost({ prices, resources }) + (isNew ? prices.newAccount : 0n);
}

interface DepositPlace {
  readonly address: string;
  readonly hot: string;
  readonly contract: string | null;
}

/** Each address has bandwidth of its own that costs nothing, and a call needs as much energy as a trial of it. */
async function readHolding(quorum: Quorum, place: DepositPlace): Promise<FinalHolding> {
  const prices = await readPrices(quorum);
  const resources = await readResources(quorum, place.address);
  const { coins } = resources;
  const bytes = bytesCost({ prices, resources });
  if (place.contract === null) {
    const costs = { offered: bytes, least: bytes, topUp: 0n };
    return { units: coins, coins, usedPlaces: null, costs };
  }
  const { units, costs } = await readTokenCosts(
    quorum,
    { ...place, contract: place.contract },
    { prices, resources },
  );
  return { units, coins, usedPlaces: null, costs };
}

async function readTokenCosts(
  quorum: Quorum,
  { address, hot, contract }: DepositPlace & { readonly contract: string },
  { prices, resources }: { readonly prices: TronPrices; readonly resources: TronResources },
): Promise<{ readonly units: bigint; readonly costs: SweepCosts }> {
  const units = await readTokens(quorum, address, { contract });
  if (units === null) throw new Disagreement(`${contract} does not say its balance at ${address}`);
  const { isGood, energy } = await tryTransfer(quorum, address, { to: hot, contract, units });
  if (!isGood) throw new Error(`a transfer of ${contract} from ${address} would be reverted`);
  const bytes = bytesCost({ prices, resources });
  const covered = resources.energy * prices.energy;
  const burnt = (limit: bigint): bigint => (limit > covered ? limit - covered : 0n) + bytes;
  const topUp = bytes + (resources.coins === 0n ? prices.newAccount : 0n);
  const offered = burnt(feeLimitOf(energy, prices));
  return { units, costs: { offered, least: burnt(energy * prices.energy), topUp } };
}

/** The deadline of a send is in its stored terms. */
const withDeadline = (send: ChainSend, terms: FeeTerms): ChainSend => {
  const { reference, expiration } = termsOf(terms);
  return { ...send, place: { kind: "until", reference, expiration, after: null } };
};
