import type {
  ChainPayment,
  ChainSend,
  Preflight,
  SignedTransaction,
} from "../../../domain/ports/chain-gateway.ts";
import {
  type ChainSender,
  type FeeTerms,
  type SignedRelease,
} from "../../../domain/ports/chain-sender.ts";
import type { GasTerms } from "../../../signer/protocol.ts";
import { checkWithSigner, nextInLog, signedBy, wordsOfRelease } from "../ask-to-sign.ts";
import { broadcastToAll } from "../broadcast.ts";
import { sendTo } from "./broadcast.ts";
import { type EvmEndpointsOptions, openEvmQuorum } from "./endpoints.ts";
import { type FeeLimits, pricesFor, readMarket, termsOf } from "./fees.ts";
import { makeFollow } from "./follow.ts";
import { readPlaces } from "./places.ts";
import { estimateGas, payableLimits, preflightOf } from "./preflight.ts";
import { readHeads } from "./reader.ts";
import { type EvmAccountFacts, gasOf, requireSend, transferOfSend } from "./transaction.ts";

export interface EvmSenderOptions {
  readonly endpoints: EvmEndpointsOptions;
  readonly wallet: { readonly name: string; readonly address: string };
  /** Returns the contract of a token, and null for the network's own coin. */
  readonly contractOf: (assetReference: string) => string | null;
  readonly signerSocket: string;
  readonly limits: FeeLimits;
  /** The coins that payouts of the network's own coin leave in the wallet, for the fees of tokens. */
  readonly gasFloor: bigint;
  readonly pollMs: number;
  /** The blocks after which a payout is paid, its own included. Absent where it waits until it is final. */
  readonly payoutDepth?: number;
}

/** Sends from one hot wallet of an EVM network. The signer holds its key. */
export function makeEvmSender(options: EvmSenderOptions): ChainSender {
  const { endpoints, wallet, contractOf, limits, gasFloor, pollMs, signerSocket } = options;
  const { networkCode, chainId } = endpoints;
  const quorum = openEvmQuorum(endpoints);
  const account: EvmAccountFacts = { chainId, address: wallet.address, contractOf };
  const follow = makeFollow({ ...options, quorum });
  return {
    networkCode,
    wallet,
    preflight: (payment: ChainPayment): Promise<Preflight> =>
      preflightOf({ quorum, account, limits, gasFloor, pollMs }, payment),
    check: (release) => checkWithSigner(signerSocket, release),
    feeTerms: async (send: ChainSend, stuck?: SignedTransaction): Promise<FeeTerms> => {
      const market = await readMarket(quorum);
      const payable = await payableLimits(quorum, account, { send, limits });
      if (stuck) {
        const { gasLimit, ...before } = gasOf(stuck);
        return termsOf(gasLimit, pricesFor(market, payable, { gasLimit, before }));
      }
      const gasLimit = await estimateGas(quorum, account.address, transferOfSend(send, account));
      return termsOf(gasLimit, pricesFor(market, payable, { gasLimit }));
    },
    sign: async (send, terms, [release]) => {
      const signed = await sign(options, { send, terms, release });
      requireSend(signed, send, account);
      return signed;
    },
    broadcast: (transaction) => broadcastToAll(quorum, transaction, sendTo),
    follow: (send, signed) => follow(account, send, signed),
    places: async () => {
      const { final } = await readHeads(quorum, endpoints);
      if (final === undefined) throw new Error(`${networkCode} has no final block yet`);
      const places = await readPlaces(quorum, wallet.address, final);
      const signed = await nextInLog(signerSocket, wallet.name);
      return { ...places, next: signed > places.next ? signed : places.next };
    },
    close: () => quorum.close(),
  };
}

async function sign(
  options: EvmSenderOptions,
  request: {
    readonly send: ChainSend;
    readonly terms: FeeTerms;
    readonly release: SignedRelease | undefined;
  },
): Promise<SignedTransaction> {
  const { send, terms, release } = request;
  if (send.place?.kind !== "nonce") throw new Error(`send ${send.id} has no nonce to sign with`);
  const gas = terms as unknown as GasTerms;
  const nonce = String(send.place.nonce);
  const signed = await signedBy(
    options,
    release === undefined
      ? { op: "cancel", from: options.wallet.name, nonce, gas }
      : { op: "pay", release: wordsOfRelease(release), gas },
  );
  return { ...signed, transactionHash: `0x${signed.transactionHash}` };
}
