import { parseDigits } from "../digits.ts";
import { EndpointFault, makePoster, type Rpc, type RpcCall, type RpcOptions } from "../rpc.ts";

/** Public servers slow down clients that ask much at once. */
const REQUESTS_AT_ONCE = 4;

/** An answer of a server. `error` names the reason of a refusal, such as `actNotFound`. All numbers are text. */
export interface XrpAnswer extends Readonly<Record<string, unknown>> {
  readonly error?: unknown;
}

/**
 * Makes a client of a server with the JSON-RPC interface of rippled. It takes one question in a request, and says a
 * refusal with the status of a success. So each answer is returned, and the caller knows which refusals it expects.
 */
export function makeXrpRpc(options: RpcOptions): Rpc {
  const { name } = options;
  const poster = makePoster(options);
  const post = async ([method, parameters = {}]: RpcCall): Promise<XrpAnswer> => {
    // Later versions of the interface name the members of transactions differently.
    const body = JSON.stringify({
      method,
      params: [{ api_version: 1, ...(parameters as object) }],
    });
    const answer = parseDigits(name, await poster.post(body));
    const { result } = (answer ?? {}) as { readonly result?: unknown };
    if (isObject(result) && ("error" in result || result["status"] === "success")) return result;
    throw new EndpointFault(name, `no answer to ${method}`);
  };
  const ask: Rpc["ask"] = async (calls) => {
    const answers: XrpAnswer[] = [];
    for (let index = 0; index < calls.length; index += REQUESTS_AT_ONCE) {
      const part = calls.slice(index, index + REQUESTS_AT_ONCE);
      answers.push(...(await Promise.all(part.map(post))));
    }
    return answers;
  };
  return { name, ask, close: poster.close };
}

const isObject = (value: unknown): value is XrpAnswer =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Asks one question. Returns undefined for a refusal that the caller expects, such as that of a ledger that the server does
 * not have. Any other refusal is the server's fault.
 */
export async function askXrp(
  rpc: Rpc,
  [method, parameters]: readonly [method: string, parameters: object],
  expected: readonly string[] = [],
): Promise<XrpAnswer | undefined> {
  const [answer] = (await rpc.ask([[method, parameters]])) as XrpAnswer[];
  const { error } = answer ?? {};
  if (answer !== undefined && error === undefined) return answer;
  if (expected.includes(String(error))) return undefined;
  throw new EndpointFault(rpc.name, `${method}: ${String(error).slice(0, 100)}`);
}
