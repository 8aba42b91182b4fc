import { ed25519 } from "@noble/curves/ed25519.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { base58 } from "@scure/base";

/** Addresses of Solana, as the service and the signer read and write them. */

export const KEY_BYTES = 32;
const ADDRESS_CHARACTERS_MAX = 44;
/** The program that owns the accounts of wallets. Its address is 32 zero bytes. */
export const SYSTEM_PROGRAM = "11111111111111111111111111111111";

/** Returns the 32 bytes of an address. Throws for any other text. */
export function solanaBytes(address: string): Uint8Array {
  const bytes = base58.decode(address);
  if (bytes.length === KEY_BYTES) return bytes;
  throw new Error(`${address} is not a Solana address. An address is 32 bytes in base58.`);
}

/** Returns whether the text is 32 bytes in base58. Solana's addresses carry no checksum. */
export function isSolanaAddress(text: string): boolean {
  if (text.length < KEY_BYTES || text.length > ADDRESS_CHARACTERS_MAX) return false;
  try {
    return solanaBytes(text).length === KEY_BYTES;
  } catch {
    return false;
  }
}

export const toSolanaForm = (bytes: Uint8Array): string => base58.encode(bytes);

/**
 * Returns the address that the System Program derives from an account, a seed and itself. Nobody has a key of it: the
 * key of the account moves its coins, by `TransferWithSeed`.
 */
export const addressWithSeed = (base: string, seed: string): string =>
  toSolanaForm(
    sha256(concatBytes(solanaBytes(base), utf8ToBytes(seed), solanaBytes(SYSTEM_PROGRAM))),
  );

/** Returns whether the bytes of an address are those of some public key. Many wallets pay to no other ones. */
export function isOnCurve(address: string): boolean {
  try {
    ed25519.Point.fromBytes(solanaBytes(address));
    return true;
  } catch {
    return false;
  }
}

/** The program of the tokens that are paid out. Token-2022 is another one, whose tokens may take a fee of a transfer. */
export const TOKEN_PROGRAM = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA";
/** The program that opens the token account of a wallet. */
export const TOKEN_ACCOUNT_PROGRAM = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL";

const BUMP_MAX = 255;

/**
 * Returns the token account of a wallet, which the wallet's address and the mint determine. It is the first derived
 * address that is not a point of the curve, so nobody has a key for it.
 */
export function tokenAccountOf(wallet: string, mint: string): string {
  const seeds = [wallet, TOKEN_PROGRAM, mint].map(solanaBytes);
  const end = [solanaBytes(TOKEN_ACCOUNT_PROGRAM), utf8ToBytes("ProgramDerivedAddress")];
  for (let bump = BUMP_MAX; bump >= 0; bump -= 1) {
    const address = toSolanaForm(sha256(concatBytes(...seeds, Uint8Array.of(bump), ...end)));
    if (!isOnCurve(address)) return address;
  }
  throw new Error(`${wallet} has no token account of ${mint}`);
}

/** A deposit address, and the seed that its account derives it from. */
export interface SeededAddress {
  readonly address: string;
  readonly seed: string;
}

/** Returns the deposit address of an index: that of its first seed whose address looks like a wallet's. */
export function depositAddressOf(base: string, index: number): SeededAddress {
  for (let attempt = 0; ; attempt += 1) {
    const seed = `${index}.${attempt}`;
    const address = addressWithSeed(base, seed);
    if (isOnCurve(address)) return { address, seed };
  }
}

/** Names an account without its address: eight hexadecimal digits. */
export const fingerprintOfAccount = (base: string): string =>
  bytesToHex(sha256(solanaBytes(base)).slice(0, 4));
