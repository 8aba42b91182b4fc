import type { Endpoint } from "./endpoint.ts";
import type { Rpc } from "./rpc.ts";

/** A weakness of one endpoint, and the sentence that mends it. */
export interface EndpointWeakness {
  readonly found: string;
  readonly fix: string;
}

/** The state of one endpoint, by its own word. Times are those in the blocks, in seconds. */
export interface EndpointState {
  readonly software: string;
  readonly head: bigint;
  readonly headAt: number;
  /** The newest final block's time. Null where the endpoint names none, undefined where nobody asks for one. */
  readonly finalAt: number | null | undefined;
  /** The endpoint is still loading earlier blocks. */
  readonly isCatchingUp: boolean;
}

/** How the endpoints of one kind of network are asked. */
export interface EndpointQuestions {
  state(rpc: Rpc): Promise<EndpointState>;
  /** Returns the hash of a block, or null where the endpoint has no such block. */
  hashAt(rpc: Rpc, height: bigint): Promise<string | null>;
  /** Tries what the service will ask. */
  weaknesses(rpc: Rpc, state: EndpointState): Promise<readonly EndpointWeakness[]>;
}

/** An endpoint after its examination: its answers, or the reason why it did not answer. */
export type ExaminedEndpoint = { readonly name: string } & (
  | {
      readonly state: EndpointState;
      readonly forkHash: string | null;
      readonly weaknesses: readonly EndpointWeakness[];
    }
  | { readonly problem: string }
);

export interface Examination {
  /** The block below the heads whose hash was compared. */
  readonly forkHeight: bigint;
  readonly endpoints: readonly ExaminedEndpoint[];
}

/** The depth below the lowest head at which all endpoints should have the same block, in blocks. */
const FORK_DEPTH = 100n;

/** Asks each endpoint alone, and closes it. It looks for differences, so no quorum applies. */
export async function examineEach(
  endpoints: readonly Endpoint[],
  questions: EndpointQuestions,
): Promise<Examination> {
  try {
    const states = await Promise.all(
      endpoints.map((endpoint) => answerOf(endpoint.ask(questions.state))),
    );
    const heads = states.flatMap((one) => ("value" in one ? [one.value.head] : []));
    const lowest = heads.reduce((low, head) => (head < low ? head : low), heads[0] ?? 0n);
    const forkHeight = lowest > FORK_DEPTH ? lowest - FORK_DEPTH : 0n;
    const examined = endpoints.map(async (endpoint, at): Promise<ExaminedEndpoint> => {
      const { name } = endpoint;
      const state = states[at];
      if (state === undefined || "problem" in state) {
        return { name, problem: state?.problem ?? "it was not asked" };
      }
      const { value } = state;
      const rest = await answerOf(
        endpoint.ask(async (rpc) => ({
          forkHash: await questions.hashAt(rpc, forkHeight),
          weaknesses: await questions.weaknesses(rpc, value),
        })),
      );
      return "problem" in rest ? { name, ...rest } : { name, state: value, ...rest.value };
    });
    return { forkHeight, endpoints: await Promise.all(examined) };
  } finally {
    await Promise.all(endpoints.map((endpoint) => endpoint.close()));
  }
}

async function answerOf<T>(
  pendingAnswer: Promise<T>,
): Promise<{ readonly value: T } | { readonly problem: string }> {
  try {
    return { value: await pendingAnswer };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}
