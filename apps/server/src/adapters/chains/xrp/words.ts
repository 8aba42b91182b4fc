import { EndpointFault } from "../rpc.ts";

/** The words of rippled's interface. Numbers are text. A value of another form is a fault of the endpoint that sent it. */
export interface XrpWords {
  /** A number of a ledger, a sequence or a tag. */
  whole(value: unknown): bigint;
  /** An amount of XRP. An amount of anything else is an object. */
  drops(value: unknown): bigint;
  hash(value: unknown): string;
  address(value: unknown): string;
  /** The result of a transaction in a ledger: success, or why it only took its fee. No other result is an outcome. */
  result(value: unknown): string;
  object(value: unknown): Readonly<Record<string, unknown>>;
  list(value: unknown): readonly Readonly<Record<string, unknown>>[];
}

const WHOLE = /^(0|[1-9][0-9]{0,18})$/;
const HASH = /^[0-9A-F]{64}$/;
const RESULT = /^(tesSUCCESS|tec[A-Z][A-Z0-9_]{1,60})$/;
const ADDRESS = /^r[1-9A-HJ-NP-Za-km-z]{24,34}$/;

/** Returns readers that blame the endpoint of this name. */
export function xrpWordsOf(endpoint: string): XrpWords {
  const refuse = (what: string): never => {
    throw new EndpointFault(endpoint, `the answer has a bad ${what}`);
  };
  const textOf = (value: unknown, form: RegExp, what: string): string =>
    typeof value === "string" && form.test(value) ? value : refuse(what);
  const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  return {
    whole: (value) => BigInt(textOf(value, WHOLE, "number")),
    drops: (value) => BigInt(textOf(value, WHOLE, "amount of XRP")),
    hash: (value) => textOf(value, HASH, "hash"),
    address: (value) => textOf(value, ADDRESS, "address"),
    result: (value) => textOf(value, RESULT, "result"),
    object: (value) => (isObject(value) ? value : refuse("object")),
    list: (value) => (Array.isArray(value) && value.every(isObject) ? value : refuse("list")),
  };
}
