import { firstOf, type Problem, readProblem, requestOf } from "./client.ts";

/** The service writes at once when a stream begins. A longer silence means that a proxy buffers it. */
const FIRST_WITHIN_MS = 5_000;
/** The service writes a line at least every 15 seconds. A stream that is silent for longer is dead. */
const SILENCE_MAX_MS = 25_000;

/** One event of a stream of server-sent events. */
export interface StreamEvent {
  readonly type: string;
  readonly data: string;
}

interface StreamCall {
  readonly path: string;
  readonly signal: AbortSignal;
  /** Called for everything the stream delivers, including comments. */
  readonly onAlive: () => void;
  readonly onEvent: (event: StreamEvent) => void;
}

/** Follows a stream until it ends. Resolves with undefined if the service ended it, else with the problem. */
export type Streamer = (call: StreamCall) => Promise<Problem | undefined>;

/**
 * Reads streams of the checkout's endpoints with `fetch`: an `EventSource` cannot send the public token
 * in a header.
 */
export function createStreamer(token: string, send: typeof fetch): Streamer {
  return async ({ path, signal, onAlive, onEvent }) => {
    const silence = watchSilence();
    try {
      const { address, init } = requestOf(token, { method: "GET", path });
      const headers = { ...init.headers, accept: "text/event-stream" };
      const until = firstOf(signal, silence.signal);
      const response = await send(address, { ...init, headers, signal: until });
      if (!response.ok) return readProblem(response.status, await response.json());
      if (!isStream(response) || !response.body) return { kind: "unreachable" };
      const read = createEventReader(onEvent);
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

/** The text of a body, piece by piece. Not every browser can iterate over a stream. */
async function* textOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield decoder.decode(value, { stream: true });
  }
}

/** Aborts its signal after too long a silence. */
function watchSilence() {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), FIRST_WITHIN_MS);
  return {
    signal: silence.signal,
    broken(): void {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MAX_MS);
    },
    /** Also releases a stream that is left before its end. */
    end(): void {
      clearTimeout(timer);
      silence.abort();
    },
  };
}

/**
 * Parses server-sent events piece by piece (WHATWG HTML standard, section 9.2.6). The package
 * `eventsource-parser` does the same for 1 kB more, which the budget of the first load does not have.
 */
export function createEventReader(onEvent: (event: StreamEvent) => void): (text: string) => void {
  let line = "";
  let endedInReturn = false;
  let type = "";
  let data: string[] = [];
  const dispatch = (): void => {
    if (data.length > 0) onEvent({ type: type || "message", data: data.join("\n") });
    type = "";
    data = [];
  };
  const readLine = (text: string): void => {
    if (text === "") return dispatch();
    const [, name, value = ""] = /^([^:]*):? ?(.*)$/s.exec(text) ?? [];
    if (name === "event") type = value;
    if (name === "data") data.push(value);
  };
  return (text) => {
    // A line may end in CR, LF or both, and the two may arrive in separate pieces.
    const piece = endedInReturn && text.startsWith("\n") ? text.slice(1) : text;
    if (text !== "") endedInReturn = text.endsWith("\r");
    const lines = (line + piece).split(/\r\n|\r|\n/);
    line = lines.pop() ?? "";
    for (const ended of lines) readLine(ended);
  };
}
