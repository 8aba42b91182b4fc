import { createHash } from "node:crypto";
import { addr, Transaction } from "micro-eth-signer";
import { requireFeeWithinCap } from "./limits.ts";
import type { EvmNetwork } from "./policy.ts";
import type { GasTerms } from "./protocol.ts";
import { SignRefusal } from "./signer-error.ts";
import type { EvmAccount } from "./wallets.ts";

/** A transfer of the network's own coin, or of a token by its contract. Nothing else is ever signed. */
export interface EvmTransfer {
  readonly nonce: bigint;
  readonly to: string;
  readonly contract: string | null;
  readonly units: bigint;
}

export interface UnsignedEvm {
  /** The digest of the account and the unsigned bytes. */
  readonly digest: string;
  readonly fee: bigint;
  readonly prices: readonly bigint[];
  sign(): { readonly hash: string; readonly bytes: string };
}

/** The selector of ERC-20's `transfer(address,uint256)`. */
const TRANSFER = "0xa9059cbb";
const word = (digits: string): string => digits.padStart(64, "0");

const transferData = (to: string, units: bigint): string =>
  `${TRANSFER}${word(to.slice(2).toLowerCase())}${word(units.toString(16))}`;

/** Throws unless the text is an EVM address. Mixed case carries a checksum (EIP-55), which must be right. */
export function requireEvmAddress(text: string): void {
  const isAddress = /^0x[0-9a-fA-F]{40}$/.test(text) && addr.isValid(text);
  if (!isAddress) {
    throw new SignRefusal("address", `"${text}" is not an EVM address, or its checksum is wrong.`);
  }
  if (/^0x0{40}$/.test(text)) {
    throw new SignRefusal("destination", "Coins sent to the zero address are lost.");
  }
}

/** Builds the transaction, decodes its bytes again and compares them with the transfer. */
export function buildEvm(account: EvmAccount, transfer: EvmTransfer, gas: GasTerms): UnsignedEvm {
  const { to, contract, units, nonce } = transfer;
  if (units >= 2n ** 256n) throw new SignRefusal("release_text", "The units are above 2^256.");
  const [highest = 0n, tip = 0n] = pricesOf(gas);
  if (tip > highest) throw new SignRefusal("fee", "maxPriorityFeePerGas is above maxFeePerGas.");
  const shape = {
    chainId: BigInt(account.network.chainId),
    nonce,
    gasLimit: BigInt(gas.gasLimit),
    to: (contract ?? to).toLowerCase(),
    value: contract === null ? units : 0n,
    data: contract === null ? "" : transferData(to, units),
  };
  const transaction = prepare(shape, gas);
  const unsigned = transaction.toHex({ includeSignature: false });
  requireSameTransfer(Transaction.fromHex(unsigned), { account, transfer, gas });
  const sign = () => {
    const signed = transaction.signBy(account.key, false);
    if (signed.sender.toLowerCase() !== account.address.toLowerCase()) {
      throw new Error("the signature does not recover the account's address");
    }
    return { hash: signed.hash.replace(/^0x/, ""), bytes: signed.toHex().replace(/^0x/, "") };
  };
  const digest = createHash("sha256").update(`${account.place} ${unsigned}`).digest("hex");
  return { digest, prices: pricesOf(gas), fee: shape.gasLimit * highest, sign };
}

interface Shape {
  readonly chainId: bigint;
  readonly nonce: bigint;
  readonly gasLimit: bigint;
  readonly to: string;
  readonly value: bigint;
  readonly data: string;
}

const prepare = (shape: Shape, gas: GasTerms) =>
  gas.type === "legacy"
    ? Transaction.prepare({ type: "legacy", ...shape, gasPrice: BigInt(gas.gasPrice) }, false)
    : Transaction.prepare(
        {
          type: "eip1559",
          ...shape,
          accessList: [],
          maxFeePerGas: BigInt(gas.maxFeePerGas),
          maxPriorityFeePerGas: BigInt(gas.maxPriorityFeePerGas),
        },
        false,
      );

/** A legacy price is both fees in one, so replacements compare the same two numbers in either form. */
const pricesOf = (gas: GasTerms): bigint[] =>
  gas.type === "legacy"
    ? [BigInt(gas.gasPrice), BigInt(gas.gasPrice)]
    : [BigInt(gas.maxFeePerGas), BigInt(gas.maxPriorityFeePerGas)];

/** Reads the encoded bytes with no regard to how they were built. A fault in the encoder ends here. */
function requireSameTransfer(
  decoded: ReturnType<typeof Transaction.fromHex>,
  expected: { account: EvmAccount; transfer: EvmTransfer; gas: GasTerms },
): void {
  const { account, transfer, gas } = expected;
  const raw = decoded.raw as unknown as Shape & { readonly accessList?: readonly unknown[] };
  const data = raw.data.toLowerCase().replace(/^(?!0x)/, "0x");
  const isToken = transfer.contract !== null;
  const paid = isToken
    ? { to: `0x${data.slice(34, 74)}`, units: BigInt(`0x${data.slice(74) || "0"}`) }
    : { to: raw.to.toLowerCase(), units: raw.value };
  const isSame =
    decoded.type === gas.type &&
    raw.chainId === BigInt(account.network.chainId) &&
    raw.nonce === transfer.nonce &&
    raw.gasLimit === BigInt(gas.gasLimit) &&
    (raw.accessList ?? []).length === 0 &&
    paid.to === transfer.to.toLowerCase() &&
    paid.units === transfer.units &&
    (isToken
      ? raw.to.toLowerCase() === transfer.contract?.toLowerCase() &&
        raw.value === 0n &&
        data.length === 138 &&
        data.startsWith(`${TRANSFER}${"0".repeat(24)}`)
      : data === "0x");
  if (!isSame) throw new Error("the encoded transaction does not say what was to be signed");
}

/** Refuses gas and fees above the caps of the network. */
export function requireGasWithinCaps(gas: GasTerms, fee: bigint, network: EvmNetwork): void {
  if (BigInt(gas.gasLimit) > BigInt(network.gasLimitMax)) {
    throw new SignRefusal(
      "fee",
      `gasLimit ${gas.gasLimit} is above the policy's ${network.gasLimitMax}.`,
    );
  }
  requireFeeWithinCap(fee, network);
}
