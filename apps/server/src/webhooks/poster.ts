import { Agent } from "undici";
import type { TargetPolicy } from "../domain/webhooks/targets.ts";
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
  /** Never throws, and never takes longer than the total timeout and the body window. */
  post(post: Post): Promise<PostOutcome>;
  close(): Promise<void>;
}

export const CONNECT_TIMEOUT_MS = 5_000;
export const TOTAL_TIMEOUT_MS = 15_000;
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
  const underWay = makeUnderWay();
  const targetOf = makeTargets();
  return {
    post: ({ url, headers, body, signal }) =>
      new Promise((resolvePost) => {
        const answer = new PostUnderWay(totalMs, (outcome) => {
          underWay.leave(answer, signal);
          resolvePost(outcome);
        });
        underWay.enter(answer, signal);
        if (signal.aborted) return answer.breakOff("interrupted");
        agent.dispatch({ ...targetOf(url), method: "POST", headers, body }, answer);
      }),
    close: () => agent.destroy(),
  };
}

/** What each signal breaks off: one listener for all of them. */
function makeUnderWay() {
  const groups = new WeakMap<AbortSignal, Set<PostUnderWay>>();
  const groupOf = (signal: AbortSignal): Set<PostUnderWay> => {
    const known = groups.get(signal);
    if (known !== undefined) return known;
    const group = new Set<PostUnderWay>();
    groups.set(signal, group);
    const breakOffAll = (): void => {
      for (const post of group) post.breakOff("interrupted");
    };
    signal.addEventListener("abort", breakOffAll, { once: true });
    return group;
  };
  return {
    enter: (post: PostUnderWay, signal: AbortSignal): void => void groupOf(signal).add(post),
    leave: (post: PostUnderWay, signal: AbortSignal): void => void groupOf(signal).delete(post),
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
