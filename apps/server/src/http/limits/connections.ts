import type { Server } from "node:http";
import type { Socket } from "node:net";
import { holderOf } from "./holder.ts";
import { makeShares } from "./shares.ts";

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
