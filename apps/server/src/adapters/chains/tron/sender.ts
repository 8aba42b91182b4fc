import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import type { ChainSend, SignedTransaction } from "../../../domain/ports/chain-gateway.ts";
import {
  type DeadlineSender,
  type FeeTerms,
  FeeTooHigh,
  type SignedRelease,
} from "../../../domain/ports/chain-sender.ts";
import type { TronTerms } from "../../../signer/protocol.ts";
import { middleOf, type Quorum } from "../agree.ts";
import { checkWithSigner, signedBy, wordsOfRelease } from "../ask-to-sign.ts";
import { broadcastToAll } from "../broadcast.ts";
import { type EvmEndpointsOptions, openEvmQuorum } from "../evm/endpoints.ts";
import { nameOf, readHeads } from "../evm/reader.ts";
import { sendTo } from "./broadcast.ts";
import { feeLimitOf, readPrices } from "./fees.ts";
import { followSend, readTime } from "./follow.ts";
import { preflightOf } from "./preflight.ts";
import { tryTransfer } from "./resources.ts";
import { makeTronRpc } from "./rpc.ts";
import { requireSend, type TronAccountFacts, transferOfSend } from "./transaction.ts";

export interface TronSenderOptions {
  readonly endpoints: EvmEndpointsOptions;
  readonly wallet: { readonly name: string; readonly address: string };
  /** Returns the contract of a token, and null for TRX. */
  readonly contractOf: (assetReference: string) => string | null;
  readonly signerSocket: string;
  /** In sun. */
  readonly feeMax: bigint;
  readonly gasFloor: bigint;
  /** The time from the newest block to the deadline of a transaction. */
  readonly expirationSeconds: number;
  readonly graceMs: number;
  readonly pollMs: number;
}

/** Sends from one hot wallet of Tron. The signer holds its key. */
export function makeTronSender(options: TronSenderOptions): DeadlineSender {
  const { endpoints, wallet, contractOf, feeMax, gasFloor, pollMs, signerSocket } = options;
  const quorum = openEvmQuorum(endpoints, makeTronRpc);
  const account: TronAccountFacts = { address: wallet.address, contractOf };
  return {
    networkCode: endpoints.networkCode,
    wallet,
    countsUnderWay: true,
    preflight: (payment, underWay) =>
      preflightOf({ quorum, account, feeMax, gasFloor, pollMs, underWay }, payment),
    check: (release) => checkWithSigner(signerSocket, release),
    feeTerms: async (send): Promise<FeeTerms> => {
      const feeLimit = await readFeeLimit(quorum, { send, account, feeMax });
      return { ...(await readDeadline(quorum, options, send)), feeLimit: String(feeLimit) };
    },
    deadlineOf: (stored) => {
      const { reference, expiration } = termsOf(stored);
      return { reference, expiration };
    },
    sign: async (send, terms, [release]) => {
      const signed = await sign(options, { send, terms: termsOf(terms), release });
      requireSend(signed, send, account);
      return signed;
    },
    broadcast: (transaction) => broadcastToAll(quorum, transaction, sendTo),
    follow: (send, signed, { finalHeight }) =>
      followSend({ quorum, account, ...options }, send, { signed, finalHeight }),
    close: () => quorum.close(),
  };
}

/** A send, the account that makes it, and the most that it may burn. */
interface LimitedSend {
  readonly send: ChainSend;
  readonly account: TronAccountFacts;
  readonly feeMax: bigint;
}

/** Returns the limit of what a call may burn, which is 0 for TRX. Throws `FeeTooHigh` above the operator's limit. */
export async function readFeeLimit(
  quorum: Quorum,
  { send, account, feeMax }: LimitedSend,
): Promise<bigint> {
  const { contract, ...transfer } = transferOfSend(send, account);
  if (contract === null) return 0n;
  const { isGood, energy } = await tryTransfer(quorum, account.address, { ...transfer, contract });
  if (!isGood) throw new Error(`the transfer of send ${send.id} would be reverted`);
  const limit = feeLimitOf(energy, await readPrices(quorum));
  if (limit <= feeMax) return limit;
  throw new FeeTooHigh(`a transaction may burn ${limit} sun, above the limit of ${feeMax}`);
}

const REFERENCE_HEIGHTS = 1n << 16n;
const SECOND_MS = 1_000;

/** A final block is in every branch, so a transaction that builds on it is valid in each. */
export async function readDeadline(
  quorum: Quorum,
  { endpoints, expirationSeconds }: Pick<TronSenderOptions, "endpoints" | "expirationSeconds">,
  { id }: ChainSend,
): Promise<FeeTerms> {
  const { final } = await readHeads(quorum, endpoints);
  if (final === undefined) throw new Error(`${endpoints.networkCode} has no final block yet`);
  const { hash } = await nameOf(quorum, final);
  const bytes = (final % REFERENCE_HEIGHTS).toString(16).padStart(4, "0");
  // Of the endpoints' answers the middle one counts, so that one endpoint sets no deadline.
  const times = await quorum.collect({
    what: "the time of the newest block",
    ask: async (rpc) => BigInt(await readTime(rpc, "latest")),
  });
  const timestamp = Number(middleOf(times.map(({ value }) => value)));
  // Two payments of one amount to one address at a time must not be one transaction.
  const [first = 0, second = 0] = sha256(utf8ToBytes(id));
  const own = (first * 256 + second) % SECOND_MS;
  return {
    reference: `${bytes}${hash.slice(18, 34)}`,
    timestamp: String(timestamp),
    expiration: String(timestamp + expirationSeconds * SECOND_MS + own),
  };
}

/** Stored terms are text. */
export const termsOf = ({
  reference = "",
  expiration,
  timestamp,
  feeLimit = "",
}: FeeTerms): TronTerms => ({
  reference,
  expiration: Number(expiration),
  timestamp: Number(timestamp),
  feeLimit,
});

async function sign(
  options: TronSenderOptions,
  {
    send,
    terms,
    release,
  }: {
    readonly send: ChainSend;
    readonly terms: TronTerms;
    readonly release: SignedRelease | undefined;
  },
): Promise<SignedTransaction> {
  if (release === undefined)
    throw new Error(`send ${send.id} is not a payout, and Tron makes no others`);
  return signedBy(options, {
    op: "pay_tron",
    release: wordsOfRelease(release),
    terms,
  });
}
