import { ripemd160 } from "@noble/hashes/legacy.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { base58xrp } from "@scure/base";

const CHECKSUM_BYTES = 4;
const CLASSIC_BYTES = 21;
const X_ADDRESS_BYTES = 31;

/** Returns whether the text is a classic address ("r…") or a mainnet X-address ("X…") of the XRP Ledger. */
export function isXrpAddress(text: string): boolean {
  const payload = decodeChecked(text);
  if (!payload) return false;
  if (payload.length === CLASSIC_BYTES) return payload[0] === 0;
  return payload.length === X_ADDRESS_BYTES && isMainnetXAddress(payload);
}

/** XLS-5: two bytes of prefix, the account, a flag, and a tag of 4 bytes in a field of 8. */
function isMainnetXAddress(payload: Uint8Array): boolean {
  const [first, second] = payload;
  const flag = payload[22];
  const tagField = payload.subarray(23);
  const unused = flag === 0 ? tagField : tagField.subarray(4);
  return (
    first === 0x05 &&
    second === 0x44 &&
    (flag === 0 || flag === 1) &&
    unused.every((byte) => byte === 0)
  );
}

/** The account behind an X-address, as a classic address, and its tag. */
export interface XrpAccount {
  readonly address: string;
  readonly memo: string | null;
}

/** Returns the account that an X-address stands for; undefined for any other text. */
export function xrpAccountOf(text: string): XrpAccount | undefined {
  const payload = decodeChecked(text);
  if (payload?.length !== X_ADDRESS_BYTES || !isMainnetXAddress(payload)) return undefined;
  const tag = new DataView(payload.buffer, payload.byteOffset).getUint32(23, true);
  return {
    address: toXrpAddress(payload.subarray(2, 22)),
    memo: payload[22] === 1 ? String(tag) : null,
  };
}

/** Returns the classic address of an account's 20 bytes. */
export function toXrpAddress(accountId: Uint8Array): string {
  const classic = Uint8Array.of(0, ...accountId);
  const checksum = sha256(sha256(classic)).subarray(0, CHECKSUM_BYTES);
  return base58xrp.encode(Uint8Array.of(...classic, ...checksum));
}

/** Returns the classic address of the account that a public key alone controls. */
export const xrpAddressOfKey = (publicKey: Uint8Array): string =>
  toXrpAddress(ripemd160(sha256(publicKey)));

/** Returns the 20 bytes of an account. Throws for any other text than a classic address. */
export function xrpAccountId(address: string): Uint8Array {
  const payload = decodeChecked(address);
  if (payload?.length === CLASSIC_BYTES && payload[0] === 0) return payload.subarray(1);
  throw new Error(`${address} is not a classic address of the XRP Ledger`);
}

/** Returns the payload before the double SHA-256 checksum; undefined if the checksum is wrong. */
function decodeChecked(text: string): Uint8Array | undefined {
  let bytes: Uint8Array;
  try {
    bytes = base58xrp.decode(text);
  } catch {
    return undefined;
  }
  if (bytes.length <= CHECKSUM_BYTES) return undefined;
  const payload = bytes.subarray(0, -CHECKSUM_BYTES);
  const checksum = bytes.subarray(-CHECKSUM_BYTES);
  const expected = sha256(sha256(payload));
  return checksum.every((byte, index) => byte === expected[index]) ? payload : undefined;
}
