import { Address, OutScript } from "@scure/btc-signer";
import type { ChainSend, WalletCoin } from "../../../domain/ports/chain-gateway.ts";
import { type FeeTerms, FeeTooHigh } from "../../../domain/ports/chain-sender.ts";
import type { CoinCost } from "../../../domain/ports/coin-sender.ts";
import type { CoinPlan } from "../../../signer/protocol.ts";

/** The prefixes of a chain's addresses. */
export interface ScriptPrefixes {
  readonly segwit: string;
  readonly publicKeyHash: number;
  readonly scriptHash: number;
}

/** Virtual bytes: of a transaction without inputs and outputs, of a P2WPKH input, and of P2WPKH change. */
const BASE = 11n;
const INPUT = 68n;
const CHANGE = 31n;
/** Value and length of an output, before its script. */
const OUTPUT_HEAD = 9n;
/** Nodes relay no output that costs more to spend than it is worth, at this rate for each byte. */
const DUST_RATES = { bitcoin: 3n, litecoin: 30n } as const;
/** The bytes with which an output is spent later: of a witness, and of older scripts. */
const SPENDING = { witness: 67n, other: 148n } as const;
/** The number of addresses for change. The scanner watches all of them. */
export const CHANGE_ADDRESSES = 100;

export type DustRules = keyof typeof DUST_RATES;

/** Returns the script that pays the address. Throws for an address of another chain. */
export const scriptOf = (address: string, prefixes: ScriptPrefixes): Uint8Array =>
  OutScript.encode(
    Address({
      bech32: prefixes.segwit,
      pubKeyHash: prefixes.publicKeyHash,
      scriptHash: prefixes.scriptHash,
      wif: 0,
    }).decode(address),
  );

/** Returns the address of a script. Undefined for a script without one. */
export function addressOf(script: Uint8Array, prefixes: ScriptPrefixes): string | undefined {
  try {
    return Address({
      bech32: prefixes.segwit,
      pubKeyHash: prefixes.publicKeyHash,
      scriptHash: prefixes.scriptHash,
      wif: 0,
    }).encode(OutScript.decode(script));
  } catch {
    return undefined;
  }
}

/** Witness scripts begin with their version and have a program of 2 to 40 bytes. */
const isWitness = (script: Uint8Array): boolean =>
  script.length >= 4 &&
  script.length <= 42 &&
  (script[0] === 0 || (script[0] ?? 0) >= 0x51) &&
  script[1] === script.length - 2;

/** Returns the least units that nodes relay in an output with the script. */
export function dustOf(script: Uint8Array, rules: DustRules): bigint {
  const spending = isWitness(script) ? SPENDING.witness : SPENDING.other;
  return (OUTPUT_HEAD + BigInt(script.length) + spending) * DUST_RATES[rules];
}

const outputSize = (script: Uint8Array): bigint => OUTPUT_HEAD + BigInt(script.length);

const sum = (values: readonly bigint[]): bigint => values.reduce((total, one) => total + one, 0n);

export interface PlanRules {
  readonly prefixes: ScriptPrefixes;
  readonly dust: DustRules;
  readonly feeMax: bigint;
  /** Whether each payment leaves change that can pay for a child. */
  readonly needsChange: boolean;
}

/** The least change that can pay for a child, as a multiple of the dust limit. */
const LEAST_CHANGE = 10n;

/** Returns the largest virtual size of a transaction with this number of P2WPKH inputs and these output scripts. */
export const sizeOfParts = (inputs: number, scripts: readonly Uint8Array[]): bigint =>
  BASE + INPUT * BigInt(inputs) + sum(scripts.map(outputSize));

/** The size without the inputs, which are not chosen yet. */
const sizeOf = ({ outputs }: Pick<ChainSend, "outputs">, { prefixes }: PlanRules): bigint =>
  sizeOfParts(
    0,
    outputs.map(({ address }) => scriptOf(address, prefixes)),
  );

/** Returns what the payments of a send need, with room for change. */
export const costOf = (
  send: Pick<ChainSend, "outputs">,
  rate: bigint,
  rules: PlanRules,
): CoinCost => ({
  units:
    sum(send.outputs.map(({ units }) => units)) +
    rate * (sizeOf(send, rules) + CHANGE) +
    (rules.needsChange ? LEAST_CHANGE * changeDust(rules) : 0n),
  unitsForEach: rate * INPUT,
});

/** A P2WPKH script has 22 bytes. */
const CHANGE_SCRIPT = Uint8Array.from([0, 20, ...Array.from({ length: 20 }, () => 0)]);

/** Returns the least units of change that nodes relay. */
export const changeDust = ({ dust }: Pick<PlanRules, "dust">): bigint =>
  dustOf(CHANGE_SCRIPT, dust);

/** The virtual bytes of a transaction that moves one coin to change. */
export const CHILD_SIZE = BASE + INPUT + CHANGE;

/** The virtual bytes of a payout that goes alone: one coin, a payment to a P2WPKH address, and change. */
export const PAYOUT_SIZE = BASE + INPUT + outputSize(CHANGE_SCRIPT) + CHANGE;

/**
 * Plans the transaction of a send from the coins that it took. The change goes back to the wallet, unless it is
 * dust. A send without payments has change. The same send and rate have the same plan.
 */
export function planOf(
  send: Pick<ChainSend, "id" | "outputs">,
  { coins, rate }: { readonly coins: readonly WalletCoin[]; readonly rate: bigint },
  rules: PlanRules,
): CoinPlan {
  const paid = sum(send.outputs.map(({ units }) => units));
  const held = sum(coins.map(({ units }) => units));
  const fee = rate * (sizeOf(send, rules) + INPUT * BigInt(coins.length));
  const rest = held - paid - fee;
  if (rest < 0n) throw new FeeTooHigh(`the coins of send ${send.id} hold ${-rest} units too few`);
  const change = rest - rate * CHANGE;
  const hasChange = change >= changeDust(rules);
  if (send.outputs.length === 0 && !hasChange) {
    throw new FeeTooHigh(`the coins of send ${send.id} are worth no more than their fee`);
  }
  const actualFee = held - paid - (hasChange ? change : 0n);
  if (actualFee > rules.feeMax) {
    throw new FeeTooHigh(
      `a transaction may cost ${actualFee} units, above the limit of ${rules.feeMax}`,
    );
  }
  const position = choiceOf(send.id) % (send.outputs.length + 1);
  const index = changeIndexOf(send.id);
  return {
    inputs: coins.map(inputOf),
    change: hasChange ? { units: String(change), index, position } : null,
  };
}

const choiceOf = (sendId: string): number => Number.parseInt(sendId.slice(-6), 16);

/** Returns the number of the address that takes the change of a send. */
export const changeIndexOf = (sendId: string): number =>
  Math.floor(choiceOf(sendId) / 2) % CHANGE_ADDRESSES;

function inputOf({ outpoint, units, branch, index }: WalletCoin): CoinPlan["inputs"][number] {
  const [transaction = "", output = ""] = outpoint.split(":");
  return { transaction, output: Number(output), units: String(units), branch, index };
}

/** The terms are stored before the signer is asked, so the plan is text. */
export const termsOfPlan = (plan: CoinPlan, rate: bigint): FeeTerms => ({
  rate: String(rate),
  plan: JSON.stringify(plan),
});

export const planOfTerms = (terms: FeeTerms): CoinPlan =>
  JSON.parse(terms["plan"] ?? "") as CoinPlan;
