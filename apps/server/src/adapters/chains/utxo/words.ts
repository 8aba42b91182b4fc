/** The words of a Bitcoin-like node. A value of another form is a fault of the endpoint that sent it. */
import { EndpointFault } from "../rpc.ts";

export interface NodeBlock {
  readonly hash?: unknown;
  readonly height?: unknown;
  /** Absent from the first block. */
  readonly previousblockhash?: unknown;
  readonly tx?: unknown;
}

export interface NodeTransaction {
  readonly txid?: unknown;
  readonly vin?: unknown;
  readonly vout?: unknown;
}

export interface NodeInput {
  /** Absent from the transaction that pays the miner. */
  readonly txid?: unknown;
  readonly vout?: unknown;
}

export interface NodeOutput {
  readonly value?: unknown;
  readonly n?: unknown;
  readonly scriptPubKey?: { readonly hex?: unknown } | null;
}

export interface NodeWords {
  /** A whole number that is not negative. */
  whole(value: unknown): bigint;
  /** An amount in coins, as its smallest units. */
  units(value: unknown): bigint;
  hash(value: unknown): string;
  /** Bytes in hexadecimal digits, perhaps none. */
  bytes(value: unknown): string;
  list<Item extends object>(value: unknown): readonly Item[];
  /** A list of values that are not lists or objects. */
  texts(value: unknown): readonly unknown[];
  object<Shape extends object>(value: unknown): Shape;
}

const WHOLE = /^\d{1,18}$/;
/** All coins of this family have eight decimals. */
const DECIMALS = 8;
const AMOUNT = /^(\d{1,18})(?:\.(\d{1,8}))?$/;
const HASH = /^[0-9a-f]{64}$/;
const BYTES = /^([0-9a-f]{2})*$/;

/** Returns readers that blame the endpoint of this name. */
export function nodeWordsOf(endpoint: string): NodeWords {
  const refuse = (what: string): never => {
    throw new EndpointFault(endpoint, `the answer has a bad ${what}`);
  };
  const textOf = (value: unknown, form: RegExp, what: string): string =>
    typeof value === "string" && form.test(value) ? value : refuse(what);
  const isObject = (value: unknown): value is object =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  return {
    whole: (value) => BigInt(textOf(value, WHOLE, "number")),
    units: (value) => {
      const [, coins = "", parts = ""] = AMOUNT.exec(textOf(value, AMOUNT, "amount")) ?? [];
      return BigInt(coins + parts.padEnd(DECIMALS, "0"));
    },
    hash: (value) => textOf(value, HASH, "hash"),
    bytes: (value) => textOf(value, BYTES, "script"),
    list: <Item extends object>(value: unknown) =>
      Array.isArray(value) && value.every(isObject) ? (value as Item[]) : refuse("list"),
    texts: (value) => (Array.isArray(value) ? value : refuse("list")),
    object: <Shape extends object>(value: unknown) =>
      isObject(value) ? (value as Shape) : refuse("object"),
  };
}
