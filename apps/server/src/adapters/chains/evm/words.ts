/** The words of Ethereum's JSON-RPC. A value of another form is a fault of the endpoint that sent it. */
import { EndpointFault } from "../rpc.ts";

const QUANTITY = /^0x[0-9a-f]{1,64}$/i;
const FLAG = /^0x0*[01]$/;
const HASH = /^0x[0-9a-f]{64}$/;
const ADDRESS = /^0x[0-9a-f]{40}$/;

export interface RpcBlock {
  readonly number?: unknown;
  readonly hash?: unknown;
  readonly parentHash?: unknown;
  readonly transactions?: readonly RpcTransaction[];
}

export interface RpcTransaction {
  readonly hash?: unknown;
  readonly from?: unknown;
  readonly nonce?: unknown;
  readonly to?: unknown;
  readonly value?: unknown;
  readonly input?: unknown;
}

export interface RpcLog {
  readonly address?: unknown;
  readonly topics?: readonly unknown[];
  readonly data?: unknown;
  readonly blockHash?: unknown;
  readonly blockNumber?: unknown;
  readonly transactionHash?: unknown;
  readonly logIndex?: unknown;
  readonly removed?: unknown;
}

export interface RpcReceipt {
  readonly blockHash?: unknown;
  readonly blockNumber?: unknown;
  readonly transactionHash?: unknown;
  readonly from?: unknown;
  readonly gasUsed?: unknown;
  readonly effectiveGasPrice?: unknown;
  /** The part of the fee that a rollup pays to the network below it. */
  readonly l1Fee?: unknown;
  /** The parameters of the fee that a rollup's operator takes, since the upgrade Isthmus. */
  readonly operatorFeeScalar?: unknown;
  readonly operatorFeeConstant?: unknown;
  /** Only in receipts since the upgrade Jovian. */
  readonly daFootprintGasScalar?: unknown;
  readonly status?: unknown;
  readonly logs?: readonly RpcLog[];
}

export interface Words {
  quantity(value: unknown): bigint;
  /** A quantity that is one or zero. */
  flag(value: unknown): boolean;
  hash(value: unknown): string;
  /** Returns an address in lower case. */
  address(value: unknown): string;
  /** Returns a list of objects. */
  list<Item extends object>(value: unknown): readonly Item[];
  /** Returns an object, or undefined for `null`. */
  object<Shape extends object>(value: unknown): Shape | undefined;
}

/** Returns readers that blame the endpoint of this name. */
export function wordsOf(endpoint: string): Words {
  const refuse = (what: string): never => {
    throw new EndpointFault(endpoint, `the answer has a bad ${what}`);
  };
  const textOf = (value: unknown, form: RegExp, what: string): string => {
    const text = typeof value === "string" ? value.toLowerCase() : "";
    return form.test(text) ? text : refuse(what);
  };
  const isObject = (value: unknown): value is object =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  return {
    quantity: (value) => BigInt(textOf(value, QUANTITY, "quantity")),
    flag: (value) => textOf(value, FLAG, "status").endsWith("1"),
    hash: (value) => textOf(value, HASH, "hash"),
    address: (value) => textOf(value, ADDRESS, "address"),
    list: <Item extends object>(value: unknown) =>
      Array.isArray(value) && value.every(isObject) ? (value as Item[]) : refuse("list"),
    object: <Shape extends object>(value: unknown) => {
      if (value === null || value === undefined) return undefined;
      return isObject(value) ? (value as Shape) : refuse("object");
    },
  };
}

/** Writes a quantity as JSON-RPC wants it: hexadecimal, without leading zeros. */
export const hexOf = (number: bigint): string => `0x${number.toString(16)}`;
