import { parseDigits } from "../digits.ts";
import {
  EndpointFault,
  type Headers,
  makePoster,
  makeRpc,
  type Rpc,
  type RpcCall,
  type RpcOptions,
  RpcRefusal,
} from "../rpc.ts";

/** The node's own interface has one question in a request, and providers allow some 15 requests a second. */
const REQUESTS_AT_ONCE = 2;

/**
 * Makes a client of a server with the interfaces of a java-tron node: Ethereum's JSON-RPC under `/jsonrpc`, and the
 * node's own under `/wallet` and `/walletsolidity`. A method that begins with a slash is a path of the node's own
 * interface, and its parameter the body. All numbers of those answers are text.
 */
export function makeTronRpc(options: RpcOptions): Rpc {
  const { name } = options;
  const { url, headers } = splitKey(options.url);
  const ethereum = makeRpc({ ...options, url: `${url}/jsonrpc` }, headers);
  const own = makePoster({ ...options, url }, headers);
  const post = async ([path, body]: RpcCall): Promise<unknown> => {
    const answer = parseDigits(name, await own.post(JSON.stringify(body), path));
    if (typeof answer !== "object" || answer === null || Array.isArray(answer)) {
      throw new EndpointFault(name, `no answer to ${path}`);
    }
    // A node that refuses a question says so with the status of a success.
    const { Error: problem } = answer as { readonly Error?: unknown };
    if (problem !== undefined) {
      throw new RpcRefusal(`${name}: ${path}: ${JSON.stringify(problem).slice(0, 200)}`);
    }
    return answer;
  };
  const ask: Rpc["ask"] = async (calls) => {
    if (!calls[0]?.[0].startsWith("/")) return ethereum.ask(calls);
    const answers: unknown[] = [];
    for (let index = 0; index < calls.length; index += REQUESTS_AT_ONCE) {
      const part = calls.slice(index, index + REQUESTS_AT_ONCE);
      answers.push(...(await Promise.all(part.map(post))));
    }
    return answers;
  };
  const close = async (): Promise<void> => {
    await Promise.all([ethereum.close(), own.close()]);
  };
  return { name, ask, close };
}

/** A provider's key is the name of the address, as in `https://key@api.trongrid.io`. It belongs to a header. */
function splitKey(text: string): { readonly url: string; readonly headers: Headers } {
  const url = new URL(text);
  const key = decodeURIComponent(url.username);
  url.username = "";
  return {
    url: url.href.replace(/\/+$/, ""),
    headers: key === "" ? {} : { "tron-pro-api-key": key },
  };
}

/** A whole number as nodes write it: digits that fit into 64 bits. */
export const UNITS = /^[0-9]{1,19}$/;

/** Returns a whole number of an answer of the node's own interface. */
export function unitsOf(rpc: Rpc, value: unknown, what: string): bigint {
  if (typeof value === "string" && UNITS.test(value)) return BigInt(value);
  throw new EndpointFault(rpc.name, `the answer has a bad ${what}`);
}
