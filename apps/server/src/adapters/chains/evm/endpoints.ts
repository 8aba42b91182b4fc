import { makeQuorum, type Quorum } from "../agree.ts";
import { type Endpoint, wrapEndpoint } from "../endpoint.ts";
import type { FinalityRule } from "../heads.ts";
import { EndpointFault, makeRpc, type Rpc, type RpcOptions } from "../rpc.ts";
import { type RpcBlock, wordsOf } from "./words.ts";

export interface EvmEndpointSettings {
  readonly name: string;
  readonly url: string;
  readonly isOwn: boolean;
}

export interface EvmEndpointsOptions {
  readonly networkCode: string;
  readonly chainId: number;
  readonly genesis: string | undefined;
  readonly endpoints: readonly EvmEndpointSettings[];
  readonly quorum: number;
  readonly timeoutMs: number;
  readonly finality: FinalityRule;
  readonly suspect: (endpoint: string, what: string) => void;
}

/** Opens clients of all endpoints, which must agree. Close them at the end. */
export function openEvmQuorum(
  options: EvmEndpointsOptions,
  makeClient: (options: RpcOptions) => Rpc = makeRpc,
): Quorum {
  const { quorum, suspect } = options;
  return makeQuorum({ endpoints: openEvmEndpoints(options, makeClient), quorum, suspect });
}

/** Opens a client of each endpoint, which is asked alone. Close them at the end. */
export const openEvmEndpoints = (
  options: EvmEndpointsOptions,
  makeClient: (options: RpcOptions) => Rpc = makeRpc,
): readonly Endpoint[] =>
  options.endpoints.map((one) => makeEndpoint(makeClient, { ...options, ...one }));

interface EndpointOptions extends RpcOptions {
  /** True for a node of the operator. Nothing is final without it. */
  readonly isOwn: boolean;
  readonly chainId: number;
  /** The hash of the network's first block. Undefined where only the chain id is compared. */
  readonly genesis: string | undefined;
}

const makeEndpoint = (
  makeClient: (options: RpcOptions) => Rpc,
  options: EndpointOptions,
): Endpoint =>
  wrapEndpoint({
    rpc: makeClient(options),
    isOwn: options.isOwn,
    requireNetwork: (rpc) => requireNetwork(rpc, options),
  });

/** An endpoint of another network would look healthy, and never report a deposit. */
async function requireNetwork(rpc: Rpc, { chainId, genesis }: EndpointOptions): Promise<void> {
  const words = wordsOf(rpc.name);
  const calls = [["eth_chainId"], ["eth_getBlockByNumber", "0x0", false]] as const;
  const [id, first] = await rpc.ask(genesis === undefined ? calls.slice(0, 1) : calls);
  const actualId = words.quantity(id);
  if (actualId !== BigInt(chainId)) {
    throw new EndpointFault(rpc.name, `its chain id is ${actualId}, not ${chainId}`);
  }
  if (genesis === undefined) return;
  const hash = words.hash(words.object<RpcBlock>(first)?.hash);
  if (hash !== genesis.toLowerCase()) {
    throw new EndpointFault(rpc.name, `its first block is ${hash}, not ${genesis}`);
  }
}
