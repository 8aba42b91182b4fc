import type { buildConnector } from "undici";
import type { TargetPolicy } from "../domain/webhooks/targets.ts";
import { makeConnections, type Origin } from "./connections.ts";
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
  /** Never throws, and takes no longer than the total timeout and the body window, but for a tick. */
  post(post: Post): Promise<PostOutcome>;
  close(): Promise<void>;
}

export const CONNECT_TIMEOUT_MS = 5_000;
export const TOTAL_TIMEOUT_MS = 15_000;
const TICK_MS = 50;

/**
 * Posts webhooks over HTTP/1.1: one request a connection at a time, connections kept alive, no redirect
 * followed, nothing decompressed, no proxy taken from the environment.
 */
export function makePoster(options: PosterOptions): Poster {
  const totalMs = options.totalTimeoutMs ?? TOTAL_TIMEOUT_MS;
  const { policy, resolve, certificateAuthorities } = options;
  const connections = makeConnections(
    makeConnector({
      policy,
      timeoutMs: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
      ...(resolve && { resolve }),
      ...(certificateAuthorities && { certificateAuthorities }),
    }),
  );
  const underWay = makeUnderWay(connections.closeStale);
  const targetOf = makeTargets();
  return {
    post: ({ url, headers, body, signal }) =>
      new Promise((resolvePost) => {
        const target = targetOf(url);
        const post = new PostUnderWay({
          text: requestText(target, headers, body),
          signal,
          endsAt: performance.now() + totalMs,
          onEnd: (ended, outcome) => {
            underWay.leave(ended);
            resolvePost(outcome);
          },
        });
        underWay.enter(post);
        if (signal.aborted) post.breakOff("interrupted");
        else connections.send(target, post);
      }),
    close: async () => {
      underWay.close();
      connections.close();
    },
  };
}

/** Everything in it is of our making: ids, numbers and signatures, and a URL as the parser spelled it. */
function requestText(target: Target, headers: Post["headers"], body: string): string {
  let text = target.begin;
  for (const name in headers) text += `${name}: ${headers[name]}\r\n`;
  return `${text}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** The posts under way, with one timer for all of them and one listener for each signal. */
function makeUnderWay(closeStale: (now: number) => number) {
  const posts = new Set<PostUnderWay>();
  const heard = new WeakSet<AbortSignal>();
  let ticking: NodeJS.Timeout | undefined;
  const tick = (): void => {
    const now = performance.now();
    for (const post of posts) if (post.endsAt <= now) post.breakOff("timeout");
    if (closeStale(now) + posts.size > 0) return;
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
      ticking ??= setInterval(tick, TICK_MS).unref();
      if (!heard.has(post.signal)) hear(post.signal);
    },
    leave: (post: PostUnderWay): void => void posts.delete(post),
    close: (): void => {
      clearInterval(ticking);
      for (const post of posts) post.breakOff("interrupted");
    },
  };
}

interface Target extends Origin {
  /** Of each request, as far as it is always the same. */
  readonly begin: string;
}

const TARGETS_MAX = 1_000;

/** Remembers what the last URLs mean. */
function makeTargets(): (url: string) => Target {
  const known = new Map<string, Target>();
  return (url) => {
    const found = known.get(url);
    if (found !== undefined) return found;
    if (known.size === TARGETS_MAX) known.clear();
    const target = readTarget(new URL(url));
    known.set(url, target);
    return target;
  };
}

function readTarget({ origin, host, hostname, protocol, port, pathname, search }: URL): Target {
  const name = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  const connect: buildConnector.Options = { hostname: name, host, protocol, port };
  const begin = `POST ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`;
  return { origin, connect, begin };
}
