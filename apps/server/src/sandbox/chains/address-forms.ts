import { createPrivateKey, createPublicKey } from "node:crypto";
import { sha256 } from "@noble/hashes/sha2.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { base58, base58xrp, bech32, createBase58check } from "@scure/base";
import { cashAddressOf } from "./cash-address.ts";

const base58check = createBase58check(sha256);
const HASH_BYTES = 20;

const hashOf = (seed: Uint8Array): Uint8Array => seed.subarray(0, HASH_BYTES);

/** Encodes 32 bytes as an address of each format, checksum included. */
const FORMS = {
  bitcoin: (seed) => segwit("bc", seed),
  bitcoin_cash: (seed) => cashAddressOf(hashOf(seed)),
  dogecoin: (seed) => withVersion(0x1e, seed),
  evm: (seed) => withCaseChecksum(Buffer.from(hashOf(seed)).toString("hex")),
  litecoin: (seed) => segwit("ltc", seed),
  solana: (seed) => base58.encode(ed25519PublicKey(seed)),
  tron: (seed) => withVersion(0x41, seed),
  xrp: (seed) => xrpAccount(hashOf(seed)),
} as const satisfies Record<string, (seed: Uint8Array) => string>;

export type AddressForm = keyof typeof FORMS;

const isAddressForm = (form: string): form is AddressForm => Object.hasOwn(FORMS, form);

/** Returns an address in a format of the catalogue. Throws for a format without an encoder. */
export function addressInForm(form: string, seed: Uint8Array): string {
  if (!isAddressForm(form)) throw new Error(`the sandbox has no addresses of the form ${form}`);
  return FORMS[form](seed);
}

/** Pay to witness key hash (BIP 173). */
const segwit = (prefix: string, seed: Uint8Array): string =>
  bech32.encode(prefix, [0, ...bech32.toWords(hashOf(seed))]);

const withVersion = (version: number, seed: Uint8Array): string =>
  base58check.encode(Uint8Array.of(version, ...hashOf(seed)));

/** EIP-55: the case of each letter is the checksum. */
function withCaseChecksum(digits: string): string {
  const hash = Buffer.from(keccak_256(new TextEncoder().encode(digits))).toString("hex");
  const cased = Array.from(digits, (digit, index) =>
    Number.parseInt(hash.charAt(index), 16) >= 8 ? digit.toUpperCase() : digit,
  );
  return `0x${cased.join("")}`;
}

/** RFC 8410: the prefix of a 32-byte Ed25519 private key. */
const PRIVATE_KEY_HEAD = Buffer.from("302e020100300506032b657004220420", "hex");
const PUBLIC_KEY_BYTES = 32;

/** Returns a point on the curve, like a wallet's address: some wallets warn of any other. */
function ed25519PublicKey(seed: Uint8Array): Uint8Array {
  const key = Buffer.concat([PRIVATE_KEY_HEAD, seed]);
  const secret = createPrivateKey({ key, format: "der", type: "pkcs8" });
  const shown = createPublicKey(secret).export({ format: "der", type: "spki" });
  return shown.subarray(-PUBLIC_KEY_BYTES);
}

function xrpAccount(hash: Uint8Array): string {
  const payload = Uint8Array.of(0, ...hash);
  const checksum = sha256(sha256(payload)).subarray(0, 4);
  return base58xrp.encode(Uint8Array.of(...payload, ...checksum));
}
