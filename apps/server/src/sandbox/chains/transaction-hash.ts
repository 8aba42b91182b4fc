import { createHash } from "node:crypto";

const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
/** Networks that print a transaction hash without the prefix 0x of EVM networks. */
const PLAIN_HEX_NETWORKS = new Set(["bitcoin", "bitcoin-cash", "dogecoin", "litecoin", "tron"]);

/** Returns a transaction hash in its network's format: 0x and hex, plain hex, upper-case hex or base58. */
export function transactionHashOf(networkCode: string, bytes: Uint8Array): string {
  const digest = createHash("sha256").update(bytes).digest();
  if (networkCode === "solana") {
    return base58(Buffer.concat([digest, createHash("sha256").update(digest).digest()]));
  }
  const hex = digest.toString("hex");
  if (networkCode === "xrpl") return hex.toUpperCase();
  return PLAIN_HEX_NETWORKS.has(networkCode) ? hex : `0x${hex}`;
}

function base58(bytes: Buffer): string {
  let value = BigInt(`0x${bytes.toString("hex")}`);
  let text = "";
  while (value > 0n) {
    text = BASE58.charAt(Number(value % 58n)) + text;
    value /= 58n;
  }
  return text;
}
