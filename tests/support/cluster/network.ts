import { openWay, type ProxyMode, type Way } from "../postgres/proxy.ts";
import { addressesOf, ETCD, NODES, type NodeNumber, PORTS, SOURCE } from "./addresses.ts";

/** Which ways of a node a partition cuts. */
export type Cut = "from everything" | "from etcd and the other nodes";

export interface Network {
  /** Swallows the packets of a node, as a broken switch does. Nobody hears that a connection ended. */
  cut(node: NodeNumber, extent: Cut): void;
  heal(): void;
  stop(): Promise<void>;
}

interface NodeWays {
  readonly number: NodeNumber;
  readonly inner: readonly Way[];
  readonly clients: readonly Way[];
}

/**
 * Opens the ways between the programs of the cluster. Each is a TCP proxy of this process, so no right of root is
 * needed. The other nodes reach a node by its ways, and HAProxy by others.
 */
export async function openNetwork(): Promise<Network> {
  let isCut = false;
  // The proxies do not see which node calls. Only a primary that lost etcd asks this, so it is the cut one.
  const isFailsafe = (first: Buffer): boolean => isCut && first.includes("POST /failsafe");
  const open = (from: string, to: string, port: number): Promise<Way> =>
    openWay({
      from: { host: from, port },
      to: { host: to, port, localAddress: SOURCE },
      ...(port === PORTS.rest ? { swallows: isFailsafe } : {}),
    });
  const nodes = await Promise.all(
    NODES.map(async (number): Promise<NodeWays> => {
      const { own, forNodes, forClients, etcd } = addressesOf(number);
      return {
        number,
        inner: await Promise.all([
          open(etcd, ETCD, PORTS.etcd),
          open(forNodes, own, PORTS.postgres),
          open(forNodes, own, PORTS.rest),
        ]),
        clients: await Promise.all([
          open(forClients, own, PORTS.postgres),
          open(forClients, own, PORTS.rest),
        ]),
      };
    }),
  );
  const waysOf = ({ inner, clients }: NodeWays): readonly Way[] => [...inner, ...clients];
  const become = (ways: readonly Way[], mode: ProxyMode): void => {
    for (const way of ways) way.become(mode);
  };
  return {
    cut: (cut, extent) => {
      isCut = true;
      for (const node of nodes) {
        if (node.number !== cut) continue;
        become(extent === "from everything" ? waysOf(node) : node.inner, "swallow");
      }
    },
    heal: () => {
      isCut = false;
      for (const node of nodes) become(waysOf(node), "pass");
    },
    stop: async () => {
      for (const way of nodes.flatMap(waysOf)) await way.stop();
    },
  };
}
