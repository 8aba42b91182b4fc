import type { ChainSend, SignedTransaction } from "../../../domain/ports/chain-gateway.ts";
import type {
  DeadlineSender,
  FeeTerms,
  SignedRelease,
} from "../../../domain/ports/chain-sender.ts";
import { feeAt } from "../../../domain/wallets/solana-message.ts";
import type { SignedAnswer } from "../../../signer/protocol.ts";
import { askToSign, checkWithSigner } from "../ask-to-sign.ts";
import { broadcastToAll } from "./broadcast.ts";
import { openSolana, type SolanaEndpointsOptions } from "./endpoints.ts";
import { followSend } from "./follow.ts";
import { preflightOf } from "./preflight.ts";
import { readTerms, signerTermsOf } from "./terms.ts";
import { requireSend } from "./transaction.ts";

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
  readonly pollMs: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Sends from one hot wallet of Solana. The signer holds its key. */
export function makeSolanaSender(options: SolanaSenderOptions): DeadlineSender {
  const { endpoints, wallet, feeMax, pollMs, signerSocket } = options;
  const { address } = wallet;
  const quorum = openSolana(endpoints);
  return {
    networkCode: endpoints.networkCode,
    wallet,
    countsUnderWay: true,
    preflight: (payment, underWay) =>
      preflightOf({ quorum, address, feeMax, pollMs, underWay }, payment),
    check: (release) => checkWithSigner(signerSocket, release),
    feeTerms: (send) => readTerms(quorum, { ...options, feeAt }, send),
    deadlineOf: ({ reference = "", expiration }) => ({ reference, expiration: Number(expiration) }),
    sign: async (send, terms, [release]) => {
      const signed = await sign(options, { send, terms, release });
      requireSend(signed, send, address);
      return signed;
    },
    broadcast: (transaction) => broadcastToAll(quorum, transaction),
    follow: (send, signed, facts) => followSend({ quorum, ...options }, send, { signed, ...facts }),
    close: () => quorum.close(),
  };
}

async function sign(
  { endpoints: { networkCode }, signerSocket }: SolanaSenderOptions,
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
  const { hash, bytes } = await askToSign<SignedAnswer>(signerSocket, {
    op: "pay_solana",
    release: { ...release, approvals: [...release.approvals] },
    terms: signerTermsOf(terms),
  });
  return { networkCode, transactionHash: hash, bytes: Buffer.from(bytes, "hex") };
}
