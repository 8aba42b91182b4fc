import { type Problem, readProblem, requestOf } from "./client.ts";
import { readEvents, type StreamEvent } from "./event-stream.ts";

/** The service writes at once when a stream begins; what does not come is held back on the way. */
const FIRST_WITHIN_MS = 5_000;
/** It writes a line at least every 15 seconds; a stream that is quiet for longer is dead. */
const QUIET_AT_MOST_MS = 25_000;

export interface StreamCall {
  readonly path: string;
  readonly signal: AbortSignal;
  /** Called for anything that comes, a line that says nothing included. */
  readonly onAlive: () => void;
  readonly onEvent: (event: StreamEvent) => void;
}

/** Follows a stream until it ends; undefined when the service ended it, else what went wrong. */
export type Streamer = (call: StreamCall) => Promise<Problem | undefined>;

/** Reads streams of the checkout's endpoints with the public token, which goes in a header only. */
export function createStreamer(token: string, send: typeof fetch): Streamer {
  return async ({ path, signal, onAlive, onEvent }) => {
    const silence = watchSilence();
    try {
      const { address, init } = requestOf(token, { method: "GET", path });
      const headers = { ...init.headers, accept: "text/event-stream" };
      const until = AbortSignal.any([signal, silence.signal]);
      const response = await send(address, { ...init, headers, signal: until });
      if (!response.ok) return readProblem(response.status, await response.json());
      if (!isStream(response) || !response.body) return { kind: "unreachable" };
      const read = readEvents(onEvent);
      for await (const text of textOf(response.body)) {
        silence.broken();
        onAlive();
        read(text);
      }
      return undefined;
    } catch {
      return { kind: signal.aborted ? "abandoned" : "unreachable" };
    } finally {
      silence.end();
    }
  };
}

const isStream = ({ headers }: Response): boolean =>
  headers.get("content-type")?.startsWith("text/event-stream") === true;

/** The text of a body as it comes. Not every browser can loop over a stream itself. */
async function* textOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield decoder.decode(value, { stream: true });
  }
}

/** Aborts its signal when nothing was heard for too long. */
function watchSilence() {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), FIRST_WITHIN_MS);
  return {
    signal: silence.signal,
    broken(): void {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), QUIET_AT_MOST_MS);
    },
    /** Also lets go of a stream that is left before its end. */
    end(): void {
      clearTimeout(timer);
      silence.abort();
    },
  };
}
