import type { SignedTransaction } from "../../../domain/ports/chain-gateway.ts";
import type { AccountReader, WatchedAsset } from "../../../domain/ports/chain-reader.ts";
import { Disagreement } from "../../../domain/ports/chain-reader.ts";
import type {
  ChainSweeper,
  OwnMove,
  SweepAccount,
  SweepMarket,
} from "../../../domain/ports/chain-sweeper.ts";
import type { GasTerms } from "../../../signer/protocol.ts";
import { signedBy, wordsOfMove } from "../ask-to-sign.ts";
import { broadcastToAll } from "../broadcast.ts";
import { sendTo } from "./broadcast.ts";
import { type EvmEndpointsOptions, openEvmQuorum } from "./endpoints.ts";
import {
  COIN_GAS,
  type FeeLimits,
  type GasMarket,
  pricesFor,
  readMarket,
  sweepCosts,
  termsOf,
} from "./fees.ts";
import { makeFollow } from "./follow.ts";
import { type EvmAccountFacts, gasOf, requireSend } from "./transaction.ts";

export interface EvmSweeperOptions {
  readonly endpoints: EvmEndpointsOptions;
  readonly reader: AccountReader;
  readonly hot: SweepAccount;
  /** The wallet that brings coins to deposit addresses. */
  readonly funder: SweepAccount;
  /** The name of the deposit addresses in the signer's policy. */
  readonly depositsWallet: string | undefined;
  readonly assetOf: (assetId: number) => WatchedAsset;
  /** Returns the contract of a token, and null for the network's own coin. */
  readonly contractOf: (assetReference: string) => string | null;
  readonly signerSocket: string;
  readonly limits: FeeLimits;
  readonly pollMs: number;
}

/** Enough for the listed tokens. A token's own estimate could burn the gas of every sweep. */
const TOKEN_GAS = 75_000n;

/** Sweeps the deposit addresses of an EVM network, and tops them up. */
export function makeEvmSweeper(options: EvmSweeperOptions): ChainSweeper {
  const { endpoints, reader, hot, funder, depositsWallet, assetOf, contractOf } = options;
  const { limits, pollMs } = options;
  const quorum = openEvmQuorum(endpoints);
  const follow = makeFollow({ quorum, endpoints, limits, pollMs });
  const factsOf = ({ from }: OwnMove): EvmAccountFacts => ({
    chainId: endpoints.chainId,
    address: from.address,
    contractOf,
  });
  const gasLimitOf = (assetId: number, before?: SignedTransaction): bigint => {
    if (before) return gasOf(before).gasLimit;
    return assetOf(assetId).contract === null ? COIN_GAS : TOKEN_GAS;
  };
  return {
    networkCode: endpoints.networkCode,
    hot,
    funder,
    depositAccount: (keyIndex) => depositsWallet && `${depositsWallet}/${keyIndex}`,
    market: async () => marketOf(await readMarket(quorum), gasLimitOf),
    termsOf: (assetId, fee, before) => {
      const gasLimit = gasLimitOf(assetId, before);
      const price = fee / gasLimit;
      return termsOf(gasLimit, { maxFeePerGas: price, maxPriorityFeePerGas: price });
    },
    topUpOffer: async (_to, stuck) => {
      const priced = { gasLimit: COIN_GAS, before: stuck && gasOf(stuck) };
      const prices = pricesFor(await readMarket(quorum), limits, priced);
      return { fee: COIN_GAS * prices.maxFeePerGas, terms: termsOf(COIN_GAS, prices) };
    },
    holdingOf: async (address, assetId) => {
      const { final } = await reader.heads();
      if (final === undefined) throw new Disagreement("no block is final yet");
      const block = await reader.nameOf(final);
      const coin = { assetId, contract: null };
      const places = [assetOf(assetId), coin].map((asset) => ({ address, asset }));
      const [units, coins] = await reader.balancesAt(block, places);
      if (typeof units !== "bigint" || typeof coins !== "bigint") {
        throw new Disagreement(`asset ${assetId} does not say its balance at ${address}`);
      }
      const [usedPlaces = 0n] = await reader.usedPlacesAt(block, [address]);
      return { units, coins, usedPlaces };
    },
    sign: async (move, terms) => {
      const signed = await sign(options, move, terms as unknown as GasTerms);
      requireSend(signed, move.send, factsOf(move));
      return signed;
    },
    broadcast: (transaction) => broadcastToAll(quorum, transaction, sendTo),
    follow: (move, signed) => follow(factsOf(move), move.send, signed),
    close: async () => {
      await Promise.all([quorum.close(), reader.close()]);
    },
  };
}

/** Returns the costs of sweeps at the market's prices. */
const marketOf = (
  market: GasMarket,
  gasLimitOf: (assetId: number, before?: SignedTransaction) => bigint,
): SweepMarket => ({
  costsOf: (assetId, stuck) => {
    const before = stuck && gasOf(stuck).maxFeePerGas;
    return sweepCosts(market, { gasLimit: gasLimitOf(assetId, stuck), before });
  },
});

async function sign(options: EvmSweeperOptions, move: OwnMove, gas: GasTerms) {
  const { id, place } = move.send;
  if (place?.kind !== "nonce") throw new Error(`send ${id} is not a sweep`);
  const signed = await signedBy(options, {
    op: "sweep",
    ...wordsOfMove(move),
    nonce: String(place.nonce),
    gas,
  });
  return { ...signed, transactionHash: `0x${signed.transactionHash}` };
}
