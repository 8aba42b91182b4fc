import { EndpointFault, makeRpc, type Rpc, type RpcOptions } from "./rpc.ts";
import { type RpcBlock, wordsOf } from "./words.ts";

export interface EndpointOptions extends RpcOptions {
  /** True for a node of the operator. Nothing is final without it. */
  readonly isOwn: boolean;
  readonly chainId: number;
  /** The hash of the network's first block. Undefined where only the chain id is compared. */
  readonly genesis: string | undefined;
}

export interface Endpoint {
  readonly name: string;
  readonly isOwn: boolean;
  /** Asks questions that one endpoint answers alone. Throws an `EndpointFault` at once while it rests. */
  ask<T>(question: (rpc: Rpc) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

const FAULTS_BEFORE_REST = 5;
const REST_MS = 10_000;
const IDENTITY_VALID_MS = 3_600_000;

/** Makes an endpoint of an EVM network. */
export const makeEndpoint = (options: EndpointOptions): Endpoint =>
  wrapEndpoint({
    rpc: makeRpc(options),
    isOwn: options.isOwn,
    requireNetwork: (rpc) => requireNetwork(rpc, options),
  });

export interface EndpointParts {
  readonly rpc: Rpc;
  readonly isOwn: boolean;
  /** Throws an `EndpointFault` if the endpoint answers for another network. */
  readonly requireNetwork: (rpc: Rpc) => Promise<void>;
}

/**
 * Wraps a client with a circuit breaker and a check of the network. The check is repeated after each fault, because
 * another server may answer then, and every hour.
 */
export function wrapEndpoint({ rpc, isOwn, requireNetwork: check }: EndpointParts): Endpoint {
  const { name } = rpc;
  let faults = 0;
  let restsUntilMs = 0;
  let identifiedAtMs = Number.NEGATIVE_INFINITY;

  const identify = async (): Promise<void> => {
    if (performance.now() - identifiedAtMs < IDENTITY_VALID_MS) return;
    await check(rpc);
    identifiedAtMs = performance.now();
  };
  const ask: Endpoint["ask"] = async (question) => {
    if (performance.now() < restsUntilMs) throw new EndpointFault(name, "rests after its faults");
    try {
      await identify();
      const answer = await question(rpc);
      faults = 0;
      return answer;
    } catch (error) {
      if (error instanceof EndpointFault) {
        faults += 1;
        identifiedAtMs = Number.NEGATIVE_INFINITY;
        // After a rest one more fault is enough for the next rest.
        const restMs = error.restMs ?? (faults >= FAULTS_BEFORE_REST ? REST_MS : 0);
        restsUntilMs = performance.now() + restMs;
      }
      throw error;
    }
  };
  return { name, isOwn, ask, close: () => rpc.close() };
}

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
