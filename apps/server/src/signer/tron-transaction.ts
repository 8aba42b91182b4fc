import { secp256k1 } from "@noble/curves/secp256k1.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { addr } from "micro-eth-signer";
import {
  bytesAt,
  type Field,
  numberAt,
  readFields,
  refuseUnusual,
  writeFields,
} from "../domain/wallets/protobuf.ts";
import {
  readTronBytes,
  TRC20_TRANSFER,
  type TronTransfer,
  toTronForm,
  tronBytes,
} from "../domain/wallets/tron.ts";
import { hasNoKey } from "../domain/wallets/without-key.ts";
import type { SignedAnswer, TronTerms } from "./protocol.ts";
import { SignRefusal } from "./signer-error.ts";
import type { TronAccount } from "./wallets.ts";

export interface UnsignedTron {
  /** The transaction's id: the hash of the bytes that are signed. */
  readonly hash: string;
  sign(): SignedAnswer;
}

/** Field numbers of `Transaction`, `Transaction.raw`, `Contract` and `google.protobuf.Any`, as java-tron writes them. */
const TRANSACTION = { rawData: 1, signature: 2 } as const;
const RAW = {
  referenceBytes: 1,
  referenceHash: 4,
  expiration: 8,
  contract: 11,
  timestamp: 14,
  feeLimit: 18,
} as const;
const CONTRACT = { type: 1, parameter: 2 } as const;
const ANY = { typeUrl: 1, value: 2 } as const;
/** Field numbers of `TransferContract` and `TriggerSmartContract`. */
const TRANSFER = { owner: 1, to: 2, amount: 3 } as const;
const TRIGGER = { owner: 1, contract: 2, data: 4 } as const;

const INSTRUCTIONS = {
  transfer: { type: 1n, url: "type.googleapis.com/protocol.TransferContract" },
  trigger: { type: 31n, url: "type.googleapis.com/protocol.TriggerSmartContract" },
} as const;

const INT64_MAX = 2n ** 63n - 1n;
const REFERENCE_BYTES_DIGITS = 4;
/** A recovery id begins with 27 in a signature of Tron. */
const RECOVERY_BASE = 27;

/** Returns the 21 bytes of an address. Throws a refusal for any other text. */
function addressBytes(text: string): Uint8Array {
  try {
    return tronBytes(text);
  } catch {
    throw new SignRefusal(
      "address",
      `"${text}" is not an address of Tron, or its checksum is wrong.`,
    );
  }
}

/** Throws unless the text is an address of Tron that somebody may have the key of. */
export function requireTronAddress(text: string): void {
  addressBytes(text);
  if (!hasNoKey("tron", text)) return;
  throw new SignRefusal("destination", `Nobody has a key of ${text}. Coins sent there are lost.`);
}

/** Builds the transaction, decodes its bytes again and compares them with the transfer. */
export function buildTron(
  account: TronAccount,
  transfer: TronTransfer,
  terms: TronTerms,
): UnsignedTron {
  const { contract, units } = transfer;
  if (units > (contract === null ? INT64_MAX : 2n ** 256n - 1n)) {
    throw new SignRefusal("release_text", "The units are more than a transfer can hold.");
  }
  if ((contract === null) !== (terms.feeLimit === "0")) {
    throw new SignRefusal(
      "fee",
      "A call of a token needs a feeLimit, and a transfer of TRX has 0.",
    );
  }
  const { type, url } = contract === null ? INSTRUCTIONS.transfer : INSTRUCTIONS.trigger;
  const parameter = writeFields([
    { number: ANY.typeUrl, value: utf8ToBytes(url) },
    { number: ANY.value, value: writeFields(instructionOf(account, transfer)) },
  ]);
  const feeLimit = BigInt(terms.feeLimit);
  const rawData = writeFields([
    ...referenceFields(terms),
    { number: RAW.expiration, value: BigInt(terms.expiration) },
    {
      number: RAW.contract,
      value: writeFields([
        { number: CONTRACT.type, value: type },
        { number: CONTRACT.parameter, value: parameter },
      ]),
    },
    { number: RAW.timestamp, value: BigInt(terms.timestamp) },
    ...(feeLimit > 0n ? [{ number: RAW.feeLimit, value: feeLimit }] : []),
  ]);
  requireSameTransfer(rawData, { account, transfer, terms });
  const digest = sha256(rawData);
  return { hash: bytesToHex(digest), sign: () => signRaw(account, rawData, digest) };
}

const referenceFields = ({ reference }: TronTerms): readonly Field[] => [
  {
    number: RAW.referenceBytes,
    value: hexToBytes(reference.slice(0, REFERENCE_BYTES_DIGITS)),
  },
  { number: RAW.referenceHash, value: hexToBytes(reference.slice(REFERENCE_BYTES_DIGITS)) },
];

