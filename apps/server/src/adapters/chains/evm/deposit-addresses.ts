import { secp256k1 } from "@noble/curves/secp256k1.js";
import { bytesToHex } from "@noble/curves/utils.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { HDKey } from "@scure/bip32";
import type { DepositAccount } from "../../../domain/ports/chain-reader.ts";

/** Reads an extended public key, as of `m/44'/60'/1'`. Throws a sentence for an unusable one. */
export function readDepositAccount(xpub: string): DepositAccount {
  let account: HDKey;
  try {
    account = HDKey.fromExtendedKey(xpub);
  } catch {
    throw new Error("is not an extended public key. Export one that begins with xpub");
  }
  if (account.privateKey !== null) {
    throw new Error("is a private key. Export the public one, and move its coins to another key");
  }
  const received = account.deriveChild(0);
  return {
    fingerprint: account.fingerprint.toString(16).padStart(8, "0"),
    addressAt: (index) => {
      const { publicKey } = received.deriveChild(index);
      if (publicKey === null) throw new Error(`there is no key ${index}`);
      const point = secp256k1.Point.fromBytes(publicKey).toBytes(false).slice(1);
      return withChecksum(bytesToHex(keccak_256(point).slice(-20)));
    },
  };
}

/** EIP-55: a letter is upper-case where the hash of the address has a high digit. */
function withChecksum(digits: string): string {
  const hash = bytesToHex(keccak_256(new TextEncoder().encode(digits)));
  const letters = Array.from(digits, (digit, index) =>
    Number.parseInt(hash.charAt(index), 16) >= 8 ? digit.toUpperCase() : digit,
  );
  return `0x${letters.join("")}`;
}
