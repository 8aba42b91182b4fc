import { createHash } from "node:crypto";

/** A question to a server of Tron: a method of `/jsonrpc`, or a path of the node's own interface. */
export interface TronQuestion {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A transaction as anvil says it. */
export interface AnvilTransaction {
  readonly hash: string;
  readonly from: string;
  readonly to: string | null;
  readonly value: string;
  readonly input: string;
}

/** Begins the data of a transaction on anvil that is a payment of a TRC-10 token on Tron. The amount follows. */
export const TRC10 = "0x54524331";

const bytesOf = (hex: string): Buffer => Buffer.from(hex.replace(/^0x/, ""), "hex");
const accountOf = (address: string): Buffer => Buffer.concat([Buffer.of(0x41), bytesOf(address)]);

const number = (value: bigint): Buffer => {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>= 7n) {
    if (rest < 0x80n) return Buffer.from([...bytes, Number(rest)]);
    bytes.push(Number(rest & 0x7fn) | 0x80);
  }
};
const numberField = (field: number, value: bigint): Buffer =>
  Buffer.concat([number(BigInt(field << 3)), number(value)]);
export const bytesField = (field: number, value: Buffer): Buffer =>
  Buffer.concat([number(BigInt((field << 3) | 2)), number(BigInt(value.length)), value]);

/** An instruction: its number and name in Tron's protocol, and its fields. */
export interface TronContract {
  readonly type: bigint;
  readonly name: string;
  readonly fields: readonly Buffer[];
}

/** Returns the raw data of a transaction with one instruction. The note makes its id unique. */
export function rawDataOf({ type, name, fields }: TronContract, note: Buffer): Buffer {
  const parameter = Buffer.concat([
    bytesField(1, Buffer.from(`type.googleapis.com/protocol.${name}`)),
    bytesField(2, Buffer.concat([...fields])),
  ]);
  const contract = Buffer.concat([numberField(1, type), bytesField(2, parameter)]);
  return Buffer.concat([
    bytesField(1, Buffer.from("0001", "hex")),
    bytesField(4, note.subarray(0, 8)),
    numberField(8, 1_800_000_060_000n),
    bytesField(10, note),
    bytesField(11, contract),
    numberField(14, 1_800_000_000_000n),
  ]);
}

/** Returns the fields of an instruction that moves an amount from account to account. */
export const transferFields = (from: string, to: string, units: bigint): readonly Buffer[] => [
  bytesField(1, accountOf(from)),
  bytesField(2, accountOf(to)),
  numberField(3, units),
];

function contractOf({ from, to, value, input }: AnvilTransaction): TronContract {
  if (to === null) {
    const fields = [bytesField(1, accountOf(from))];
    return { type: 30n, name: "CreateSmartContract", fields };
  }
  if (input.startsWith(TRC10)) {
    const [owner, receiver, amount] = transferFields(from, to, BigInt(`0x${input.slice(10)}`));
    const token = bytesField(1, Buffer.from("1002000"));
    const moved = [owner, receiver, amount].map((field) => field ?? Buffer.of());
    // Its account is the second field, its receiver the third and its amount the fourth.
    const fields = [token, ...moved.map((field, index) => shifted(field, index + 2))];
    return { type: 2n, name: "TransferAssetContract", fields };
  }
  if (input === "0x") {
    const fields = transferFields(from, to, BigInt(value));
    return { type: 1n, name: "TransferContract", fields };
  }
  const call = [bytesField(1, accountOf(from)), bytesField(2, accountOf(to))];
  const fields = [...call, numberField(3, BigInt(value)), bytesField(4, bytesOf(input))];
  return { type: 31n, name: "TriggerSmartContract", fields };
}

/** Returns the field with another number. Numbers below 16 are one byte. */
const shifted = (field: Buffer, to: number): Buffer =>
  Buffer.concat([Buffer.of((to << 3) | ((field[0] ?? 0) & 7)), field.subarray(1)]);

export interface TronTransaction {
  readonly id: string;
  readonly rawData: string;
}

/** The transactions that were broadcast on Tron, by the hash of the one of anvil that carries each out. */
export const broadcasts = new Map<string, TronTransaction>();

/** Returns the transaction of Tron that stands for one of anvil: the same one, wherever it is mined. */
export function tronTransaction(transaction: AnvilTransaction): TronTransaction {
  const broadcast = broadcasts.get(transaction.hash);
  if (broadcast) return broadcast;
  const rawData = rawDataOf(contractOf(transaction), bytesOf(transaction.hash));
  return {
    id: createHash("sha256").update(rawData).digest("hex"),
    rawData: rawData.toString("hex"),
  };
}
