import { finished } from "node:stream";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { Deps } from "../../flows/deps.ts";
import { Refusal } from "../../flows/refusal.ts";

export interface StreamLimits {
  /** One browser shows an order once, and a reload may overlap with the page before it. */
  readonly ofHolderMax: number;
  readonly ofProcessMax: number;
  /** The stream that gives way when a holder opens one too many. */
  readonly excess: "end_oldest" | "refuse_new";
  /** The client opens another stream afterwards, with its current credentials. */
  readonly lifetimeMs: number;
}

export const STREAM_LIMITS: StreamLimits = {
  ofHolderMax: 3,
  ofProcessMax: 4_096,
  excess: "end_oldest",
  lifetimeMs: 15 * 60_000,
};

/**
 * A person has one stream in each visible window. An `EventSource` opens an ended stream again, so two windows that
 * end each other's streams would never stop.
 */
export const CONSOLE_STREAM_LIMITS: StreamLimits = {
  ofHolderMax: 8,
  ofProcessMax: 256,
  excess: "refuse_new",
  lifetimeMs: 15 * 60_000,
};

export interface OpenStream {
  /** Aborts when the stream must end. */
  readonly signal: AbortSignal;
  /** Ends the stream and forgets it. A second call does nothing. */
  end(): void;
}

/** The open event streams of one process. */
export interface OpenStreams {
  /** Opens a stream of the holder. Refuses RATE_LIMITED when too many are open. */
  open(holder: string): OpenStream;
  endAll(): void;
}

export function makeOpenStreams(limits: StreamLimits): OpenStreams {
  const byHolder = new Map<string, Set<OpenStream>>();
  let count = 0;
  const open = (holder: string): OpenStream => {
    const streams = byHolder.get(holder) ?? new Set<OpenStream>();
    const isExcess = streams.size >= limits.ofHolderMax;
    if (isExcess && limits.excess === "end_oldest") [...streams][0]?.end();
    if (isExcess && limits.excess === "refuse_new") {
      throw new Refusal("RATE_LIMITED", {
        message: `You have ${limits.ofHolderMax} event streams open. Close one, or read again later instead.`,
      });
    }
    if (count >= limits.ofProcessMax) {
      throw new Refusal("RATE_LIMITED", {
        message: "Too many event streams are open. Read again later instead.",
      });
    }
    const ended = new AbortController();
    const timer = setTimeout(() => stream.end(), limits.lifetimeMs);
    timer.unref();
    const stream: OpenStream = {
      signal: ended.signal,
      end() {
        if (!streams.delete(stream)) return;
        count -= 1;
        if (streams.size === 0) byHolder.delete(holder);
        clearTimeout(timer);
        ended.abort();
      },
    };
    count += 1;
    streams.add(stream);
    byHolder.set(holder, streams);
    return stream;
  };
  return {
    open,
    endAll() {
      for (const streams of [...byHolder.values()]) for (const one of [...streams]) one.end();
    },
  };
}

/**
 * Returns a function that opens the stream of a holder's request and returns its signal, and refuses RATE_LIMITED when too
 * many are open. The signal aborts when the client left, when the stream is too old, and when the server closes.
 */
export function streamsOf(
  app: FastifyInstance,
  limits: StreamLimits,
  { eventStreams }: Pick<Deps["metrics"], "eventStreams">,
): (holder: string, reply: FastifyReply) => AbortSignal {
  const streams = makeOpenStreams(limits);
  app.addHook("preClose", (done) => {
    streams.endAll();
    done();
  });
  return (holder, reply) => {
    const stream = streams.open(holder);
    eventStreams.inc();
    finished(reply.raw, () => {
      stream.end();
      eventStreams.dec();
    });
    return stream.signal;
  };
}
