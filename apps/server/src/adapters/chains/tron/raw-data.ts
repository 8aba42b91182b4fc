import { bytesToHex } from "@noble/hashes/utils.js";
import {
  bytesAt,
  type Field,
  numberAt,
  readFields,
  refuseUnusual,
  writeFields,
} from "../../../domain/wallets/protobuf.ts";
import { readTronBytes } from "../../../domain/wallets/tron.ts";

/** The one instruction of a transaction, as far as it concerns us. Addresses have the EVM form. */
export interface Instruction {
  /** The account that makes the transaction, and pays for it. */
  readonly owner: string;
  /** Present where it moves TRX from account to account. */
  readonly transfer?: { readonly to: string; readonly units: bigint };
}

/** Numbers of the fields of `Transaction.raw`, `Contract` and `google.protobuf.Any`. */
const RAW_FIELDS = [1, 3, 4, 8, 10, 11, 12, 14, 18];
const CONTRACT = 11;
const CONTRACT_FIELDS = [1, 2, 3, 4, 5];
const CONTRACT_TYPE = 1;
const CONTRACT_PARAMETER = 2;
const ANY_FIELDS = [1, 2];
const ANY_TYPE = 1;
const ANY_VALUE = 2;
/** Numbers of the fields of `TransferContract`. */
const OWNER = 1;
const TO = 2;
const AMOUNT = 3;

/** The number and the name of the only instruction that moves TRX to another account. */
const TRANSFER = 1n;
const TRANSFER_TYPE = "type.googleapis.com/protocol.TransferContract";
const UNITS_MAX = (1n << 63n) - 1n;

/**
 * The account is the first field of an instruction, except in these: `TransferAssetContract`, `AccountUpdateContract`
 * and `SetAccountIdContract`. Their first field is a name that anybody may choose, such as our address.
 */
const OWNER_IS_SECOND: ReadonlySet<bigint> = new Set([2n, 10n, 19n]);
/** The newest instruction whose fields we know. */
const TYPE_MAX = 59n;

/**
 * Reads the instruction of a transaction from the bytes whose hash is its id, because no node can change those. Other
 * instructions look like a payment in Ethereum's JSON-RPC: one of a worthless token has its amount as the value.
 * Returns undefined for bytes that are not written in the usual way, because a node may read another amount or account.
 */
export function readInstruction(rawData: Uint8Array): Instruction | undefined {
  try {
    const raw = readFields(rawData);
    refuseUnusual(raw, RAW_FIELDS);
    const contract = readFields(bytesAt(raw, CONTRACT));
    refuseUnusual(contract, CONTRACT_FIELDS);
    // A node leaves out the number 0.
    const hasType = contract.some(({ number }) => number === CONTRACT_TYPE);
    const type = hasType ? numberAt(contract, CONTRACT_TYPE) : 0n;
    return readParameter(type, bytesAt(contract, CONTRACT_PARAMETER));
  } catch {
    return undefined;
  }
}

function readParameter(type: bigint, bytes: Uint8Array): Instruction | undefined {
  const parameter = readFields(bytes);
  refuseUnusual(parameter, ANY_FIELDS);
  const name = new TextDecoder().decode(bytesAt(parameter, ANY_TYPE));
  const fields = readFields(bytesAt(parameter, ANY_VALUE));
  const owner = readTronBytes(bytesAt(fields, OWNER_IS_SECOND.has(type) ? TO : OWNER));
  if (owner === undefined || type > TYPE_MAX) return undefined;
  if (type !== TRANSFER || name !== TRANSFER_TYPE) return { owner };
  const to = readTronBytes(bytesAt(fields, TO));
  const units = numberAt(fields, AMOUNT);
  if (to === undefined || units === 0n || units > UNITS_MAX) return undefined;
  const isUsual = bytesToHex(bytes) === bytesToHex(writeTransfer(fields, units));
  return isUsual ? { owner, transfer: { to, units } } : undefined;
}

/** Returns the parameter that a node writes for the transfer of TRX that was read. */
const writeTransfer = (fields: readonly Field[], units: bigint): Uint8Array =>
  writeFields([
    { number: ANY_TYPE, value: new TextEncoder().encode(TRANSFER_TYPE) },
    {
      number: ANY_VALUE,
      value: writeFields([
        { number: OWNER, value: bytesAt(fields, OWNER) },
        { number: TO, value: bytesAt(fields, TO) },
        { number: AMOUNT, value: units },
      ]),
    },
  ]);
