import type { Socket } from "node:net";
import type { buildConnector } from "undici";
import { classifyFault } from "./faults.ts";
import type { PostUnderWay } from "./post-under-way.ts";
import { NotHttp, ResponseReader } from "./response-reader.ts";

/** Where requests go: connections to the same origin are used again. */
export interface Origin {
  readonly origin: string;
  readonly connect: buildConnector.Options;
}

/**
 * Connections that are kept alive, each with one request at a time. A post's connection is one that is
 * idle, or a new one.
 */
export function makeConnections(connect: buildConnector.connector) {
  const open = new Set<Connection>();
  const idle = new Map<string, Connection[]>();
  let isClosed = false;
  const takeIdle = (origin: string): Connection | undefined => {
    const kept = idle.get(origin);
    const connection = kept?.pop();
    if (kept?.length === 0) idle.delete(origin);
    return connection;
  };
  const keep = (origin: string, connection: Connection): void => {
    const kept = idle.get(origin);
    if (kept === undefined) idle.set(origin, [connection]);
    else kept.push(connection);
  };
  const forget = (origin: string, connection: Connection): void => {
    open.delete(connection);
    const kept = idle.get(origin);
    const others = kept?.filter((one) => one !== connection);
    if (others?.length === 0) idle.delete(origin);
    else if (others !== undefined) idle.set(origin, others);
  };
  const begin = (target: Origin, post: PostUnderWay): void =>
    connect(target.connect, (error, socket) => {
      if (error !== null) return post.end(classifyFault(error));
      if (post.isOver || isClosed) return void socket.on("error", () => {}).destroy();
      const connection = new Connection(socket, {
        onIdle: () => keep(target.origin, connection),
        onClose: () => forget(target.origin, connection),
      });
      open.add(connection);
      connection.send(post);
    });
  return {
    send: (target: Origin, post: PostUnderWay): void => {
      const connection = takeIdle(target.origin);
      if (connection === undefined) begin(target, post);
      else connection.send(post);
    },
    /** Ends those that were idle for as long as they may. Returns how many are open. */
    closeStale: (now: number): number => {
      for (const connection of open) if (connection.idleUntil < now) connection.end();
      return open.size;
    },
    close: (): void => {
      isClosed = true;
      for (const connection of open) connection.end();
    },
  };
}

interface ConnectionEvents {
  /** It may be used again. */
  readonly onIdle: () => void;
  readonly onClose: () => void;
}

class Connection {
  /** By `performance.now()`; for ever while a request is under way. */
  idleUntil = Number.POSITIVE_INFINITY;
  readonly #socket: Socket;
  readonly #events: ConnectionEvents;
  readonly #cut = (): void => this.end();
  #post: PostUnderWay | undefined;
  #reader: ResponseReader | undefined;

  constructor(socket: Socket, events: ConnectionEvents) {
    this.#socket = socket;
    this.#events = events;
    socket.on("data", (part: Buffer) => this.#read(part));
    socket.on("end", () => this.#onEnd());
    socket.on("error", (error) => this.#post?.end(classifyFault(error)));
    socket.on("close", () => {
      this.#events.onClose();
      this.#post?.end("reset");
    });
  }

  send(post: PostUnderWay): void {
    this.idleUntil = Number.POSITIVE_INFINITY;
    this.#post = post;
    this.#reader = new ResponseReader(post);
    post.cut = this.#cut;
    this.#socket.write(post.text);
  }

  end(): void {
    this.#events.onClose();
    this.#socket.destroy();
  }

  #read(part: Buffer): void {
    const reader = this.#reader;
    // Nothing was asked: it cannot be trusted with the next request.
    if (reader === undefined) return this.end();
    try {
      reader.read(part);
    } catch (error) {
      if (!(error instanceof NotHttp)) throw error;
      this.#post?.breakOff("protocol");
      return;
    }
    if (reader.isOver) this.#finish(reader.reusableMs);
  }

  /** The other side has ended it: the next request must not meet it closing. */
  #onEnd(): void {
    this.#reader?.end();
    this.#post?.end("reset");
    this.end();
  }

  #finish(reusableMs: number): void {
    const post = this.#post;
    this.#post = undefined;
    this.#reader = undefined;
    // What was broken off has closed it.
    if (reusableMs > 0 && !this.#socket.destroyed) {
      this.idleUntil = performance.now() + reusableMs;
      this.#events.onIdle();
    } else this.end();
    post?.end("unknown");
  }
}
