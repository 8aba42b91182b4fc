import { hex } from "@scure/base";
import { Transaction } from "@scure/btc-signer";
import type { ChainSend, SignedTransaction } from "../../../domain/ports/chain-gateway.ts";
import { type SignedRelease } from "../../../domain/ports/chain-sender.ts";
import type { CoinSender, ConsolidationRules } from "../../../domain/ports/coin-sender.ts";
import type { CoinPlan } from "../../../signer/protocol.ts";
import { checkWithSigner, otherBytes, signedBy, wordsOfRelease } from "../ask-to-sign.ts";
import { broadcastToAll } from "../broadcast.ts";
import { AnswerTooLong, type Rpc, RpcRefusal } from "../rpc.ts";
import {
  costOf,
  dustOf,
  type PlanRules,
  planOf,
  planOfTerms,
  scriptOf,
  termsOfPlan,
} from "./coin-plan.ts";
import { type FeeLimits, readFeeRate } from "./fees.ts";
import { childOf, replacementOf, weigh } from "./raise-plan.ts";
import { askOrNothing } from "./read-span.ts";
import { type CoinReaderOptions, openCoinQuorum } from "./reader.ts";

export interface CoinSenderOptions {
  readonly endpoints: CoinReaderOptions;
  readonly wallet: CoinSender["wallet"];
  readonly rules: PlanRules;
  /** Returns whether a script is one of the hot wallet's. */
  readonly isOwn: (script: string) => boolean;
  readonly limits: FeeLimits;
  readonly raising: CoinSender["raising"];
  readonly batch: CoinSender["batch"];
  readonly consolidation?: ConsolidationRules | undefined;
  readonly signerSocket: string;
  readonly pollMs: number;
  readonly payoutDepth?: number;
}

/** Sends from one hot wallet of a network of the Bitcoin family. The signer holds its key. */
export function makeCoinSender(options: CoinSenderOptions): CoinSender {
  const { endpoints, wallet, rules, limits, pollMs, signerSocket } = options;
  const { networkCode } = endpoints;
  const quorum = openCoinQuorum(endpoints);
  return {
    networkCode,
    wallet,
    pollMs,
    ...(options.payoutDepth !== undefined && { payoutDepth: options.payoutDepth }),
    raising: options.raising,
    batch: options.batch,
    ...(options.consolidation && { consolidation: options.consolidation }),
    weigh,
    replacementOf: (stuck, rate) => replacementOf(stuck, rate, rules),
    childOf: (newest, raise) => childOf(newest, raise, rules),
    refusalOf: ({ address, units }) => {
      const script = scriptOf(address, rules.prefixes);
      // The books would have a payment, and the chain none.
      if (options.isOwn(hex.encode(script))) return "the address is one of our own hot wallet";
      const least = dustOf(script, rules.dust);
      return units < least ? `nodes relay no output below ${least} units` : undefined;
    },
    check: (release) => checkWithSigner(signerSocket, release),
    feeRate: () => readFeeRate(quorum, limits),
    costOf: (send, rate) => costOf(send, rate, rules),
    termsOf: (send, rate) => termsOfPlan(planOf(send, { coins: coinsOf(send), rate }, rules), rate),
    sign: async (send, terms, releases) => {
      const plan = planOfTerms(terms);
      const signed = await signAs(options, send.purpose, { plan, releases });
      requireSend(signed, { send, plan, rules });
      return signed;
    },
    broadcast: (transaction) => broadcastToAll(quorum, transaction, sendTo),
    isKnown: async (hash) => {
      const ask = async (rpc: Rpc) =>
        (await askOrNothing(rpc, ["getmempoolentry", hash])) !== undefined;
      const answers = await quorum.collect({ what: `transaction ${hash}`, ask });
      return answers.filter(({ value }) => value).length >= endpoints.quorum;
    },
    close: () => quorum.close(),
  };
}

const UNKNOWN_ALLOWED = { allowUnknownOutputs: true };

function coinsOf({ id, place }: ChainSend) {
  if (place?.kind !== "coins") throw new Error(`send ${id} has taken no coins`);
  return place.coins;
}

/** Asks the signer in the words of the purpose. */
function signAs(
  options: CoinSenderOptions,
  purpose: ChainSend["purpose"],
  { plan, releases }: { readonly plan: CoinPlan; readonly releases: readonly SignedRelease[] },
): Promise<SignedTransaction> {
  const wallet = options.wallet.name;
  if (purpose === "raise") {
    return signedBy(options, { op: "raise_coins", wallet, ...raisedBy(plan) });
  }
  if (purpose === "rebalance") {
    const { inputs } = plan;
    const change = changeOf(plan);
    return signedBy(options, { op: "consolidate_coins", wallet, inputs, change });
  }
  return signedBy(options, { op: "pay_coins", releases: releases.map(wordsOfRelease), plan });
}

function raisedBy(plan: CoinPlan) {
  const [input] = plan.inputs;
  if (!input) throw new Error("a raise moves one coin to change");
  const { branch: _change, ...coin } = input;
  return { coin, change: changeOf(plan) };
}

function changeOf({ change }: CoinPlan) {
  if (!change) throw new Error("a transaction without payments has change");
  const { units, index } = change;
  return { units, index };
}

/** The signer decides by its own files, so its answer is compared with ours before it is stored. */
function requireSend(
  { transactionHash, bytes }: SignedTransaction,
  { send, plan, rules }: { readonly send: ChainSend; readonly plan: CoinPlan; rules: PlanRules },
): void {
  const decoded = Transaction.fromRaw(bytes, UNKNOWN_ALLOWED);
  const inputs = Array.from({ length: decoded.inputsLength }, (_, at) => {
    const { txid, index } = decoded.getInput(at);
    return `${txid ? hex.encode(txid) : ""}:${index}`;
  });
  const payments = send.outputs.map(
    ({ address, units }) => `${hex.encode(scriptOf(address, rules.prefixes))} ${units}`,
  );
  const outputs = Array.from({ length: decoded.outputsLength }, (_, at) => {
    const { script, amount } = decoded.getOutput(at);
    // The signer derives the script of the change, which only the wallet's key opens.
    const isChange = plan.change?.position === at && String(amount) === plan.change.units;
    return isChange ? "change" : `${script ? hex.encode(script) : ""} ${amount}`;
  }).filter((one) => one !== "change");
  const isSame =
    decoded.id === transactionHash &&
    inputs.join() ===
      coinsOf(send)
        .map(({ outpoint }) => outpoint)
        .join() &&
    outputs.join() === payments.join() &&
    decoded.outputsLength === payments.length + (plan.change === null ? 0 : 1);
  if (isSame) return;
  throw otherBytes(transactionHash, send.id);
}

/** The errors that mean that a transaction is already pending or mined. `follow` finds out which. */
const IS_KNOWN = /already in (block ?chain|mempool|utxo set)|already[- ]known|txn-already/i;

/** Sends the bytes to one node. Returns the words of an unexpected refusal. */
async function sendTo(rpc: Rpc, bytes: Uint8Array): Promise<string | undefined> {
  try {
    await rpc.ask([["sendrawtransaction", Buffer.from(bytes).toString("hex")]]);
    return undefined;
  } catch (error) {
    if (!(error instanceof RpcRefusal || error instanceof AnswerTooLong)) throw error;
    return IS_KNOWN.test(error.message) ? undefined : error.message;
  }
}