function instructionOf(
  account: TronAccount,
  { to, contract, units }: TronTransfer,
): readonly Field[] {
  const owner = addressBytes(account.address);
  if (contract === null) {
    return [
      { number: TRANSFER.owner, value: owner },
      { number: TRANSFER.to, value: addressBytes(to) },
      { number: TRANSFER.amount, value: units },
    ];
  }
  return [
    { number: TRIGGER.owner, value: owner },
    { number: TRIGGER.contract, value: addressBytes(contract) },
    { number: TRIGGER.data, value: callOf(to, units) },
  ];
}

/** The word of an address has its 20 bytes, without the prefix of Tron. */
const callOf = (to: string, units: bigint): Uint8Array => {
  const address = bytesToHex(addressBytes(to).slice(1));
  return hexToBytes(`${TRC20_TRANSFER}${address}${units.toString(16).padStart(64, "0")}`);
};

/** Reads the encoded bytes with no regard to how they were built. A fault in the encoder ends here. */
function requireSameTransfer(
  rawData: Uint8Array,
  expected: {
    readonly account: TronAccount;
    readonly transfer: TronTransfer;
    readonly terms: TronTerms;
  },
): void {
  const { account, transfer, terms } = expected;
  const { contract, units } = transfer;
  const raw = readFields(rawData);
  const hasCall = contract !== null;
  refuseUnusual(raw, hasCall ? Object.values(RAW) : Object.values(RAW).slice(0, -1));
  const reference =
    bytesToHex(bytesAt(raw, RAW.referenceBytes)) + bytesToHex(bytesAt(raw, RAW.referenceHash));
  const instruction = readFields(bytesAt(raw, RAW.contract));
  refuseUnusual(instruction, Object.values(CONTRACT));
  const any = readFields(bytesAt(instruction, CONTRACT.parameter));
  refuseUnusual(any, Object.values(ANY));
  const wanted = hasCall ? INSTRUCTIONS.trigger : INSTRUCTIONS.transfer;
  const fields = readFields(bytesAt(any, ANY.value));
  refuseUnusual(fields, Object.values(hasCall ? TRIGGER : TRANSFER));
  const isSame =
    reference === terms.reference &&
    numberAt(raw, RAW.expiration) === BigInt(terms.expiration) &&
    numberAt(raw, RAW.timestamp) === BigInt(terms.timestamp) &&
    (!hasCall || numberAt(raw, RAW.feeLimit) === BigInt(terms.feeLimit)) &&
    numberAt(instruction, CONTRACT.type) === wanted.type &&
    new TextDecoder().decode(bytesAt(any, ANY.typeUrl)) === wanted.url &&
    addressAt(fields, TRANSFER.owner) === account.address &&
    (hasCall
      ? addressAt(fields, TRIGGER.contract) === contract && readsAsCall(fields, transfer)
      : addressAt(fields, TRANSFER.to) === transfer.to &&
        numberAt(fields, TRANSFER.amount) === units);
  if (!isSame) throw new Error("the encoded transaction does not say what was to be signed");
}

const addressAt = (fields: readonly Field[], number: number): string => {
  const evmForm = readTronBytes(bytesAt(fields, number));
  return evmForm === undefined ? "" : toTronForm(evmForm);
};

function readsAsCall(fields: readonly Field[], { to, units }: TronTransfer): boolean {
  const data = bytesToHex(bytesAt(fields, TRIGGER.data));
  return (
    data.length === 136 &&
    data.startsWith(TRC20_TRANSFER) &&
    toTronForm(`0x${data.slice(32, 72)}`) === to &&
    BigInt(`0x${data.slice(72)}`) === units
  );
}

/** Signatures are deterministic (RFC 6979). */
function signRaw(account: TronAccount, rawData: Uint8Array, digest: Uint8Array): SignedAnswer {
  const [recovery = 0, ...rs] = secp256k1.sign(digest, account.key, {
    prehash: false,
    format: "recovered",
  });
  const signature = Uint8Array.of(...rs, recovery + RECOVERY_BASE);
  const signer = secp256k1.recoverPublicKey(Uint8Array.of(recovery, ...rs), digest, {
    prehash: false,
  });
  if (toTronForm(addr.fromPublicKey(signer)) !== account.address) {
    throw new Error("the signature does not recover the account's address");
  }
  const bytes = writeFields([
    { number: TRANSACTION.rawData, value: rawData },
    { number: TRANSACTION.signature, value: signature },
  ]);
  return { hash: bytesToHex(digest), bytes: bytesToHex(bytes) };
}
