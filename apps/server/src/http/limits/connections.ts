import type { Server } from "node:http";
import type { Socket } from "node:net";
import { holderOf } from "./holder.ts";
import { makeShares } from "./shares.ts";

const REQUEST_TIMEOUT_MS = 15_000;
const HEADERS_TIMEOUT_MS = 10_000;
/** A connection on which no byte moves for this long is closed, also one that reads no answer. */
const IDLE_TIMEOUT_MS = 45_000;
/** How often Node looks for requests and headers that arrive too slowly. */
const SLOW_CONNECTIONS_CHECK_MS = 5_000;

/** The options of Fastify that end slow requests, of the API and of the console. */
export const SLOW_REQUEST_LIMITS = {
  requestTimeout: REQUEST_TIMEOUT_MS,
  connectionTimeout: IDLE_TIMEOUT_MS,
  http: {
    // Node swaps the two times if this one is longer, as its default is.
    headersTimeout: HEADERS_TIMEOUT_MS,
    connectionsCheckingInterval: SLOW_CONNECTIONS_CHECK_MS,
  },
} as const;

/**
 * Bounds the connections of a server. When there is one too many, the address with the most connections loses the
 * one that has waited for a request for the longest time, so one address cannot keep the others out. A connection whose
 * answer is under way is closed only when the address has no other. `Server.maxConnections` refuses the newest
 * connection instead, which may be anybody's. Behind a proxy all connections have one address.
 */
export function boundConnections(server: Server, connectionsMax: number): void {
  const answering = new WeakSet<Socket>();
  const shares = makeShares<Socket>({
    totalMax: connectionsMax,
    isInUse: (socket) => answering.has(socket),
    giveUp: (socket) => socket.destroy(),
  });
  const holders = new WeakMap<Socket, string>();
  server.on("connection", (socket) => {
    const holder = holderOf(socket.remoteAddress ?? "");
    holders.set(socket, holder);
    socket.once("close", () => shares.remove(holder, socket));
    shares.add(holder, socket, 1);
  });
  server.on("request", ({ socket }, response) => {
    const holder = holders.get(socket);
    if (holder === undefined) return;
    answering.add(socket);
    response.once("close", () => {
      answering.delete(socket);
      if (socket.destroyed) return;
      // Removed and added again, the connection is the newest one.
      shares.remove(holder, socket);
      shares.add(holder, socket, 1);
    });
  });
}
