import { Agent, type Dispatcher, request } from "undici";
import { abortAfter } from "../deadline.ts";

/** The hosts that a client may reach. Tests reach stand-ins on this machine, and nothing else. */
export type Reach = "anywhere" | "loopback";

/** An answer of a provider. */
export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
  /** The time when the request was sent, by the clock of this machine. The content is not newer than that. */
  readonly askedAtMs: number;
  readonly retryAfter: string | undefined;
  /** The age that a cache on the way states, in milliseconds. */
  readonly cachedForMs: number;
}

/** Reads from providers. One client serves all adapters of a process. */
export interface HttpClient {
  /** Throws an `Unanswered` if no complete answer arrives in time. */
  get(url: string, signal: AbortSignal): Promise<HttpAnswer>;
  close(): Promise<void>;
}

/** No complete answer arrived. The message says why. */
export class Unanswered extends Error {}

const TIMEOUT_MS = 5_000;
const CONNECT_TIMEOUT_MS = 3_000;
/** The largest answer that is read. A venue's whole order book has about one megabyte. */
const BYTES_MAX = 8 * 1024 * 1024;
const HEADER_BYTES_MAX = 16 * 1024;
/** Some venues refuse requests without a name. */
const USER_AGENT = "exchange-server";

/**
 * Makes a client that checks certificates, follows no redirect, takes no proxy from the environment and bounds
 * the time and the size of every answer.
 */
export function makeHttpClient(options: {
  readonly reach: Reach;
  readonly timeoutMs?: number;
  readonly bytesMax?: number;
  readonly now?: () => number;
}): HttpClient {
  const { reach, timeoutMs = TIMEOUT_MS, bytesMax = BYTES_MAX, now = Date.now } = options;
  const agent = new Agent({
    // Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED cannot turn it off.
    connect: { timeout: CONNECT_TIMEOUT_MS, rejectUnauthorized: true },
    maxHeaderSize: HEADER_BYTES_MAX,
    pipelining: 1,
  });
  return {
    get: async (url, signal) => {
      assertReachable(url, reach);
      const askedAtMs = now();
      const ending = abortAfter(timeoutMs, signal);
      try {
        const response = await request(url, {
          dispatcher: agent,
          headers: { "user-agent": USER_AGENT, accept: "application/json, application/xml" },
          signal: ending.signal,
        });
        return {
          status: response.statusCode,
          text: await readText(response.body, bytesMax),
          askedAtMs,
          retryAfter: firstOf(response.headers["retry-after"]),
          cachedForMs: ageOf(firstOf(response.headers["age"])),
        };
      } catch (error) {
        throw new Unanswered(wordsOf(error as NodeJS.ErrnoException, timeoutMs));
      } finally {
        ending.stop();
      }
    },
    close: () => agent.destroy(),
  };
}

function assertReachable(url: string, reach: Reach): void {
  if (reach === "anywhere" || isLoopback(url)) return;
  const { hostname } = new URL(url);
  throw new Unanswered(
    `${hostname} is not this machine, and tests reach no other. Give the provider the url of a stand-in.`,
  );
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Returns whether the address is on this machine, where plain HTTP is safe. */
export const isLoopback = (url: string): boolean => LOOPBACK.test(new URL(url).hostname);

async function readText(body: Dispatcher.ResponseData["body"], bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // Leaving the loop early destroys the connection.
    if (bytes > bytesMax) throw new Unanswered(`an answer of more than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

export const firstOf = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header;

const ageOf = (header: string | undefined): number =>
  header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : 0;

function wordsOf(error: NodeJS.ErrnoException, timeoutMs: number): string {
  if (error instanceof Unanswered) return error.message;
  if (error.name === "TimeoutError") return `no answer within ${timeoutMs / 1000} s`;
  if (error.name === "AbortError") return "stopped";
  return error.message || (error.code ?? error.name);
}
