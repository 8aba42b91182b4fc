import type { OrderData } from "@exchange/contract";
import type { Problem } from "../api/client.ts";
import { mayChange } from "../machine/orders.ts";
import type { Ordered, Stage } from "../machine/state.ts";
import { type FlowDeps, pause } from "./deps.ts";

const POLL_FIRST_MS = 3_000;
const POLL_SLOWEST_MS = 15_000;
const GROWTH = 1.4;
/** Where a proxy keeps streams back, one is tried again only now and then. */
const STREAM_AGAIN_MS = 60_000;
const REOPEN_FIRST_MS = 1_000;
/** A stream that held for so long was no failure. */
const STREAM_HELD_MS = 20_000;

/**
 * Follows the order until it has ended: over a stream, which begins with the order as it is, and by
 * asking again and again where streams do not get through. There is never more than one of either,
 * and none while nobody is looking or a payment is on its way, which answers for itself.
 */
export function followOrder(deps: FlowDeps): void {
  const { store, page } = deps;
  let run: AbortController | undefined;
  let told: OrderData | undefined;

  const stop = (): void => {
    run?.abort();
    run = undefined;
  };
  const restart = (): void => {
    stop();
    const { stage } = store.read();
    if (!isFollowing(stage) || !page.isVisible()) return;
    run = new AbortController();
    void follow({ ...deps, orderId: stage.order.orderId, signal: run.signal, tell });
  };
  const tell = (order: OrderData): void => {
    told = order;
    store.dispatch({ type: "orderRead", order });
    store.dispatch({ type: "connectionChanged", connection: "fine" });
  };

  store.subscribe(({ next, previous }) => {
    if (!isFollowing(next.stage)) return stop();
    const before = previous.stage.kind === "ordered" ? previous.stage.order : undefined;
    const { order } = next.stage;
    // What somebody else read may be older than what the stream has told already.
    const fromElsewhere = order !== before && order !== told;
    if (!run || fromElsewhere) restart();
  });
  page.on("visible", restart);
  page.on("online", restart);
  page.on("hidden", stop);
  page.on("offline", () => {
    if (!run) return;
    store.dispatch({ type: "connectionChanged", connection: "lost" });
    // What still comes over the open stream would say that all is well; a new one tells whether it is.
    restart();
  });
}

const isFollowing = (stage: Stage): stage is Ordered =>
  stage.kind === "ordered" &&
  stage.paying === "idle" &&
  stage.connection !== "timed_out" &&
  mayChange(stage.order);

interface Following extends FlowDeps {
  readonly orderId: number;
  readonly signal: AbortSignal;
  readonly tell: (order: OrderData) => void;
}

async function follow(following: Following): Promise<void> {
  const { page, signal } = following;
  let waitMs = REOPEN_FIRST_MS;
  while (!signal.aborted) {
    const openedAt = page.now();
    const heard = await listen(following);
    if (page.now() - openedAt > STREAM_HELD_MS) waitMs = REOPEN_FIRST_MS;
    if (heard) await pause(waitMs, signal);
    else await poll(following);
    waitMs = Math.min(waitMs * 2, POLL_SLOWEST_MS);
  }
}

/** Follows one stream to its end; whether anything came over it. */
async function listen(following: Following): Promise<boolean> {
  const { api, store, orderId, signal, tell } = following;
  let heard = false;
  const problem = await api.followOrder(orderId, {
    signal,
    onAlive() {
      heard = true;
      store.dispatch({ type: "connectionChanged", connection: "fine" });
    },
    onOrder: tell,
  });
  if (problem) noticeTimeout(following, problem);
  return heard;
}

/** Asks for a while, seldomer while nothing changes; less long when the line was down and is back. */
async function poll(following: Following): Promise<void> {
  const { api, page, store, orderId, signal, tell } = following;
  const until = page.now() + STREAM_AGAIN_MS;
  let waitMs = POLL_FIRST_MS;
  let status: OrderData["status"] | undefined;
  let wasLost = false;
  while (!signal.aborted && page.now() < until) {
    const answer = await api.readOrder(orderId);
    if (signal.aborted) return;
    if (answer.ok) {
      tell(answer.data);
      if (wasLost) return;
      if (answer.data.status !== status) waitMs = POLL_FIRST_MS;
      status = answer.data.status;
    } else {
      wasLost = true;
      if (noticeTimeout(following, answer.problem)) return;
      store.dispatch({ type: "connectionChanged", connection: "lost" });
    }
    await pause(waitMs, signal);
    waitMs = Math.min(waitMs * GROWTH, POLL_SLOWEST_MS);
  }
}

/** A token that ran out, or that may not read orders, ends the following. */
function noticeTimeout({ store, signal }: Following, problem: Problem): boolean {
  if (signal.aborted || problem.kind !== "refused") return false;
  if (problem.status !== 401 && problem.status !== 403) return false;
  store.dispatch({ type: "connectionChanged", connection: "timed_out" });
  return true;
}
