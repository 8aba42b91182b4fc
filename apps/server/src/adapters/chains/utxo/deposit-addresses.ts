import { ripemd160 } from "@noble/hashes/legacy.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bech32, createBase58check } from "@scure/base";
import { HDKey } from "@scure/bip32";
import type { DepositAccount } from "../../../domain/ports/chain-reader.ts";

/** The versions of extended keys: of BIP 32, of SLIP 132 for BIP 84, and Litecoin's own. */
const PUBLIC_VERSIONS = {
  main: [0x0488b21e, 0x04b24746, 0x019da462, 0x01b26ef6],
  test: [0x043587cf, 0x045f1cf6, 0x0436f6e1],
} as const;
const PRIVATE_VERSIONS = [
  0x0488ade4, 0x04b2430c, 0x019d9cfe, 0x01b26792, 0x04358394, 0x045f18bc, 0x0436ef7d,
];

export interface CoinAccount extends DepositAccount {
  /** Returns the script of path `<branch>/<index>`. Branch 1 is for change. */
  scriptAt(branch: 0 | 1, index: number): string;
}

export interface CoinAccountOptions {
  readonly xpub: string;
  readonly chain: "main" | "test" | "regtest";
  /** The prefix of the chain's bech32 addresses. */
  readonly prefix: string;
}

/**
 * Reads an extended public key, as of `m/84'/2'/1'`. Its addresses are P2WPKH (BIP 84). An xpub is taken on test
 * chains too, because many wallets export no other. Throws a sentence for an unusable key.
 */
export function readCoinAccount(options: CoinAccountOptions): CoinAccount {
  const account = readAccountKey(options);
  const branches = [account.deriveChild(0), account.deriveChild(1)] as const;
  return {
    fingerprint: account.fingerprint.toString(16).padStart(8, "0"),
    addressAt: (index) => segwitAddress(branches[0], index, options.prefix),
    scriptAt: (branch, index) =>
      segwitScript(segwitAddress(branches[branch], index, options.prefix)),
  };
}

/** Reads the key of an account. Throws a sentence for an unusable one. */
export function readAccountKey({ xpub, chain }: Pick<CoinAccountOptions, "xpub" | "chain">): HDKey {
  const version = versionOf(xpub);
  if (version !== undefined && PRIVATE_VERSIONS.includes(version)) {
    throw new Error("is a private key. Export the public one, and move its coins to another key");
  }
  const isMain = PUBLIC_VERSIONS.main.some((one) => one === version);
  const isTest = PUBLIC_VERSIONS.test.some((one) => one === version);
  if (version === undefined || (!isMain && !isTest)) {
    throw new Error("is not an extended public key. Export one that begins with xpub or zpub");
  }
  if (chain === "main" && isTest) {
    throw new Error("is a key of a test chain. Export one of the main chain");
  }
  return HDKey.fromExtendedKey(xpub, { public: version, private: 0 });
}

function versionOf(xpub: string): number | undefined {
  try {
    const bytes = createBase58check(sha256).decode(xpub);
    return bytes.length === 78
      ? new DataView(bytes.buffer, bytes.byteOffset).getUint32(0)
      : undefined;
  } catch {
    return undefined;
  }
}

function segwitAddress(branch: HDKey, index: number, prefix: string): string {
  const { publicKey } = branch.deriveChild(index);
  if (publicKey === null) throw new Error(`there is no key ${index}`);
  const program = ripemd160(sha256(publicKey));
  return bech32.encode(prefix, [0, ...bech32.toWords(program)]);
}

/** Returns the script that pays one of the account's addresses. */
export function segwitScript(address: string): string {
  const { words } = bech32.decode(address as `${string}1${string}`);
  return `0014${Buffer.from(bech32.fromWords(words.slice(1))).toString("hex")}`;
}
