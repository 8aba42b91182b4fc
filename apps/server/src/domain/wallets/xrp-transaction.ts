import { secp256k1 } from "@noble/curves/secp256k1.js";
import { sha512 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { toXrpAddress, xrpAccountId, xrpAddressOfKey } from "./xrp-address.ts";

/**
 * A transaction of ours on the XRP Ledger: a payment of XRP, or one that only uses its sequence. This file writes and
 * reads the binary form of these two and of no others (docs/decisions/0122-write-xrp-payments-ourselves.md).
 */
export interface XrpTransaction {
  /** The account that sends, as a classic address. */
  readonly account: string;
  readonly sequence: number;
  /** The last ledger that may have it. */
  readonly lastLedger: number;
  /** In drops. */
  readonly fee: bigint;
  /** Networks up to 1024 have no field for it. */
  readonly networkId: number;
  /** Null where only the sequence is used. */
  readonly payment: XrpPayment | null;
}

export interface XrpPayment {
  readonly to: string;
  readonly tag: number | null;
  /** In drops. */
  readonly units: bigint;
}

/** A transaction that was read from its signed bytes, whose signature is right. */
export interface SignedXrp extends XrpTransaction {
  readonly hash: string;
  /** The account that the key alone controls. An account may let other keys sign, and ours does not. */
  readonly signer: string;
}

/** No account can hold more drops than there are. */
export const DROPS_MAX = 10n ** 17n;
const UINT32_MAX = 2 ** 32 - 1;
/** Larger numbers are those of networks that put their number into each transaction. */
const NETWORK_ID_MAX = 1_024;

const TYPES = { payment: 0, accountSet: 3 } as const;
/** `tfFullyCanonicalSig`. It must not be `tfPartialPayment`, by which the receiver may have less. */
const FLAGS = 0x8000_0000;
/** An amount is of XRP, and positive. */
const XRP_POSITIVE = 1n << 62n;

/** The heads of the fields, in the one order that the ledger has for them. */
const FIELDS = {
  type: "12",
  networkId: "21",
  flags: "22",
  sequence: "24",
  tag: "2e",
  lastLedger: "201b",
  amount: "61",
  fee: "68",
  publicKey: "73",
  signature: "74",
  account: "8114",
  destination: "8314",
} as const;

/** Before the bytes that are hashed: "TXN" and "STX" with a zero. */
const HASH_PREFIX = hexToBytes("54584e00");
const SIGNING_PREFIX = hexToBytes("53545800");
const PUBLIC_KEY_BYTES = 33;
const SIGNATURE_BYTES_MAX = 72;

const numberHex = (value: number | bigint, bytes: number): string =>
  value.toString(16).padStart(bytes * 2, "0");
const blobHex = (bytes: Uint8Array): string => numberHex(bytes.length, 1) + bytesToHex(bytes);
const halfOf = (prefix: Uint8Array, bytes: Uint8Array): Uint8Array =>
  sha512(Uint8Array.of(...prefix, ...bytes)).subarray(0, 32);

/** Writes a transaction. Without a signature it is what `signXrp` signs. */
function write(
  { account, sequence, lastLedger, fee, networkId, payment }: XrpTransaction,
  publicKey: Uint8Array,
  signature?: Uint8Array,
): Uint8Array {
  requireUint32({ sequence, lastLedger, networkId, tag: payment?.tag ?? 0 });
  requireDrops({ fee, units: payment?.units ?? 1n });
  const parts = [
    FIELDS.type + numberHex(payment ? TYPES.payment : TYPES.accountSet, 2),
    networkId > NETWORK_ID_MAX ? FIELDS.networkId + numberHex(networkId, 4) : "",
    FIELDS.flags + numberHex(FLAGS, 4),
    FIELDS.sequence + numberHex(sequence, 4),
    payment && payment.tag !== null ? FIELDS.tag + numberHex(payment.tag, 4) : "",
    FIELDS.lastLedger + numberHex(lastLedger, 4),
    payment ? FIELDS.amount + numberHex(XRP_POSITIVE + payment.units, 8) : "",
    FIELDS.fee + numberHex(XRP_POSITIVE + fee, 8),
    FIELDS.publicKey + blobHex(publicKey),
    signature ? FIELDS.signature + blobHex(signature) : "",
    FIELDS.account + bytesToHex(xrpAccountId(account)),
    payment ? FIELDS.destination + bytesToHex(xrpAccountId(payment.to)) : "",
  ];
  return hexToBytes(parts.join(""));
}

function requireUint32(numbers: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(numbers)) {
    if (Number.isInteger(value) && value >= 0 && value <= UINT32_MAX) continue;
    throw new Error(`${name} is ${value}, and a transaction holds 0 to ${UINT32_MAX}`);
  }
}

