import type { ChainSend, SignedTransaction } from "../../../domain/ports/chain-gateway.ts";
import {
  type ChainSender,
  type FeeTerms,
  FeeTooHigh,
  type SignedRelease,
  type WalletPlaces,
} from "../../../domain/ports/chain-sender.ts";
import type { Quorum } from "../agree.ts";
import { checkWithSigner, nextInLog, signedBy, wordsOfRelease } from "../ask-to-sign.ts";
import { broadcastToAll } from "../broadcast.ts";
import type { Rpc } from "../rpc.ts";
import { accountsAt, readAccount } from "./accounts.ts";
import { sendTo } from "./broadcast.ts";
import { openXrpQuorum, type XrpEndpointsOptions } from "./endpoints.ts";
import { readMiddlePrices } from "./fees.ts";
import { followSend } from "./follow.ts";
import { nameOfLedger, readXrpHeads } from "./ledgers.ts";
import { preflightOf } from "./preflight.ts";
import { readXrp, requireSend, type XrpAccountFacts } from "./transaction.ts";

export interface XrpSenderOptions {
  readonly endpoints: XrpEndpointsOptions;
  readonly wallet: { readonly name: string; readonly address: string };
  readonly signerSocket: string;
  /** In drops. */
  readonly feeMax: bigint;
  readonly floor: bigint;
  /** The ledgers for which a transaction may wait. */
  readonly ledgers: number;
  readonly pollMs: number;
}

/**
 * Sends from the one account on the XRP Ledger. The signer holds its key. The place of a send is a sequence of the account,
 * as an EVM account has a nonce, and each of its transactions expires.
 */
export function makeXrpSender(options: XrpSenderOptions): ChainSender {
  const { endpoints, wallet, feeMax, floor, pollMs, signerSocket } = options;
  const { networkCode, networkId } = endpoints;
  const quorum = openXrpQuorum(endpoints);
  const account: XrpAccountFacts = { networkId, address: wallet.address };
  return {
    networkCode,
    wallet,
    countsUnderWay: true,
    preflight: (payment, underWay) =>
      preflightOf({ quorum, account, feeMax, floor, pollMs, underWay }, payment),
    check: (release) => checkWithSigner(signerSocket, release),
    feeTerms: (_send, stuck) => readTerms(quorum, options, stuck),
    sign: async (send, terms, [release]) => {
      const signed = await sign(options, { send, terms, release });
      const lastLedger = Number(terms["lastLedger"]);
      requireSend(signed, { send, fee: BigInt(terms["fee"] ?? 0), lastLedger }, account);
      return signed;
    },
    broadcast: (transaction) => broadcastToAll(quorum, transaction, sendTo),
    follow: (send, signed) => followSend({ quorum, endpoints, account, pollMs }, send, signed),
    places: () => readPlaces(quorum, options),
    close: () => quorum.close(),
  };
}

/** Returns the present fee, and the last ledger: later than that of the transaction which expired. */
async function readTerms(
  quorum: Quorum,
  { endpoints, feeMax, ledgers }: XrpSenderOptions,
  stuck: SignedTransaction | undefined,
): Promise<FeeTerms> {
  const { fee } = await readMiddlePrices(quorum);
  if (fee > feeMax) {
    throw new FeeTooHigh(`a transaction may cost ${fee} drops, above the limit of ${feeMax}`);
  }
  const { believed } = await readXrpHeads(quorum, endpoints);
  const last = Number(believed) + ledgers;
  const before = stuck && readXrp(stuck, endpoints);
  if (before && before.lastLedger >= last) {
    throw new Error(
      `transaction ${before.hash} has not expired: ledger ${before.lastLedger} may have it`,
    );
  }
  return { fee: String(fee), lastLedger: String(last) };
}

async function sign(
  options: XrpSenderOptions,
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
  if (send.place?.kind !== "nonce") throw new Error(`send ${send.id} has no sequence`);
  const { fee = "", lastLedger = "" } = terms;
  const signingTerms = { fee, lastLedger: Number(lastLedger) };
  return signedBy(
    options,
    release === undefined
      ? {
          op: "cancel_xrp",
          from: options.wallet.name,
          sequence: Number(send.place.nonce),
          terms: signingTerms,
        }
      : {
          op: "pay_xrp",
          release: wordsOfRelease(release),
          terms: signingTerms,
        },
  );
}

/** The next place is after all transactions that an endpoint's open ledger or the signer's log has. */
async function readPlaces(
  quorum: Quorum,
  { endpoints, wallet, signerSocket }: XrpSenderOptions,
): Promise<WalletPlaces> {
  const { networkCode } = endpoints;
  const { final } = await readXrpHeads(quorum, endpoints);
  if (final === undefined) throw new Error(`${networkCode} has no final ledger yet`);
  const block = await nameOfLedger(quorum, final);
  const [found] = await accountsAt(quorum, block, [wallet.address]);
  if (!found) {
    throw new Error(
      `${wallet.address} does not exist on ${networkCode}. Fund it with at least the ledger's reserve`,
    );
  }
  const ask = async (rpc: Rpc): Promise<bigint> =>
    (await readAccount(rpc, wallet.address, { ledger_index: "current" }))?.sequence ?? 0n;
  const open = await quorum.collect({ what: `the account ${wallet.address}`, ask });
  const signed = await nextInLog(signerSocket, wallet.name);
  const next = [signed, ...open.map(({ value }) => value)].reduce((high, one) =>
    one > high ? one : high,
  );
  return { final: found.sequence, next };
}
