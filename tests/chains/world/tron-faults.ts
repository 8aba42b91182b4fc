import { setTimeout as sleep } from "node:timers/promises";
import type { Operation, Pick } from "./payout-history.ts";
import { TOKEN_CODES } from "./token-codes.ts";
import { LOST, type TronNode } from "./tron-node.ts";
import { EXPIRATION_SECONDS, FINAL_BELOW, type TronPayingWorld } from "./tron-paying.ts";

const BROADCAST = "/wallet/broadcasthex";
const LATE_MS = 600;
/** A broadcast may come after the deadline of its transaction. */
const LATE_BROADCAST_MS = EXPIRATION_SECONDS * 1_500;

/** The faults of the nodes of a history. */
export interface TronFaults {
  readonly operations: readonly Operation[];
  /** Lets every node answer again, and soon. */
  reach(): void;
  /** Ends every fault. */
  heal(): Promise<void>;
  /** Whether a payout may have failed because the token needed too much energy. */
  wereCostly(): boolean;
}

/** The faults that are planted now. */
interface State {
  readonly slow: Map<TronNode, TronNode["before"]>;
  /** The time that a node holds a transaction before it carries it out. */
  readonly holds: Map<TronNode, number>;
  /** The nodes whose answers to a broadcast are lost. */
  readonly losing: Set<TronNode>;
  isCostly: boolean;
  wereCostly: boolean;
}

export function makeTronFaults(world: TronPayingWorld): TronFaults {
  const { servers } = world;
  const state: State = {
    ...{ slow: new Map(), holds: new Map(), losing: new Set() },
    ...{ isCostly: false, wereCostly: false },
  };
  for (const server of servers) {
    server.before = async (question) => {
      await state.slow.get(server)?.(question);
      if (question.method !== BROADCAST) return;
      await sleep(state.holds.get(server) ?? 0);
      if (state.isCostly) await world.setToken(TOKEN_CODES.endless);
    };
    server.rewrite = async ({ method }, answer) => {
      if (method !== BROADCAST) return answer;
      if (state.isCostly) await world.setToken();
      return state.losing.has(server) ? LOST : answer;
    };
  }
  const reach = (): void => state.slow.clear();
  const heal = async (): Promise<void> => {
    reach();
    state.holds.clear();
    state.losing.clear();
    state.isCostly = false;
    for (const server of servers) Object.assign(server, { takes: true, stakes: false });
    await world.setToken();
  };
  const operations = [
    ...operationsOfChain(world),
    ...operationsOfEndpoints(servers, state),
    { name: "nodes return", weight: 2, run: heal },
  ];
  return { operations, reach, heal, wereCostly: () => state.wereCostly };
}

const operationsOfChain = (world: TronPayingWorld): readonly Operation[] => [
  { name: "mine", weight: 4, run: (pick) => world.mine(1 + pick(12)) },
  {
    name: "reorganise",
    weight: 5,
    run: async (pick) => {
      const depth = 1 + pick(FINAL_BELOW - 1);
      await world.reorganise(depth, pick(2) === 0 ? "forget them" : "remember them");
      // The state before a block may have the code of the costly token.
      await world.setToken();
    },
  },
  {
    name: "stake",
    weight: 1,
    run: async () => {
      for (const server of world.servers) server.stakes = !server.stakes;
    },
  },
];

function operationsOfEndpoints(servers: readonly TronNode[], state: State): readonly Operation[] {
  /** One of the endpoints, or all. */
  const some = (pick: Pick): readonly TronNode[] => {
    const one = servers[pick(servers.length + 1)];
    return one === undefined ? servers : [one];
  };
  const slowDown = (pick: Pick, how: TronNode["before"]): void => {
    for (const server of some(pick)) state.slow.set(server, how);
  };
  return [
    {
      name: "endpoints",
      weight: 2,
      run: async (pick) =>
        slowDown(pick, () => {
          throw new Error("the node is away");
        }),
    },
    {
      name: "late answers",
      weight: 2,
      run: async (pick) => {
        const lateMs = pick(LATE_MS);
        slowDown(pick, () => sleep(lateMs));
      },
    },
    {
      name: "lost answers",
      weight: 2,
      run: async (pick) => some(pick).forEach((server) => state.losing.add(server)),
    },
    {
      name: "drop",
      weight: 3,
      run: async (pick) => {
        // One of them may carry transactions out all the same, later.
        const last = servers[pick(servers.length + 1)];
        for (const server of servers) server.takes = server === last;
        if (last) state.holds.set(last, pick(LATE_BROADCAST_MS));
      },
    },
    {
      name: "costly token",
      weight: 1,
      run: async () => {
        state.isCostly = true;
        state.wereCostly = true;
      },
    },
  ];
}
