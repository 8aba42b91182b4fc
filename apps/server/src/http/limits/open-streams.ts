import { Refusal } from "../../flows/refusal.ts";

export interface StreamLimits {
  /** One browser shows an order once, and a reload may overlap with the page before it. */
  readonly ofHolderMax: number;
  readonly ofProcessMax: number;
  /** The client opens another stream afterwards, with its current credentials. */
  readonly lifetimeMs: number;
}

export const STREAM_LIMITS: StreamLimits = {
  ofHolderMax: 3,
  ofProcessMax: 4_096,
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
  /** Opens a stream of the holder. The holder's oldest stream ends when it has too many. */
  open(holder: string): OpenStream;
  endAll(): void;
}

export function makeOpenStreams(limits: StreamLimits): OpenStreams {
  const byHolder = new Map<string, Set<OpenStream>>();
  let count = 0;
  const open = (holder: string): OpenStream => {
    const streams = byHolder.get(holder) ?? new Set<OpenStream>();
    const oldest = streams.size >= limits.ofHolderMax ? [...streams][0] : undefined;
    oldest?.end();
    if (count >= limits.ofProcessMax) {
      throw new Refusal("RATE_LIMITED", {
        message: "Too many event streams are open. Read the order again later instead.",
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
