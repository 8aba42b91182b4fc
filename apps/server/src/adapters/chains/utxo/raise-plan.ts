import { Transaction } from "@scure/btc-signer";
import type { FeeTerms } from "../../../domain/ports/chain-sender.ts";
import type { ChildOfChange, FeeAndSize, SignedTerms } from "../../../domain/ports/coin-sender.ts";
import type { CoinPlan } from "../../../signer/protocol.ts";
import {
  CHILD_SIZE,
  changeDust,
  changeIndexOf,
  type PlanRules,
  planOfTerms,
  sizeOfParts,
  termsOfPlan,
} from "./coin-plan.ts";

/** Nodes replace a transaction, and relay one, only if it pays at least this for each of its virtual bytes. */
const RELAY_RATE = 1n;

const least = (one: bigint, other: bigint): bigint => (one < other ? one : other);
const most = (one: bigint, other: bigint): bigint => (one > other ? one : other);

const decode = ({ bytes }: SignedTerms["transaction"]): Transaction =>
  Transaction.fromRaw(bytes, { allowUnknownOutputs: true });
const outputsOf = (decoded: Transaction) =>
  Array.from({ length: decoded.outputsLength }, (_, at) => decoded.getOutput(at));

/** Returns what a transaction leaves to the miner, by the coins of its plan. */
export function weigh({ transaction, terms }: SignedTerms): FeeAndSize {
  const decoded = decode(transaction);
  const held = planOfTerms(terms).inputs.reduce((total, { units }) => total + BigInt(units), 0n);
  const fee = outputsOf(decoded).reduce((left, { amount = 0n }) => left - amount, held);
  return { fee, size: BigInt(decoded.vsize) };
}

/** Returns the most virtual bytes that another version can have. Signatures differ by a few bytes. */
function sizeAtMost({ transaction }: SignedTerms): bigint {
  const decoded = decode(transaction);
  const scripts = outputsOf(decoded).flatMap(({ script }) => (script ? [script] : []));
  return sizeOfParts(decoded.inputsLength, scripts);
}

/**
 * Plans the next version of a stuck transaction: the same coins and payments, and less change. It pays the rate, or
 * what the change can pay. Nodes take it only if it also pays for its own relay.
 */
export function replacementOf(
  stuck: SignedTerms,
  rate: bigint,
  rules: PlanRules,
): FeeTerms | undefined {
  const plan = planOfTerms(stuck.terms);
  if (plan.change === null) return undefined;
  const { fee } = weigh(stuck);
  const size = sizeAtMost(stuck);
  const change = BigInt(plan.change.units);
  const wanted = most(rate * size, fee + RELAY_RATE * size);
  const raised = least(wanted, fee + change - changeDust(rules));
  if (raised < fee + RELAY_RATE * size || raised > rules.feeMax) return undefined;
  const units = String(change - (raised - fee));
  return termsOfPlan({ ...plan, change: { ...plan.change, units } }, rate);
}

/** Plans a child that moves the newest transaction's change to other change of ours. */
export function childOf(
  { transaction, terms }: SignedTerms,
  {
    id,
    rate,
    unmined,
  }: { readonly id: string; readonly rate: bigint; readonly unmined: FeeAndSize },
  rules: PlanRules,
): ChildOfChange | undefined {
  const { change } = planOfTerms(terms);
  if (change === null) return undefined;
  const units = BigInt(change.units);
  const wanted = rate * (unmined.size + CHILD_SIZE) - unmined.fee;
  const fee = least(most(wanted, RELAY_RATE * CHILD_SIZE), units - changeDust(rules));
  if (fee < RELAY_RATE * CHILD_SIZE || unmined.fee + fee > rules.feeMax) return undefined;
  const { transactionHash } = transaction;
  const { position: output, index } = change;
  const plan: CoinPlan = {
    inputs: [{ transaction: transactionHash, output, units: change.units, branch: 1, index }],
    change: { units: String(units - fee), index: changeIndexOf(id), position: 0 },
  };
  const outpoint = `${transactionHash}:${output}`;
  return { change: { outpoint, index, units }, terms: termsOfPlan(plan, rate) };
}
