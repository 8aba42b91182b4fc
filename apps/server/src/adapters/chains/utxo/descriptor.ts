import { HDKey } from "@scure/bip32";
import { type CoinAccountOptions, readAccountKey } from "./deposit-addresses.ts";

/** Where an account's key comes from: the fingerprint of the master key, and the path such as `m/84'/2'/0'`. */
export interface KeyOrigin {
  readonly fingerprint: string;
  readonly path: string;
}

/** The versions of extended public keys that nodes read. */
const NODE_VERSIONS = { main: 0x0488b21e, other: 0x043587cf } as const;

/**
 * Returns the descriptor (BIP 380, 381) of one branch of an account, for import in a watch-only wallet. Branch 0 receives,
 * and branch 1 takes change.
 */
export function descriptorOf(
  account: Pick<CoinAccountOptions, "xpub" | "chain">,
  branch: 0 | 1,
  origin: KeyOrigin | undefined,
): string {
  const { publicKey, chainCode, depth, index, parentFingerprint } = readAccountKey(account);
  const version = account.chain === "main" ? NODE_VERSIONS.main : NODE_VERSIONS.other;
  const versions = { public: version, private: 0 };
  if (publicKey === null || chainCode === null) throw new Error("the account has no public key");
  const key = new HDKey({ versions, publicKey, chainCode, depth, index, parentFingerprint });
  const steps = origin?.path.replace(/^m/, "").replaceAll("'", "h") ?? "";
  const from = origin === undefined ? "" : `[${origin.fingerprint}${steps}]`;
  const text = `wpkh(${from}${key.publicExtendedKey}/${branch}/*)`;
  return `${text}#${descriptorChecksum(text)}`;
}

/** The characters of descriptors, in the order of BIP 380. */
const INPUT =
  "0123456789()[],'/*abcdefgh@:$%{}IJKLMNOPQRSTUVWXYZ&+-.;<=>?!^_|~ijklmnopqrstuvwxyzABCDEFGH`#\"\\ ";
const OUTPUT = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const GENERATOR = [0xf5dee51989n, 0xa9fdca3312n, 0x1bab10e32dn, 0x3706b1677an, 0x644d626ffdn];
const CHECKSUM_LENGTH = 8;

function polymod(checksum: bigint, value: number): bigint {
  const top = checksum >> 35n;
  const shifted = ((checksum & 0x7ffffffffn) << 5n) ^ BigInt(value);
  return GENERATOR.reduce(
    (mixed, generator, bit) => ((top >> BigInt(bit)) & 1n ? mixed ^ generator : mixed),
    shifted,
  );
}

/** Returns the checksum of a descriptor (BIP 380), without the character before it. */
export function descriptorChecksum(text: string): string {
  const positions = Array.from(text, (letter) => INPUT.indexOf(letter));
  if (positions.includes(-1)) throw new Error("a descriptor has other characters");
  const values: number[] = [];
  // The low five bits of each position are one value. The high bits of three positions together are another.
  for (let at = 0; at < positions.length; at += 3) {
    const group = positions.slice(at, at + 3);
    const highBits = group.reduce((sum, position) => sum * 3 + (position >> 5), 0);
    values.push(...group.map((position) => position & 31), highBits);
  }
  const mixed = [...values, ...Array.from({ length: CHECKSUM_LENGTH }, () => 0)].reduce(
    polymod,
    1n,
  );
  const checksum = mixed ^ 1n;
  return Array.from(
    { length: CHECKSUM_LENGTH },
    (_, at) => OUTPUT[Number((checksum >> BigInt(5 * (CHECKSUM_LENGTH - 1 - at))) & 31n)],
  ).join("");
}
