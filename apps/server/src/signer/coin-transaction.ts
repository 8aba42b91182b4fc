import { createHash } from "node:crypto";
import { hex } from "@scure/base";
import { SigHash, Transaction } from "@scure/btc-signer";
import { scriptOf } from "./coin-parameters.ts";
import type { CoinPlan } from "./protocol.ts";
import { SignRefusal } from "./signer-error.ts";
import type { CoinWallet } from "./wallets.ts";

export interface CoinPayment {
  readonly address: string;
  readonly units: bigint;
}

export interface UnsignedCoins {
  /** The digest of the wallet and the unsigned bytes. */
  readonly digest: string;
  /** The transaction's id. Witnesses are not part of it, so it exists before the signature. */
  readonly hash: string;
  readonly coins: readonly string[];
  readonly outputs: readonly CoinOutput[];
  /** The position of the change among the outputs. */
  readonly changeAt: number | null;
  readonly fee: bigint;
  /** `unconfirmed`: the transactions that it is mined with. The cap of the fee rate holds for all of them together. */
  sign(unconfirmed?: FeeAndSize): string;
}

export interface CoinOutput {
  readonly script: Uint8Array;
  readonly amount: bigint;
}

/** The fee of transactions in satoshis, and their size in virtual bytes. */
export interface FeeAndSize {
  readonly fee: bigint;
  readonly size: number;
}

/** Signals that the transaction may be replaced by one with a higher fee (BIP 125). */
const REPLACEABLE = 0xfffffffd;

/** Returns the names of the coins that a plan spends, as the chain writes them. */
export const coinsOf = (plan: CoinPlan): string[] =>
  plan.inputs.map(({ transaction, output }) => `${transaction}:${output}`);

/**
 * Builds the transaction from the released payments and the plan. The plan chooses coins and amounts only:
 * scripts come from the releases and from the wallet's own branches. Change goes to branch 1.
 */
export function buildCoins(
  wallet: CoinWallet,
  payments: readonly CoinPayment[],
  plan: CoinPlan,
): UnsignedCoins {
  const coins = coinsOf(plan);
  if (new Set(coins).size !== coins.length) {
    throw new SignRefusal("coins", "The plan spends one coin twice.");
  }
  const outputs = outputsOf(wallet, payments, plan);
  const transaction = new Transaction({ version: 2, lockTime: 0, allowUnknownOutputs: false });
  for (const input of plan.inputs) {
    transaction.addInput({
      txid: input.transaction,
      index: input.output,
      sequence: REPLACEABLE,
      sighashType: SigHash.ALL,
      witnessUtxo: {
        script: wallet.at(input.branch, input.index).script,
        amount: BigInt(input.units),
      },
    });
  }
  for (const output of outputs) transaction.addOutput(output);
  const unsigned = transaction.unsignedTx;
  requireSameOutputs(unsigned, { coins, outputs });
  const fee =
    sumOf(plan.inputs.map(({ units }) => BigInt(units))) -
    sumOf(outputs.map(({ amount }) => amount));
  if (fee < 0n)
    throw new SignRefusal("coins", `The plan pays ${-fee} units more than its coins hold.`);
  const digest = createHash("sha256").update(`${wallet.name} `).update(unsigned).digest("hex");
  const sign = (unconfirmed: FeeAndSize = { fee: 0n, size: 0 }): string => {
    for (const [index, input] of plan.inputs.entries()) {
      transaction.signIdx(wallet.at(input.branch, input.index).key, index, [SigHash.ALL]);
    }
    transaction.finalize();
    requireFeeRate(fee + unconfirmed.fee, sizeAtMost(transaction) + unconfirmed.size, wallet);
    return hex.encode(transaction.extract());
  };
  const changeAt = plan.change?.position ?? null;
  return { digest, hash: transaction.id, coins, outputs, changeAt, fee, sign };
}

/** Reads the outputs and the size of bytes that were signed before. */
export function readSigned(bytes: string): {
  readonly outputs: readonly CoinOutput[];
  readonly size: number;
} {
  const decoded = Transaction.fromRaw(hex.decode(bytes), { allowUnknownOutputs: true });
  const outputs = Array.from({ length: decoded.outputsLength }, (_, index) => {
    const { script = new Uint8Array(), amount = 0n } = decoded.getOutput(index);
    return { script, amount };
  });
  return { outputs, size: decoded.vsize };
}

function outputsOf(
  wallet: CoinWallet,
  payments: readonly CoinPayment[],
  { change }: CoinPlan,
): CoinOutput[] {
  const outputs = payments.map(({ address, units }) => ({
    script: scriptOf(address, wallet.network),
    amount: units,
  }));
  if (change === null) return outputs;
  if (change.position > outputs.length) {
    throw new SignRefusal(
      "coins",
      `The change is at position ${change.position} of ${outputs.length} payments.`,
    );
  }
  const script = wallet.at(1, change.index).script;
  return outputs.toSpliced(change.position, 0, { script, amount: BigInt(change.units) });
}

/** Reads the encoded bytes with no regard to how they were built. A fault in the encoder ends here. */
function requireSameOutputs(
  unsigned: Uint8Array,
  expected: { readonly coins: readonly string[]; readonly outputs: readonly CoinOutput[] },
): void {
  const decoded = Transaction.fromRaw(unsigned);
  const coins = Array.from({ length: decoded.inputsLength }, (_, index) => {
    const { txid, index: output } = decoded.getInput(index);
    return `${txid ? hex.encode(txid) : ""}:${output}`;
  });
  const outputs = Array.from({ length: decoded.outputsLength }, (_, index) =>
    decoded.getOutput(index),
  );
  const print = (list: readonly { script?: Uint8Array; amount?: bigint }[]): string =>
    list.map(({ script, amount }) => `${script ? hex.encode(script) : ""} ${amount}`).join();
  if (coins.join() !== expected.coins.join() || print(outputs) !== print(expected.outputs)) {
    throw new Error("the encoded transaction does not say what was to be signed");
  }
}

/** The longest signature with a low S, in DER and with its hash type. */
const SIGNATURE_BYTES = 72;

/**
 * Returns the largest virtual size that the transaction can have. The fee is planned before signing, for the longest
 * signatures. Real ones may be a few bytes shorter.
 */
function sizeAtMost(transaction: Transaction): number {
  const missing = Array.from({ length: transaction.inputsLength }, (_, index) => {
    const [signature = new Uint8Array()] = transaction.getInput(index).finalScriptWitness ?? [];
    return SIGNATURE_BYTES - signature.length;
  });
  return Math.ceil((transaction.weight + missing.reduce((sum, bytes) => sum + bytes, 0)) / 4);
}

/** Nodes accept absurd fees, so the caps are here. */
function requireFeeRate(fee: bigint, size: number, { network }: CoinWallet): void {
  if (fee > BigInt(size) * BigInt(network.feeRateMax)) {
    throw new SignRefusal(
      "fee",
      `The fee is ${fee} for ${size} bytes, above the policy's ${network.feeRateMax} for each byte.`,
    );
  }
}

const sumOf = (amounts: readonly bigint[]): bigint => amounts.reduce((sum, one) => sum + one, 0n);
