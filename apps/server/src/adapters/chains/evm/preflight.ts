import type { ChainPayment, ChainSend, Preflight } from "../../../domain/ports/chain-gateway.ts";
import type { Quorum } from "../agree.ts";
import { AnswerTooLong, type Rpc, RpcRefusal } from "../rpc.ts";
import { walletWaits } from "../wallet-wait.ts";
import { type FeeLimits, isAffordable, readMarket } from "./fees.ts";
import { BALANCE_OF } from "./logs.ts";
import {
  type EvmAccountFacts,
  type EvmTransfer,
  transferOf,
  transferOfSend,
} from "./transaction.ts";
import { hexOf, wordsOf } from "./words.ts";

/** More gas than this belongs to a recipient or token that does more than take coins. */
const GAS_MAX = 100_000n;
/** The answer of `balanceOf` of every ERC-20 token: one word of 32 bytes. */
const BALANCE = /^0x[0-9a-f]{64}$/i;
const GAS_MARGIN = { numerator: 5n, denominator: 4n };

export interface PreflightOptions {
  readonly quorum: Quorum;
  readonly account: EvmAccountFacts;
  readonly limits: FeeLimits;
  /** The coins that stay in the wallet for the fees of tokens. */
  readonly gasFloor: bigint;
  readonly pollMs: number;
}

/** Asks whether the transfer would succeed now, so that no nonce is spent on one that would not. */
export async function preflightOf(
  { quorum, account, limits, gasFloor, pollMs }: PreflightOptions,
  payment: ChainPayment,
): Promise<Preflight> {
  const contract = account.contractOf(payment.assetReference);
  const transfer = transferOf(contract, payment);
  const wait = (why: string): Preflight => walletWaits(why, pollMs);
  const holds = await holdingsOf(quorum, account.address, contract);
  if (!holds.hasContract) return { state: "rejected", why: "the token has no code" };
  if (holds.tokens === null) {
    return wait(`${payment.assetReference} does not say what the hot wallet has`);
  }
  const short = contract === null ? holds.coins < payment.units : holds.tokens < payment.units;
  if (short)
    return wait(`the hot wallet ${account.address} has too little ${payment.assetReference}`);
  const verdict = await tryCall(quorum, account.address, transfer);
  if (verdict !== "ok") return { state: "rejected", why: `the transfer would fail: ${verdict}` };
  const gas = await readGas(quorum, account.address, transfer);
  if (gas > GAS_MAX) {
    return { state: "rejected", why: `the transfer would use ${gas} gas, above ${GAS_MAX}` };
  }
  const gasLimit = withMargin(gas);
  const market = await readMarket(quorum);
  if (!isAffordable(market, limits, { gasLimit })) {
    return wait(`the fees of the network are above the limit of ${limits.feeMax} units`);
  }
  const needed = transfer.value + gasLimit * (market.base + market.tip);
  if (holds.coins < needed) {
    return wait(`the hot wallet ${account.address} has too little coin for the network's fee`);
  }
  return contract === null && holds.coins - needed < gasFloor
    ? wait(`the hot wallet ${account.address} keeps ${gasFloor} units for the fees of tokens`)
    : { state: "clear" };
}

const withMargin = (gas: bigint): bigint => {
  const wide = (gas * GAS_MARGIN.numerator) / GAS_MARGIN.denominator;
  return wide > GAS_MAX ? GAS_MAX : wide;
};

/**
 * Returns the limits of a fee: nodes refuse one that the wallet cannot pay beside the transfer. A sweep pays its fee from
 * the coins that it moves, or is topped up first.
 */
export async function payableLimits(
  quorum: Quorum,
  account: EvmAccountFacts,
  { send, limits }: { readonly send: ChainSend; readonly limits: FeeLimits },
): Promise<FeeLimits> {
  if (send.purpose === "sweep") return limits;
  const { coins } = await holdingsOf(quorum, account.address, null);
  const left = coins - transferOfSend(send, account).value;
  return left < limits.feeMax ? { ...limits, feeMax: left > 0n ? left : 0n } : limits;
}

