import type { AccountReader, WatchedAsset } from "../../../domain/ports/chain-reader.ts";
import { Disagreement } from "../../../domain/ports/chain-reader.ts";
import {
  type ChainSweeper,
  COIN_GAS,
  type OwnMove,
  type SweepAccount,
} from "../../../domain/ports/chain-sweeper.ts";
import type { GasTerms, SignedAnswer } from "../../../signer/protocol.ts";
import { askToSign } from "../ask-to-sign.ts";
import { broadcastToAll } from "./broadcast.ts";
import { type EvmEndpointsOptions, openQuorum } from "./endpoints.ts";
import { type FeeLimits, readMarket, termsOf } from "./fees.ts";
import { makeFollow } from "./follow.ts";
import { type EvmAccountFacts, requireSend } from "./transaction.ts";

export interface EvmSweeperOptions {
  readonly endpoints: EvmEndpointsOptions;
  readonly reader: AccountReader;
  readonly hot: SweepAccount;
  /** The name of the deposit addresses in the signer's policy. */
  readonly depositsWallet: string;
  readonly assetOf: (assetId: number) => WatchedAsset;
  /** Returns the contract of a token, and null for the network's own coin. */
  readonly contractOf: (assetReference: string) => string | null;
  readonly signerSocket: string;
  readonly limits: FeeLimits;
  readonly pollMs: number;
}

/** Enough for the listed tokens. A token's own estimate could burn the gas of every sweep. */
const TOKEN_GAS = 75_000n;

/** Sweeps the deposit addresses of an EVM network, and tops them up from the hot wallet. */
export function makeEvmSweeper(options: EvmSweeperOptions): ChainSweeper {
  const { endpoints, reader, hot, depositsWallet, assetOf, contractOf } = options;
  const quorum = openQuorum(endpoints);
  const factsOf = ({ from }: OwnMove): EvmAccountFacts => ({
    chainId: endpoints.chainId,
    address: from.address,
    contractOf,
  });
  return {
    networkCode: endpoints.networkCode,
    hot,
    depositAccount: (keyIndex) => `${depositsWallet}/${keyIndex}`,
    market: () => readMarket(quorum),
    gasLimitOf: (assetId) => (assetOf(assetId).contract === null ? COIN_GAS : TOKEN_GAS),
    termsOf: (gasLimit, gasPrice) =>
      termsOf(gasLimit, { maxFeePerGas: gasPrice, maxPriorityFeePerGas: gasPrice }),
    holdingOf: async (address, assetId) => {
      const { final } = await reader.heads();
      if (final === undefined) throw new Disagreement("no block is final yet");
      const block = await reader.nameOf(final);
      const coin = { assetId, contract: null };
      const places = [assetOf(assetId), coin].map((asset) => ({ address, asset }));
      const [units = 0n, coins = 0n] = await reader.balancesAt(block, places);
      const [usedPlaces = 0n] = await reader.usedPlacesAt(block, [address]);
      return { units, coins, usedPlaces };
    },
    sign: async (move, terms) => {
      const signed = await sign(options, move, terms as unknown as GasTerms);
      requireSend(signed, move.send, factsOf(move));
      return signed;
    },
    broadcast: (transaction) => broadcastToAll(quorum, transaction),
    follow: (move, signed) => {
      const { limits, pollMs } = options;
      // A sweep is not raised: what it moves and its fee are all that the address has.
      const account = factsOf(move);
      const follow = makeFollow({ quorum, endpoints, account, limits, pollMs, raisesMax: 0 });
      return follow(move.send, signed);
    },
    close: async () => {
      await Promise.all([quorum.close(), reader.close()]);
    },
  };
}

async function sign(
  { endpoints: { networkCode }, signerSocket }: EvmSweeperOptions,
  { send, from, to }: OwnMove,
  gas: GasTerms,
) {
  const [output] = send.outputs;
  if (!output || send.place?.kind !== "nonce") throw new Error(`send ${send.id} is not a sweep`);
  const answer = await askToSign<SignedAnswer>(signerSocket, {
    op: "sweep",
    from: from.name,
    to: to.name,
    asset: output.assetReference,
    units: String(output.units),
    nonce: String(send.place.nonce),
    gas,
  });
  const transactionHash = `0x${answer.hash}`;
  return { networkCode, transactionHash, bytes: Buffer.from(answer.bytes, "hex") };
}
