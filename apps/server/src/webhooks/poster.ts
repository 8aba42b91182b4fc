import { setMaxListeners } from "node:events";
import { Agent, DecoratorHandler, type Dispatcher, request } from "undici";
import { startDeadline } from "../deadline.ts";
import type { TargetPolicy } from "../domain/webhooks/targets.ts";
import { makeConnector, type Resolve } from "./connector.ts";
import { classifyError, type ErrorClass } from "./error-classes.ts";
import type { Lease } from "./lease.ts";

export interface PosterOptions {
  readonly policy: TargetPolicy;
  readonly connectTimeoutMs?: number;
  /** From the start of the attempt to the status line. */
  readonly totalTimeoutMs?: number;
  readonly resolve?: Resolve;
  readonly certificateAuthorities?: readonly string[];
}

export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Aborts the attempt. */
  readonly signal: AbortSignal;
  /** The attempt is broken off when it ends. An alert has none. */
  readonly lease?: Lease;
}

/** The status line alone decides; the start of the body is evidence. */
export type PostOutcome =
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly retryAfter: string | undefined;
      readonly excerpt: Uint8Array;
    }
  | { readonly kind: "failed"; readonly errorClass: ErrorClass };

export interface Poster {
  /** Never rejects. Takes at most the total timeout and the body window. */
  post(post: Post): Promise<PostOutcome>;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 5_000;
export const TOTAL_TIMEOUT_MS = 15_000;
/** The time for the body once the status is known. */
export const BODY_WINDOW_MS = 1_000;
/** A request is written only while its lease lasts at least this long. Its signature is as old as the attempt. */
const WRITE_LEFT_MS = 10_000;
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
    // The attempt's own timer bounds the headers and the body.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveMaxTimeout: KEEP_ALIVE_MS_MAX,
  });
  return {
    post: (post) => postOnce(agent, post, totalMs),
    close: () => agent.destroy(),
  };
}

async function postOnce(agent: Agent, post: Post, totalMs: number): Promise<PostOutcome> {
  const { url, headers, body } = post;
  const attempt = startAttempt(post, totalMs);
  const dispatcher = agent.compose(beforeWriting(attempt.requireLease));
  try {
    const { signal } = attempt;
    const options = { dispatcher, method: "POST", headers, body, signal } as const;
    const response = await request(url, options);
    attempt.allow(BODY_WINDOW_MS);
    const retryAfter = response.headers["retry-after"];
    return {
      kind: "answered",
      status: response.statusCode,
      retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
      excerpt: await readExcerpt(response.body),
    };
  } catch (error) {
    return { kind: "failed", errorClass: attempt.errorClass() ?? classifyError(error) };
  } finally {
    attempt.end();
  }
}

/** Asks right before a request is written, because the process may have been paused while its connection opened. */
const beforeWriting =
  (ask: () => void): Dispatcher.DispatcherComposeInterceptor =>
  (dispatch) =>
  (options, handler) => {
    const asking: Dispatcher.DispatchHandler = new DecoratorHandler(handler);
    const start = asking.onRequestStart?.bind(asking);
    asking.onRequestStart = (controller, context) => {
      start?.(controller, context);
      ask();
    };
    return dispatch(options, asking);
  };

/** A signal that aborts with the caller's, or when the time or the lease is over. */
function startAttempt({ signal: caller, lease }: Post, totalMs: number) {
  const controller = new AbortController();
  let errorClass: ErrorClass | undefined;
  const abort = (why: ErrorClass): void => {
    errorClass ??= why;
    controller.abort();
  };
  const interrupt = (): void => abort("interrupted");
  const isLeaseOver = (): boolean => lease !== undefined && lease.leftMs() <= 0;
  const giveUp = (): void => abort(isLeaseOver() ? "interrupted" : "timeout");
  let deadline = startDeadline(totalMs, giveUp, isLeaseOver);
  // Every attempt under way listens to the one signal of its dispatcher.
  setMaxListeners(0, caller);
  caller.addEventListener("abort", interrupt, { once: true });
  if (caller.aborted) interrupt();
  return {
    signal: controller.signal,
    errorClass: () => errorClass,
    requireLease: (): void => {
      if (lease !== undefined && lease.leftMs() < WRITE_LEFT_MS) interrupt();
    },
    /** Starts the time again. */
    allow: (ms: number): void => {
      deadline.stop();
      deadline = startDeadline(ms, () => abort("timeout"));
    },
    end: (): void => {
      deadline.stop();
      caller.removeEventListener("abort", interrupt);
    },
  };
}

/** Reads the start of the body. A body that is long, slow or broken is cut off with its connection. */
async function readExcerpt(body: Dispatcher.ResponseData["body"]): Promise<Uint8Array> {
  let excerpt = Buffer.alloc(0);
  let bytesRead = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      const room = EXCERPT_BYTES_MAX - excerpt.length;
      if (room > 0) excerpt = Buffer.concat([excerpt, chunk.subarray(0, room)]);
      bytesRead += chunk.length;
      if (bytesRead > BODY_BYTES_MAX) break;
    }
  } catch {
    // The status has arrived, so the endpoint has answered.
  }
  return excerpt;
}
