import { schnorr } from "@noble/curves/secp256k1.js";
import { bytesToNumberBE } from "@noble/curves/utils.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { bech32, bech32m, createBase58check } from "@scure/base";
import type { AddressFormat, Network } from "../catalogue/network.ts";
import { isCashAddress } from "./cash-address.ts";
import { type AddressChain, COIN_PREFIXES, type CoinPrefixes } from "./coin-prefixes.ts";
import { isSolanaAddress } from "./solana.ts";
import { isXrpAddress } from "./xrp-address.ts";

/** No address is longer. Longer text is refused unread. */
const ADDRESS_CHARACTERS_MAX = 128;

const CHECKS = {
  bitcoin: (text, chain) => isCoinAddress(text, COIN_PREFIXES.bitcoin[chain]),
  bitcoin_cash: isCashAddress,
  dogecoin: (text) => hasBase58Version(text, [0x1e, 0x16]),
  evm: isEvmAddress,
  litecoin: (text, chain) => isCoinAddress(text, COIN_PREFIXES.litecoin[chain]),
  solana: isSolanaAddress,
  tron: (text) => hasBase58Version(text, [0x41]),
  xrp: isXrpAddress,
} as const satisfies Record<AddressFormat, (text: string, chain: AddressChain) => boolean>;

/**
 * Returns whether the text is an address of the format, checksum included, on the main chain or another. Nothing is
 * repaired: surrounding spaces make it wrong.
 */
export const checkAddress = (
  format: AddressFormat,
  text: string,
  chain: AddressChain = "main",
): boolean => text.length <= ADDRESS_CHARACTERS_MAX && CHECKS[format](text, chain);

/** Returns whether the text is an address on the chain that the network follows. */
export const isAddressOn = (
  { addressFormat, addressChain }: Pick<Network, "addressFormat" | "addressChain">,
  text: string,
): boolean => checkAddress(addressFormat, text, addressChain);

const base58check = createBase58check(sha256);

/** A version byte and a 20-byte hash, with their double SHA-256 checksum. */
function hasBase58Version(text: string, versions: readonly number[]): boolean {
  const bytes = decoded(() => base58check.decode(text));
  return bytes?.length === 21 && versions.includes(bytes[0] ?? -1);
}

const isCoinAddress = (text: string, prefixes: CoinPrefixes): boolean =>
  hasBase58Version(text, [prefixes.publicKeyHash, prefixes.scriptHash]) ||
  isSegwitAddress(text, { prefix: prefixes.segwit });

/** BIP 173 and BIP 350: version 0 in bech32, version 1 (taproot) in bech32m. Later versions are refused. */
function isSegwitAddress(text: string, network: { readonly prefix: string }): boolean {
  return (
    isWitness(text, { ...network, codec: bech32, version: 0 }) ||
    isWitness(text, { ...network, codec: bech32m, version: 1 })
  );
}

interface Witness {
  readonly prefix: string;
  readonly codec: typeof bech32;
  readonly version: 0 | 1;
}

function isWitness(text: string, { prefix, codec, version }: Witness): boolean {
  const address = decoded(() => codec.decode(text as `${string}1${string}`));
  if (address?.prefix !== prefix || address.words[0] !== version) return false;
  const program = decoded(() => codec.fromWords(address.words.slice(1)));
  if (!program) return false;
  if (version === 1) return program.length === 32 && isTaprootKey(program);
  return program.length === 20 || program.length === 32;
}

/** BIP 341: the program is the x coordinate of a point of secp256k1. Coins sent to any other are lost. */
const isTaprootKey = (program: Uint8Array): boolean =>
  decoded(() => schnorr.utils.lift_x(bytesToNumberBE(program))) !== undefined;

function decoded<Value>(decode: () => Value): Value | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}

const EVM_FORM = /^0x[0-9a-fA-F]{40}$/;
/** Coins sent to the zero address are lost. */
const EVM_ZERO = /^0x0{40}$/;

/**
 * Returns whether the text is an EVM address. Mixed case carries a checksum (EIP-55), which must be right.
 * All lower or all upper case carries none.
 */
function isEvmAddress(text: string): boolean {
  if (!EVM_FORM.test(text) || EVM_ZERO.test(text)) return false;
  const digits = text.slice(2);
  const lower = digits.toLowerCase();
  if (digits === lower || digits === digits.toUpperCase()) return true;
  return digits === withChecksum(lower);
}

/** Returns an EVM address in any letter case with the letter case of its checksum; undefined for other texts. */
export const withEvmChecksum = (text: string): string | undefined =>
  EVM_FORM.test(text) ? `0x${withChecksum(text.slice(2).toLowerCase())}` : undefined;

function withChecksum(lower: string): string {
  const hash = keccak_256(new TextEncoder().encode(lower));
  return Array.from(lower, (digit, index) => {
    const nibble = ((hash[index >> 1] ?? 0) >> (index % 2 === 0 ? 4 : 0)) & 15;
    return nibble >= 8 ? digit.toUpperCase() : digit;
  }).join("");
}
