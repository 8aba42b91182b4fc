import { once } from "node:events";
import {
  type AddressInfo,
  connect,
  createServer,
  type NetConnectOpts,
  type Socket,
} from "node:net";

/**
 * The way to a server, as a network makes it. `pass` carries every byte. `swallow` accepts connections and
 * bytes and carries none: the host vanished. `refuse` breaks every connection off.
 */
export type ProxyMode = "pass" | "swallow" | "refuse";

/** A way that a test can cut. */
export interface Way {
  readonly port: number;
  /** Connections that swallowed a byte never carry another. */
  become(mode: ProxyMode): void;
  stop(): Promise<void>;
}

export interface Proxy extends Omit<Way, "port"> {
  /** The address of the database by this way. */
  readonly url: string;
}

export interface WayOptions {
  /** Where the way begins. Port 0 chooses a free one. */
  readonly from: { readonly host: string; readonly port: number };
  readonly to: NetConnectOpts;
  /** Whether a connection is swallowed, by the first bytes that it sends. */
  readonly swallows?: (first: Buffer) => boolean;
}

interface Pair {
  readonly near: Socket;
  readonly far: Socket;
  isDead: boolean;
}

/** Opens a way to the database of this address, which names a folder with a socket. */
export async function startProxy(databaseUrl: string): Promise<Proxy> {
  const target = new URL(databaseUrl);
  const socketPath = `${target.searchParams.get("host")}/.s.PGSQL.${target.port}`;
  const way = await openWay({ from: { host: "127.0.0.1", port: 0 }, to: { path: socketPath } });
  return {
    url: `postgres://${target.username}@127.0.0.1:${way.port}/postgres`,
    become: way.become,
    stop: way.stop,
  };
}

/** Opens a way that passes. */
export async function openWay({ from, to, swallows }: WayOptions): Promise<Way> {
  const pairs = new Set<Pair>();
  let mode: ProxyMode = "pass";
  const open = (near: Socket): void => {
    const pair: Pair = { near, far: connect(to), isDead: mode !== "pass" };
    pairs.add(pair);
    if (swallows) near.once("data", (first) => void (pair.isDead ||= swallows(first)));
    carry(pair, () => pairs.delete(pair));
    if (mode === "refuse") near.destroy();
  };
  const server = createServer(open).listen(from.port, from.host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const endAll = (): void => {
    for (const { near } of pairs) near.destroy();
  };
  return {
    port,
    become: (next) => {
      mode = next;
      if (mode === "swallow") for (const pair of pairs) pair.isDead = true;
      if (mode === "refuse") endAll();
    },
    stop: async () => {
      endAll();
      server.close();
      await once(server, "close");
    },
  };
}

/** Carries bytes both ways until one side ends. */
function carry(pair: Pair, onEnd: () => void): void {
  const { near, far } = pair;
  const end = (): void => {
    onEnd();
    near.destroy();
    far.destroy();
  };
  for (const [from, to] of [
    [near, far],
    [far, near],
  ] as const) {
    from.on("data", (bytes) => {
      if (!pair.isDead) to.write(bytes);
    });
    from.on("error", () => {});
    // A host that vanished does not say that a connection ended.
    from.on("close", () => {
      if (!pair.isDead || from === near) end();
    });
  }
}