function requireDrops(amounts: Readonly<Record<string, bigint>>): void {
  for (const [name, value] of Object.entries(amounts)) {
    if (value > 0n && value <= DROPS_MAX) continue;
    throw new Error(`${name} is ${value} drops, and a transaction holds 1 to ${DROPS_MAX}`);
  }
}

/** A transaction that is ready to be signed. */
export interface UnsignedXrp {
  /** The bytes that the signature covers, without their prefix. */
  readonly bytes: Uint8Array;
  /** Signatures are deterministic (RFC 6979), so the same transaction has the same bytes. */
  sign(): { readonly hash: string; readonly bytes: Uint8Array };
}

/** Writes the transaction for the key. */
export function prepareXrp(transaction: XrpTransaction, key: Uint8Array): UnsignedXrp {
  const publicKey = secp256k1.getPublicKey(key, true);
  const bytes = write(transaction, publicKey);
  const sign = () => {
    const digest = halfOf(SIGNING_PREFIX, bytes);
    const signature = secp256k1.sign(digest, key, { prehash: false, format: "der" });
    const signed = write(transaction, publicKey, signature);
    return { hash: readSignedXrp(signed, transaction.networkId).hash, bytes: signed };
  };
  return { bytes, sign };
}

/**
 * Reads a signed transaction from its bytes, with no regard to how they were written. Throws for any other transaction,
 * for bytes that the ledger would write differently, and for a signature that is wrong.
 * `networkId` is that of the network: transactions of the public ones do not name theirs.
 */
export function readSignedXrp(bytes: Uint8Array, networkId: number): SignedXrp {
  const fields = readFields(bytesToHex(bytes));
  const numberOf = (name: FieldName): number => Number.parseInt(fields[name] ?? "0", 16);
  const dropsOf = (name: FieldName): bigint => BigInt(`0x${fields[name] ?? "0"}`) - XRP_POSITIVE;
  const publicKey = hexToBytes(fields.publicKey ?? "");
  const signature = hexToBytes(fields.signature ?? "");
  const isPayment = numberOf("type") === TYPES.payment;
  const transaction: XrpTransaction = {
    account: toXrpAddress(hexToBytes(fields.account ?? "")),
    sequence: numberOf("sequence"),
    lastLedger: numberOf("lastLedger"),
    fee: dropsOf("fee"),
    networkId: fields.networkId === undefined ? networkId : numberOf("networkId"),
    payment: isPayment
      ? {
          to: toXrpAddress(hexToBytes(fields.destination ?? "")),
          tag: fields.tag === undefined ? null : numberOf("tag"),
          units: dropsOf("amount"),
        }
      : null,
  };
  if (bytesToHex(write(transaction, publicKey, signature)) !== bytesToHex(bytes)) {
    throw new Error("the bytes are not a transaction as we write it");
  }
  const digest = halfOf(SIGNING_PREFIX, write(transaction, publicKey));
  const options = { prehash: false, format: "der" } as const;
  if (!secp256k1.verify(signature, digest, publicKey, options)) {
    throw new Error("the signature of the transaction is wrong");
  }
  const hash = bytesToHex(halfOf(HASH_PREFIX, bytes)).toUpperCase();
  return { ...transaction, hash, signer: xrpAddressOfKey(publicKey) };
}

type FieldName = keyof typeof FIELDS;
/** The digits of each field. Those that are blobs have their length before them. */
const DIGITS: Readonly<Record<FieldName, number | "blob">> = {
  type: 4,
  networkId: 8,
  flags: 8,
  sequence: 8,
  tag: 8,
  lastLedger: 8,
  amount: 16,
  fee: 16,
  publicKey: "blob",
  signature: "blob",
  account: 40,
  destination: 40,
};

/** Reads the fields in their order. One that is missing, repeated or unknown ends the reading, and the rest is refused. */
function readFields(text: string): Partial<Record<FieldName, string>> {
  const found: Partial<Record<FieldName, string>> = {};
  let at = 0;
  for (const name of Object.keys(FIELDS) as FieldName[]) {
    const head = FIELDS[name];
    if (!text.startsWith(head, at)) continue;
    at += head.length;
    let digits = DIGITS[name];
    if (digits === "blob") {
      digits = 2 * Number.parseInt(text.slice(at, at + 2), 16);
      at += 2;
      const most = name === "publicKey" ? PUBLIC_KEY_BYTES : SIGNATURE_BYTES_MAX;
      if (digits > 2 * most) throw new Error(`the field ${name} is too long`);
    }
    found[name] = text.slice(at, at + digits);
    at += digits;
  }
  if (at === text.length) return found;
  throw new Error("the bytes are not a transaction as we write it");
}