/** Returns a gas limit with a margin. Throws when the transfer would fail or needs too much. */
export async function estimateGas(
  quorum: Quorum,
  from: string,
  transfer: EvmTransfer,
): Promise<bigint> {
  const gas = await readGas(quorum, from, transfer);
  if (gas > GAS_MAX) throw new Error(`the transfer would use ${gas} gas, above ${GAS_MAX}`);
  return withMargin(gas);
}

const callOf = (from: string, { to, value, data }: EvmTransfer) => ({
  from,
  to,
  value: hexOf(value),
  data,
});

/** The highest estimate counts: gas that is not used is not paid. */
async function readGas(quorum: Quorum, from: string, transfer: EvmTransfer): Promise<bigint> {
  const ask = async (rpc: Rpc): Promise<bigint> => {
    const [answer] = await rpc.ask([["eth_estimateGas", callOf(from, transfer)]]);
    return wordsOf(rpc.name).quantity(answer);
  };
  const answers = await quorum.collect({ what: "the gas of a transfer", ask });
  return answers.reduce((high, { value }) => (value > high ? value : high), 0n);
}

type Verdict = "ok" | "it is reverted" | "the token answers false";

/** Tokens answer nothing or true. */
function tryCall(quorum: Quorum, from: string, transfer: EvmTransfer): Promise<Verdict> {
  const ask = async (rpc: Rpc): Promise<Verdict> => {
    try {
      const [answer] = await rpc.ask([["eth_call", callOf(from, transfer), "latest"]]);
      if (transfer.data === "0x") return "ok";
      const isTrue = answer === "0x" || wordsOf(rpc.name).quantity(answer) === 1n;
      return isTrue ? "ok" : "the token answers false";
    } catch (error) {
      if (error instanceof RpcRefusal || error instanceof AnswerTooLong) return "it is reverted";
      throw error;
    }
  };
  return quorum.agree({ what: "a trial of the transfer", ask, keyOf: String });
}

interface Holdings {
  readonly coins: bigint;
  /** Null for a token that refuses the question, or answers with something else. */
  readonly tokens: bigint | null;
  /** False for a token whose address has no code: it answers with no bytes at all. */
  readonly hasContract: boolean;
}

/** The lowest balance that an endpoint sees counts: one that is ahead may see coins that a reorganisation takes. */
async function holdingsOf(
  quorum: Quorum,
  address: string,
  contract: string | null,
): Promise<Holdings> {
  const ask = async (rpc: Rpc): Promise<Holdings> => {
    const words = wordsOf(rpc.name);
    const data = `${BALANCE_OF}${address.slice(2).toLowerCase().padStart(64, "0")}`;
    const [answer] = await rpc.ask([["eth_getBalance", address, "latest"]]);
    const coins = words.quantity(answer);
    if (contract === null) return { coins, tokens: 0n, hasContract: true };
    try {
      const call = { to: contract, data };
      const [tokens, code] = await rpc.ask([
        ["eth_call", call, "latest"],
        ["eth_getCode", contract, "latest"],
      ]);
      const isSaid = typeof tokens === "string" && BALANCE.test(tokens);
      return { coins, tokens: isSaid ? BigInt(tokens) : null, hasContract: code !== "0x" };
    } catch (error) {
      if (error instanceof RpcRefusal) return { coins, tokens: null, hasContract: true };
      throw error;
    }
  };
  const answers = await quorum.collect({ what: `balances of ${address}`, ask });
  const lowest = (values: readonly bigint[]): bigint =>
    values.reduce((low, value) => (value < low ? value : low));
  const tokens = answers.flatMap(({ value }) => (value.tokens === null ? [] : [value.tokens]));
  return {
    coins: lowest(answers.map(({ value }) => value.coins)),
    tokens: tokens.length < answers.length ? null : lowest(tokens),
    hasContract: answers.some(({ value }) => value.hasContract),
  };
}
