import { ENDPOINTS, encodeJson } from "@exchange/contract";
import { abortAfter, type StoppableSignal } from "../../deadline.ts";
import { isFinished } from "../../domain/orders/status.ts";
import type { Deps } from "../../flows/deps.ts";
import { type OrderKey, readOrder } from "../../flows/orders/read.ts";
import { makeOrderWatch, type OrderWatch } from "../../flows/orders/watch.ts";
import { isCurrentToken } from "../../flows/sessions/authenticate-browser.ts";
import type { BrowserCaller } from "../auth/caller.ts";
import type { RegisterStream } from "../registrar.ts";
import { presentCheckoutOrder } from "./present.ts";

/** A proxy may close a connection that is silent for longer. */
const QUIET_MS = 15_000;
/** A stream whose token or page was revoked, or whose token was replaced, ends within this time. */
const TOKEN_CHECK_MS = 15_000;

/** Streams every change of an order to its popup. */
export function registerOrderEvents(register: RegisterStream, deps: Deps): void {
  const watch = makeOrderWatch(deps);
  register(ENDPOINTS.followCheckoutOrder, async ({ caller, params, signal }) => {
    const { merchantId, sessionId } = caller.session;
    const key = { merchantId, sessionId, orderId: BigInt(params.orderId) };
    // Read before the stream begins, so that a refusal is an ordinary error answer.
    await readOrder(deps, key);
    return followUntilExpiry(deps, { watch, key, caller, signal });
  });
}

interface Following {
  readonly watch: OrderWatch;
  readonly key: OrderKey;
  readonly caller: BrowserCaller;
  readonly signal: AbortSignal;
}

async function* followUntilExpiry(deps: Deps, what: Following): AsyncGenerator<string> {
  const ending = atExpiry(what);
  try {
    yield* follow(deps, { ...what, signal: ending.signal });
  } finally {
    ending.stop();
  }
}

/** A stream ends with its token. The page of an order has none. */
function atExpiry({ caller, signal }: Following): StoppableSignal {
  const leftMs = leftMsOf(caller);
  if (leftMs === Number.POSITIVE_INFINITY) return { signal, stop: () => {} };
  return abortAfter(Math.max(0, leftMs), signal);
}

const leftMsOf = ({ session, tokenJti }: BrowserCaller): number =>
  tokenJti === null ? Number.POSITIVE_INFINITY : session.tokenExpiresAt.getTime() - Date.now();

async function* follow(
  deps: Deps,
  { watch, key, caller, signal }: Following,
): AsyncGenerator<string> {
  let stamp: string | undefined;
  let checkedAtMs = performance.now();
  while (!signal.aborted) {
    const { orderId } = key;
    const changed = await watch.next({ orderId, stamp, quietMs: QUIET_MS, signal });
    // After a pause of the process the token may have expired before the signal says so.
    if (signal.aborted || leftMsOf(caller) <= 0) return;
    if (performance.now() - checkedAtMs >= TOKEN_CHECK_MS) {
      if (!(await isCurrentToken(deps, caller))) return;
      checkedAtMs = performance.now();
    }
    if (changed === undefined) {
      yield ": nothing new\n\n";
      continue;
    }
    stamp = changed;
    const view = await readOrder(deps, key);
    const data = encodeJson(presentCheckoutOrder(view, deps));
    yield `event: order\nid: ${view.order.version}\ndata: ${data}\n\n`;
    if (isFinished(view.order.status)) return;
  }
}
