import { Client } from "undici";

/** A connection to one origin, which carries one request at a time. */
export interface Connection {
  readonly client: Client;
  /** It may carry the next one. */
  giveBack(): void;
  /** It ended in a fault: nothing is sent on it again. */
  discard(): void;
}

export interface Connections {
  /** One that carries nothing now. It is dialled, dialled again too, by the request it is given. */
  take(origin: string): Connection;
  close(): Promise<void>;
}

/**
 * The connections that webhooks go out on, kept alive between requests. The one that was used last is
 * taken first, so that those which a burst left over fall silent and end. A pool of undici's would look
 * through all of an origin's connections for a free one, and be told of each that is.
 */
export function makeConnections(options: Client.Options): Connections {
  const open = new Set<Client>();
  const freeOf = new Map<string, Connection[]>();
  const end = (origin: string, { client }: Connection): void => {
    open.delete(client);
    void client.destroy();
    if (freeOf.get(origin)?.length === 0) freeOf.delete(origin);
  };
  const leave = (origin: string, connection: Connection): void => {
    const free = freeOf.get(origin) ?? [];
    const at = free.indexOf(connection);
    if (at === -1) return;
    free.splice(at, 1);
    end(origin, connection);
  };
  const dial = (origin: string): Connection => {
    const client = new Client(origin, options);
    open.add(client);
    const connection: Connection = {
      client,
      giveBack: () => {
        const free = freeOf.get(origin);
        if (free === undefined) freeOf.set(origin, [connection]);
        else free.push(connection);
      },
      discard: () => end(origin, connection),
    };
    // In use, it is dialled again by what it carries.
    client.on("disconnect", () => leave(origin, connection));
    return connection;
  };
  return {
    take: (origin) => freeOf.get(origin)?.pop() ?? dial(origin),
    close: async () => {
      await Promise.all([...open].map((client) => client.destroy()));
    },
  };
}
