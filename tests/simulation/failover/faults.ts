import { vi } from "vitest";
import type { Cluster } from "../../support/cluster/cluster.ts";
import type { ClusterNode } from "../../support/cluster/node.ts";

/** A fault of the primary. `round` begins at 1. */
export interface Fault {
  readonly name: string;
  begin(cluster: Cluster, primary: ClusterNode, round: number): void | Promise<void>;
  /** Undoes it, after another node became the primary. */
  end(cluster: Cluster, primary: ClusterNode): void;
}

const LEADER_MS = 90_000;

export const FAULTS: readonly Fault[] = [
  {
    name: "kill of PostgreSQL",
    begin: (_cluster, primary) => primary.kill("PostgreSQL"),
    end: () => {},
  },
  {
    name: "kill of the node",
    begin: (_cluster, primary) => primary.kill("everything"),
    end: (_cluster, primary) => primary.start(),
  },
  {
    name: "freeze",
    begin: (_cluster, primary) => primary.freeze(),
    end: (_cluster, primary) => primary.thaw(),
  },
  {
    name: "partition",
    // In every second round clients still reach the former primary.
    begin: ({ network }, primary, round) =>
      network.cut(
        primary.number,
        round % 2 === 1 ? "from everything" : "from etcd and the other nodes",
      ),
    end: ({ network }) => network.heal(),
  },
  {
    name: "switchover",
    begin: (cluster, primary) => cluster.switchOver(primary),
    end: () => {},
  },
];

/** Waits for another primary. Returns the time since the moment, in milliseconds. */
export async function untilReplaced(
  cluster: Cluster,
  primary: ClusterNode,
  sinceMs: number,
): Promise<number> {
  const isReplaced = async (): Promise<boolean> => {
    const leader = await cluster.leader(primary);
    return leader !== undefined && leader !== primary;
  };
  await vi.waitUntil(isReplaced, { timeout: LEADER_MS, interval: 200 });
  return performance.now() - sinceMs;
}
