import { makeQuorum, type Quorum } from "../agree.ts";
import { type Endpoint, wrapEndpoint } from "../endpoint.ts";
import { EndpointFault, type Rpc } from "../rpc.ts";
import { askXrp, makeXrpRpc } from "./rpc.ts";

export interface XrpEndpointSettings {
  readonly name: string;
  /** May hold a key, so it is in no message. */
  readonly url: string;
  /** True for a node of the operator. Nothing is final without it. */
  readonly isOwn: boolean;
}

export interface XrpEndpointsOptions {
  readonly networkCode: string;
  /** 0 is the network with real coins. */
  readonly networkId: number;
  readonly endpoints: readonly XrpEndpointSettings[];
  readonly quorum: number;
  readonly timeoutMs: number;
  readonly suspect: (endpoint: string, what: string) => void;
}

/** Opens clients of all endpoints, which must agree. Close them at the end. */
export function openXrpQuorum(options: XrpEndpointsOptions): Quorum {
  const { quorum, suspect } = options;
  return makeQuorum({ endpoints: openXrpEndpoints(options), quorum, suspect });
}

/** Opens a client of each endpoint, which is asked alone. Close them at the end. */
export const openXrpEndpoints = (options: XrpEndpointsOptions): readonly Endpoint[] =>
  options.endpoints.map(({ name, url, isOwn }) =>
    wrapEndpoint({
      rpc: makeXrpRpc({ name, url, timeoutMs: options.timeoutMs }),
      isOwn,
      requireNetwork: (rpc) => requireNetwork(rpc, options.networkId),
    }),
  );

/** An endpoint of another network would look healthy. A server of the network with real coins need not name it. */
async function requireNetwork(rpc: Rpc, networkId: number): Promise<void> {
  const { info } = (await askXrp(rpc, ["server_info", {}])) ?? {};
  const { network_id: actual = "0" } = (info ?? {}) as { readonly network_id?: unknown };
  if (actual === String(networkId)) return;
  throw new EndpointFault(rpc.name, `its network id is ${String(actual)}, not ${networkId}`);
}
