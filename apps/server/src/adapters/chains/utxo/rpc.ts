import { parseDigits } from "../digits.ts";
import { EndpointFault, makePoster, type Rpc, type RpcOptions, RpcRefusal } from "../rpc.ts";

/** Codes of the nodes' RPC errors. */
export const NODE_CODES = {
  /** A parameter is out of range, as a height above the node's last block. */
  outOfRange: -8,
  /** The node has no such block or transaction. */
  notFound: -5,
} as const;
/** The node starts, and answers no question yet. */
const WARMING_UP = -28;

/**
 * Makes a client of a Bitcoin-like node. All numbers of its answers are text: an amount of a Dogecoin output does not
 * fit a double. Questions are always sent as a batch, because only then a refusal has the status of a success.
 */
export function makeNodeRpc(options: RpcOptions): Rpc {
  const { name } = options;
  const { url, authorization } = splitUrl(options.url);
  const poster = makePoster({ ...options, url }, authorization);
  let lastId = 0;
  const ask: Rpc["ask"] = async (calls) => {
    if (calls.length === 0) return [];
    const questions = calls.map(([method, ...params]) => {
      lastId += 1;
      return { jsonrpc: "1.0", id: lastId, method, params };
    });
    const answers = parseDigits(name, await poster.post(JSON.stringify(questions)));
    if (!Array.isArray(answers)) throw new EndpointFault(name, "the answer is not a list");
    const byId = new Map(answers.map((one: NodeAnswer | null) => [String(one?.id), one]));
    return questions.map(({ id, method }) => resultOf(byId.get(String(id)), { name, method }));
  };
  return { name, ask, close: poster.close };
}

/** The name and password of a node belong to the request's header. */
function splitUrl(text: string): {
  readonly url: string;
  readonly authorization: Readonly<Record<string, string>>;
} {
  const url = new URL(text);
  const { username, password } = url;
  url.username = "";
  url.password = "";
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const authorization = `Basic ${Buffer.from(pair).toString("base64")}`;
  return { url: url.href, authorization: username === "" ? {} : { authorization } };
}

interface NodeAnswer {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown } | null;
}

function resultOf(
  answer: NodeAnswer | null | undefined,
  { name, method }: { readonly name: string; readonly method: string },
): unknown {
  if (typeof answer !== "object" || answer === null) {
    throw new EndpointFault(name, `no answer to ${method}`);
  }
  if (answer.error) {
    const code = Number(answer.error.code);
    const message = String(answer.error.message).slice(0, 200);
    if (code === WARMING_UP) throw new EndpointFault(name, message);
    throw new RpcRefusal(`${name}: ${method}: ${message}`, code);
  }
  if (answer.result === undefined) throw new EndpointFault(name, `no answer to ${method}`);
  return answer.result;
}
