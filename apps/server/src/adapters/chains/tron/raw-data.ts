import { readAddressBytes } from "./addresses.ts";
import { bytesAt, numberAt, readFields } from "./protobuf.ts";

/** The one instruction of a transaction, as far as it concerns us. Addresses have the EVM form. */
export interface Instruction {
  /** The account that makes the transaction, and pays for it. */
  readonly owner: string;
  /** Present where it moves TRX from account to account. */
  readonly transfer?: { readonly to: string; readonly units: bigint };
}

/** Numbers of the fields of `Transaction.raw`, `Contract` and `google.protobuf.Any`. */
const CONTRACT = 11;
const CONTRACT_TYPE = 1;
const CONTRACT_PARAMETER = 2;
const ANY_TYPE = 1;
const ANY_VALUE = 2;
/** Numbers of the fields of `TransferContract`. The account is the first field of every kind of instruction. */
const OWNER = 1;
const TO = 2;
const AMOUNT = 3;

/** The number and the name of the only instruction that moves TRX to another account. */
const TRANSFER = 1n;
const TRANSFER_TYPE = "type.googleapis.com/protocol.TransferContract";
const UNITS_MAX = (1n << 63n) - 1n;

/**
 * Reads the instruction of a transaction from the bytes whose hash is its id, because no node can change those. Other
 * instructions look like a payment in Ethereum's JSON-RPC: one of a worthless token has its amount as the value.
 * Returns undefined for bytes that are not written in the usual way.
 */
export function readInstruction(rawData: Uint8Array): Instruction | undefined {
  try {
    const contract = readFields(bytesAt(readFields(rawData), CONTRACT));
    const parameter = readFields(bytesAt(contract, CONTRACT_PARAMETER));
    const fields = readFields(bytesAt(parameter, ANY_VALUE));
    const owner = readAddressBytes(bytesAt(fields, OWNER));
    if (owner === undefined) return undefined;
    const type = new TextDecoder().decode(bytesAt(parameter, ANY_TYPE));
    const isTransfer =
      type === TRANSFER_TYPE && contract.some((field) => field.number === CONTRACT_TYPE);
    if (!isTransfer || numberAt(contract, CONTRACT_TYPE) !== TRANSFER) return { owner };
    const to = readAddressBytes(bytesAt(fields, TO));
    const units = numberAt(fields, AMOUNT);
    return to === undefined || units > UNITS_MAX ? undefined : { owner, transfer: { to, units } };
  } catch {
    return undefined;
  }
}
