import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/**
 * The way to a database, as a network makes it. `pass` carries every byte. `swallow` accepts connections and
 * bytes and carries none: the host vanished. `refuse` breaks every connection off.
 */
export type ProxyMode = "pass" | "swallow" | "refuse";

export interface Proxy {
  /** The address of the database by this way. */
  readonly url: string;
  /** Connections that swallowed a byte never carry another. */
  become(mode: ProxyMode): void;
  stop(): Promise<void>;
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
  const pairs = new Set<Pair>();
  let mode: ProxyMode = "pass";
  const open = (near: Socket): void => {
    const pair: Pair = { near, far: connect(socketPath), isDead: mode !== "pass" };
    pairs.add(pair);
    const end = (): void => {
      pairs.delete(pair);
      pair.near.destroy();
      pair.far.destroy();
    };
    for (const [from, to] of [
      [near, pair.far],
      [pair.far, near],
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
    if (mode === "refuse") end();
  };
  const server = createServer(open).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const endAll = (): void => {
    for (const { near } of pairs) near.destroy();
  };
  return {
    url: `postgres://${target.username}@127.0.0.1:${port}/postgres`,
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
