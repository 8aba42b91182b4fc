import { makeQuorum, type Quorum } from "../agree.ts";
import { parseLongDigits } from "../digits.ts";
import { type Endpoint, wrapEndpoint } from "../endpoint.ts";
import type { FinalityRule } from "../heads.ts";
import { EndpointFault, makeRpc, type Rpc, type RpcCall, RpcRefusal } from "../rpc.ts";

export interface SolanaEndpointsOptions {
  readonly networkCode: string;
  /** The hash of the network's first block, which every endpoint must have. */
  readonly genesis: string;
  readonly endpoints: readonly {
    readonly name: string;
    readonly url: string;
    /** True for a node of the operator. Nothing is final without it. */
    readonly isOwn: boolean;
  }[];
  readonly quorum: number;
  readonly timeoutMs: number;
  readonly finality: FinalityRule;
  readonly suspect: (endpoint: string, what: string) => void;
}

/** Opens clients of all endpoints, which must agree. Close them at the end. */
export function openSolanaQuorum(options: SolanaEndpointsOptions): Quorum {
  const { quorum, suspect } = options;
  return makeQuorum({ endpoints: openSolanaEndpoints(options), quorum, suspect });
}

/** Opens a client of each endpoint, which is asked alone. Close them at the end. */
export const openSolanaEndpoints = ({
  endpoints,
  timeoutMs,
  genesis,
}: SolanaEndpointsOptions): readonly Endpoint[] =>
  endpoints.map(({ name, url, isOwn }) =>
    wrapEndpoint({
      rpc: makeSolanaRpc({ name, url, timeoutMs }),
      isOwn,
      requireNetwork: (rpc) => requireNetwork(rpc, genesis),
    }),
  );

/** Providers limit the number of questions in one request. */
export const QUESTIONS_AT_ONCE = 50;
/** A validator refuses a longer request than 51,200 bytes, unless its operator allows more. */
const REQUEST_BYTES_MAX = 50_000;
/** The most bytes of a question beside its method and parameters: its braces, its number and a comma. */
const FRAME_BYTES = 64;

/** Lamports may have more digits than a number of JavaScript holds, so long numbers are text. */
function makeSolanaRpc(options: Parameters<typeof makeRpc>[0]): Rpc {
  const rpc = makeRpc(options, {}, parseLongDigits);
  const ask: Rpc["ask"] = async (calls) => {
    const answers: unknown[] = [];
    for (const part of splitCalls(calls)) answers.push(...(await rpc.ask(part)));
    return answers;
  };
  return { ...rpc, ask };
}

/** Splits questions into requests that a node takes. */
export function splitCalls(calls: readonly RpcCall[]): readonly (readonly RpcCall[])[] {
  const requests: RpcCall[][] = [];
  let bytes = 0;
  for (const call of calls) {
    const own = Buffer.byteLength(JSON.stringify(call)) + FRAME_BYTES;
    const last = requests.at(-1);
    if (last && last.length < QUESTIONS_AT_ONCE && bytes + own <= REQUEST_BYTES_MAX) {
      last.push(call);
      bytes += own;
    } else {
      requests.push([call]);
      bytes = own;
    }
  }
  return requests;
}

const NOT_REACHED = -32_016;

/** Returns whether an endpoint refused because it has not reached the slot of `minContextSlot`. */
export const isBehind = (error: unknown): boolean =>
  error instanceof RpcRefusal && error.code === NOT_REACHED;

/** Returns the answers, or undefined where the endpoint has not reached the slot of `minContextSlot`. */
export const askReached = (
  rpc: Rpc,
  calls: readonly RpcCall[],
): Promise<readonly unknown[] | undefined> =>
  rpc.ask(calls).catch((error: unknown) => {
    if (isBehind(error)) return undefined;
    throw error;
  });

/** An endpoint of another network would look healthy, and never report a deposit. */
async function requireNetwork(rpc: Rpc, genesis: string): Promise<void> {
  const [hash] = await rpc.ask([["getGenesisHash"]]);
  if (hash !== genesis) {
    throw new EndpointFault(rpc.name, `its first block is ${String(hash)}, not ${genesis}`);
  }
}

/** How sure a node is of a block: most of the stake voted for it, or no vote can drop it. */
export type Commitment = "confirmed" | "finalized";

const DIGITS = /^[0-9]{1,20}$/;

/** Returns a whole number of an answer. */
export function wholeOf(rpc: Rpc, value: unknown, what: string): bigint {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  if (typeof value === "string" && DIGITS.test(value)) return BigInt(value);
  throw new EndpointFault(rpc.name, `the answer has a bad ${what}`);
}

/** Returns the object that an answer is, or null where the endpoint has nothing. */
export function objectOf<T extends object>(rpc: Rpc, answer: unknown, what: string): T | null {
  if (answer === null) return null;
  if (typeof answer === "object" && !Array.isArray(answer)) return answer as T;
  throw new EndpointFault(rpc.name, `the answer about ${what} cannot be read`);
}

export function listOf<T>(rpc: Rpc, answer: unknown, what: string): readonly T[] {
  if (Array.isArray(answer)) return answer as readonly T[];
  throw new EndpointFault(rpc.name, `the answer about ${what} is not a list`);
}

/** The question for the number of the newest block that a node is so sure of. */
export const slotAt = (commitment: Commitment): RpcCall => ["getSlot", { commitment }];
