import type { CheckoutOrderData } from "@exchange/contract";
import type { Problem } from "../api/client.ts";
import { type FlowDeps, pause } from "./deps.ts";

const POLL_FIRST_MS = 3_000;
const POLL_SLOWEST_MS = 15_000;
const GROWTH = 1.4;
/** Where a proxy buffers streams, a new one is opened only this often. */
const STREAM_AGAIN_MS = 60_000;
const REOPEN_FIRST_MS = 1_000;
/** A stream that was open for this long did not fail. */
const STREAM_HELD_MS = 20_000;

interface OrderFollower {
  /** Replaces what is followed. Does nothing while the page is hidden. */
  follow(orderId: number): void;
  stop(): void;
}

/**
 * Follows one order: over a stream, which begins with the order as it is, and by polling where streams
 * do not get through. There is never more than one stream or poll, and none while the page is hidden.
 */
export function createOrderFollower(deps: FlowDeps): OrderFollower {
  let run: AbortController | undefined;
  const stop = (): void => run?.abort();
  return {
    follow(orderId) {
      stop();
      if (!deps.page.isVisible()) return;
      run = new AbortController();
      void follow({ ...deps, orderId, signal: run.signal });
    },
    stop,
  };
}

interface Following extends FlowDeps {
  readonly orderId: number;
  readonly signal: AbortSignal;
}

async function follow(following: Following): Promise<void> {
  const { page, signal } = following;
  let waitMs = REOPEN_FIRST_MS;
  while (!signal.aborted) {
    const openedAt = page.now();
    const isAlive = await listen(following);
    if (page.now() - openedAt > STREAM_HELD_MS) waitMs = REOPEN_FIRST_MS;
    if (isAlive) await pause(waitMs, signal);
    else await poll(following);
    waitMs = Math.min(waitMs * 2, POLL_SLOWEST_MS);
  }
}

/** Follows one stream to its end. Returns whether it delivered anything. */
async function listen(following: Following): Promise<boolean> {
  const { api, orderId, signal } = following;
  let isAlive = false;
  const problem = await api.followOrder(orderId, {
    signal,
    onAlive() {
      isAlive = true;
      reportConnection(following, "fine");
    },
    onOrder: (order) => reportOrder(following, order),
  });
  if (problem) noticeTimeout(following, problem);
  return isAlive;
}

/** Polls for a while, less often while nothing changes. Ends early when a lost line is back. */
async function poll(following: Following): Promise<void> {
  const { api, page, orderId, signal } = following;
  const until = page.now() + STREAM_AGAIN_MS;
  let waitMs = POLL_FIRST_MS;
  let status: CheckoutOrderData["status"] | undefined;
  let wasLost = false;
  while (!signal.aborted && page.now() < until) {
    const answer = await api.readOrder(orderId);
    if (signal.aborted) return;
    if (answer.ok) {
      reportOrder(following, answer.data);
      if (wasLost) return;
      if (answer.data.status !== status) waitMs = POLL_FIRST_MS;
      status = answer.data.status;
    } else {
      wasLost = true;
      if (noticeTimeout(following, answer.problem)) return;
      reportConnection(following, "lost");
    }
    await pause(waitMs, signal);
    waitMs = Math.min(waitMs * GROWTH, POLL_SLOWEST_MS);
  }
}

function reportOrder(following: Following, order: CheckoutOrderData): void {
  following.store.dispatch({ area: "ordered", type: "orderRead", order });
  reportConnection(following, "fine");
}

const reportConnection = ({ store }: Following, connection: "fine" | "lost" | "timed_out"): void =>
  store.dispatch({ area: "ordered", type: "connectionChanged", connection });

/** A token that expired, or that may not read orders, ends the following. */
function noticeTimeout(following: Following, problem: Problem): boolean {
  if (following.signal.aborted || problem.kind !== "refused") return false;
  if (problem.status !== 401 && problem.status !== 403) return false;
  reportConnection(following, "timed_out");
  return true;
}
