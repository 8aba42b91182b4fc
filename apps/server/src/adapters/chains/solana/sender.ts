import type { ChainSend, SignedTransaction } from "../../../domain/ports/chain-gateway.ts";
import type {
  DeadlineSender,
  FeeTerms,
  SignedRelease,
} from "../../../domain/ports/chain-sender.ts";
import { feeAt } from "../../../domain/wallets/solana-message.ts";
import { tokenFeeAt } from "../../../domain/wallets/solana-token-message.ts";
import { checkWithSigner, signedBy, wordsOfRelease } from "../ask-to-sign.ts";
import { broadcastToAll } from "../broadcast.ts";
import { sendTo } from "./broadcast.ts";
import { openSolanaQuorum, type SolanaEndpointsOptions } from "./endpoints.ts";
import { followSend } from "./follow.ts";
import { preflightOf } from "./preflight.ts";
import { readTerms, signerTermsOf } from "./terms.ts";
import { paymentOfSend, requireSend, type TokenOf } from "./transaction.ts";

export interface SolanaSenderOptions {
  readonly endpoints: SolanaEndpointsOptions;
  readonly wallet: { readonly name: string; readonly address: string };
  readonly signerSocket: string;
  /** In lamports. */
  readonly feeMax: bigint;
  /** The least price of a compute unit, in millionths of a lamport. */
  readonly unitPriceMin: bigint;
  /** The least time between two transactions of a payout. */
  readonly expirationSeconds: number;
  readonly graceBlocks: number;
  readonly tokenOf: TokenOf;
  /** The lamports that payouts of SOL leave in the wallet for the fees and the rent of tokens. */
  readonly gasFloor: bigint;
  readonly pollMs: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Sends from one hot wallet of Solana. The signer holds its key. */
export function makeSolanaSender(options: SolanaSenderOptions): DeadlineSender {
  const { endpoints, wallet, tokenOf, signerSocket } = options;
  const { address } = wallet;
  const quorum = openSolanaQuorum(endpoints);
  return {
    networkCode: endpoints.networkCode,
    wallet,
    countsUnderWay: true,
    preflight: (payment, underWay) =>
      preflightOf({ ...options, quorum, address, underWay }, payment),
    check: (release) => checkWithSigner(signerSocket, release),
    feeTerms: (send) => {
      const isToken = tokenOf(paymentOfSend(send).assetReference) !== null;
      return readTerms(quorum, { ...options, feeAt: isToken ? tokenFeeAt : feeAt }, send);
    },
    deadlineOf: ({ reference = "", expiration }) => ({ reference, expiration: Number(expiration) }),
    sign: async (send, terms, [release]) => {
      const signed = await sign(options, { send, terms, release });
      requireSend(signed, send, { from: address, tokenOf });
      return signed;
    },
    broadcast: (transaction) => broadcastToAll(quorum, transaction, sendTo),
    follow: (send, signed, facts) => followSend({ quorum, ...options }, send, { signed, ...facts }),
    close: () => quorum.close(),
  };
}

async function sign(
  options: SolanaSenderOptions,
  {
    send,
    terms,
    release,
  }: {
    readonly send: ChainSend;
    readonly terms: FeeTerms;
    readonly release: SignedRelease | undefined;
  },
): Promise<SignedTransaction> {
  if (release === undefined) {
    throw new Error(`send ${send.id} is not a payout, and Solana makes no others`);
  }
  return signedBy(options, {
    op: "pay_solana",
    release: wordsOfRelease(release),
    terms: signerTermsOf(terms),
  });
}
