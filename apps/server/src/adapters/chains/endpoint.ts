import { EndpointFault, type Rpc } from "./rpc.ts";

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
