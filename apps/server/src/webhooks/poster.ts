import { Agent, type Dispatcher } from "undici";
import type { TargetPolicy } from "../domain/webhooks/targets.ts";
import { makeConnector, type Resolve } from "./connector.ts";
import { classifyFault, type FaultClass } from "./faults.ts";

export interface PosterOptions {
  readonly policy: TargetPolicy;
  readonly connectTimeoutMs?: number;
  /** From the first packet to the status line. */
  readonly totalTimeoutMs?: number;
  readonly resolve?: Resolve;
  readonly certificateAuthorities?: readonly string[];
}

export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Breaks the attempt off. */
  readonly signal: AbortSignal;
}

/** The status line alone decides; what follows it is evidence. */
export type PostOutcome =
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly retryAfter: string | undefined;
      readonly excerpt: Uint8Array;
    }
  | { readonly kind: "failed"; readonly fault: FaultClass };

export interface Poster {
  /** Never throws, and never takes longer than the total timeout and the body window. */
  post(post: Post): Promise<PostOutcome>;
  close(): Promise<void>;
}

export const CONNECT_TIMEOUT_MS = 5_000;
export const TOTAL_TIMEOUT_MS = 15_000;
/** How long and how much of the answer is read once its status is known. */
export const BODY_WINDOW_MS = 1_000;
const BODY_BYTES_MAX = 16 * 1024;
const EXCERPT_BYTES_MAX = 256;
const HEADER_BYTES_MAX = 16 * 1024;
const KEEP_ALIVE_MS_MAX = 30_000;

/**
 * Posts webhooks: one request a connection at a time, connections kept alive, no redirect followed,
 * nothing decompressed, no proxy taken from the environment.
 */
export function makePoster(options: PosterOptions): Poster {
  const totalMs = options.totalTimeoutMs ?? TOTAL_TIMEOUT_MS;
  const { policy, resolve, certificateAuthorities } = options;
  const agent = new Agent({
    connect: makeConnector({
      policy,
      timeoutMs: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
      ...(resolve && { resolve }),
      ...(certificateAuthorities && { certificateAuthorities }),
    }),
    pipelining: 1,
    maxHeaderSize: HEADER_BYTES_MAX,
    headersTimeout: totalMs,
    bodyTimeout: totalMs,
    keepAliveMaxTimeout: KEEP_ALIVE_MS_MAX,
  });
  return {
    post: (post) => send({ agent, totalMs }, post),
    close: () => agent.destroy(),
  };
}

async function send(client: { agent: Agent; totalMs: number }, post: Post): Promise<PostOutcome> {
  const overTime = new AbortController();
  const timer = setTimeout(() => overTime.abort(), client.totalMs);
  const interrupt = (): void => overTime.abort();
  post.signal.addEventListener("abort", interrupt, { once: true });
  try {
    if (post.signal.aborted) overTime.abort();
    const target = new URL(post.url);
    const response = await client.agent.request({
      origin: target.origin,
      path: target.pathname + target.search,
      method: "POST",
      headers: post.headers,
      body: post.body,
      signal: overTime.signal,
    });
    return {
      kind: "answered",
      status: response.statusCode,
      retryAfter: firstValue(response.headers["retry-after"]),
      excerpt: await readExcerpt(response.body),
    };
  } catch (error) {
    if (post.signal.aborted) return { kind: "failed", fault: "interrupted" };
    return { kind: "failed", fault: overTime.signal.aborted ? "timeout" : classifyFault(error) };
  } finally {
    clearTimeout(timer);
    post.signal.removeEventListener("abort", interrupt);
  }
}

/** Keeps the first bytes. What is long or slow is cut off together with its connection. */
async function readExcerpt(body: Dispatcher.ResponseData["body"]): Promise<Uint8Array> {
  const kept: Buffer[] = [];
  let read = 0;
  const timer = setTimeout(() => body.destroy(), BODY_WINDOW_MS);
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (read < EXCERPT_BYTES_MAX) kept.push(chunk.subarray(0, EXCERPT_BYTES_MAX - read));
      read += chunk.length;
      if (read > BODY_BYTES_MAX) break;
    }
  } catch {
    // The status has arrived, so the attempt is decided; a body that breaks off changes nothing.
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(kept);
}

const firstValue = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header;
