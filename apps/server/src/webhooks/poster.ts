import type { TargetPolicy } from "../domain/webhooks/targets.ts";
import { makeConnections } from "./connections.ts";
import { makeConnector, type Resolve } from "./connector.ts";
import { type PostOutcome, PostUnderWay } from "./post-under-way.ts";

export { BODY_WINDOW_MS, type PostOutcome } from "./post-under-way.ts";

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

export interface Poster {
  /** Never throws, and takes no longer than the total timeout and the body window, but for a tick each. */
  post(post: Post): Promise<PostOutcome>;
  close(): Promise<void>;
}

export const CONNECT_TIMEOUT_MS = 5_000;
export const TOTAL_TIMEOUT_MS = 15_000;
const TICK_MS = 50;
const HEADER_BYTES_MAX = 16 * 1024;
const KEEP_ALIVE_MS_MAX = 30_000;

/**
 * Posts webhooks: one request a connection at a time, connections kept alive, no redirect followed,
 * nothing decompressed, no proxy taken from the environment.
 */
export function makePoster(options: PosterOptions): Poster {
  const totalMs = options.totalTimeoutMs ?? TOTAL_TIMEOUT_MS;
  const { policy, resolve, certificateAuthorities } = options;
  const connections = makeConnections({
    connect: makeConnector({
      policy,
      timeoutMs: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
      ...(resolve && { resolve }),
      ...(certificateAuthorities && { certificateAuthorities }),
    }),
    pipelining: 1,
    maxHeaderSize: HEADER_BYTES_MAX,
    // One timer bounds all that is under way, where these would be two for each request.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveMaxTimeout: KEEP_ALIVE_MS_MAX,
  });
  const underWay = makeUnderWay();
  const targetOf = makeTargets();
  return {
    post: ({ url, headers, body, signal }) =>
      new Promise((resolvePost) => {
        if (signal.aborted) return resolvePost({ kind: "failed", fault: "interrupted" });
        const { origin, path } = targetOf(url);
        const connection = connections.take(origin);
        const answer = new PostUnderWay({
          signal,
          endsAt: performance.now() + totalMs,
          connection,
          onEnd: (post, outcome) => {
            underWay.leave(post);
            resolvePost(outcome);
          },
        });
        underWay.enter(answer);
        connection.client.dispatch({ path, method: "POST", headers, body }, answer);
      }),
    close: () => connections.close(),
  };
}

/** The posts under way, with one timer for all of them while there are any, and a listener a signal. */
function makeUnderWay() {
  const posts = new Set<PostUnderWay>();
  const heard = new WeakSet<AbortSignal>();
  let ticking: NodeJS.Timeout | undefined;
  const tick = (): void => {
    const now = performance.now();
    for (const post of posts) post.breakOffWhenDue(now);
    if (posts.size > 0) return;
    clearInterval(ticking);
    ticking = undefined;
  };
  const hear = (signal: AbortSignal): void => {
    heard.add(signal);
    const breakOffAll = (): void => {
      for (const post of posts) if (post.signal === signal) post.breakOff("interrupted");
    };
    signal.addEventListener("abort", breakOffAll, { once: true });
  };
  return {
    enter: (post: PostUnderWay): void => {
      posts.add(post);
      ticking ??= setInterval(tick, TICK_MS);
      if (!heard.has(post.signal)) hear(post.signal);
    },
    leave: (post: PostUnderWay): void => void posts.delete(post),
  };
}

interface Target {
  readonly origin: string;
  readonly path: string;
}

const TARGETS_MAX = 1_000;

/** Remembers the parts of the last URLs. */
function makeTargets(): (url: string) => Target {
  const known = new Map<string, Target>();
  return (url) => {
    const found = known.get(url);
    if (found !== undefined) return found;
    const { origin, pathname, search } = new URL(url);
    if (known.size === TARGETS_MAX) known.clear();
    const target = { origin, path: pathname + search };
    known.set(url, target);
    return target;
  };
}
