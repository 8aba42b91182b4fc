import type { SourceHealth } from "../../domain/ports/rate-source.ts";
import { readRetryAfter } from "../../retry-after.ts";
import { type HttpAnswer, type HttpClient, Unanswered } from "../client.ts";
import {
  asking,
  type BreakerState,
  CLOSED,
  failed,
  isResting,
  mayAsk,
  succeeded,
} from "./breaker.ts";
import { VenueFault } from "./venue.ts";

/** The parts that every poller of a process shares. */
export interface PollContext {
  readonly client: HttpClient;
  readonly now: () => number;
  /** The age at which an answer is stale. */
  readonly freshMs: number;
  /** Receives a line when a source starts or stops resting. */
  readonly warn: (message: string) => void;
}

/** One request of a source and how its answer is read. */
export interface Call {
  readonly path: string;
  /** Stores the answer. Throws a `VenueFault`. */
  take(answer: HttpAnswer): void;
  /** Receives a fault of the market that was asked for. */
  missed?(fault: VenueFault): void;
}

/** Calls of one kind, a fixed time apart. `next` returns undefined when there is nothing to ask. */
export interface Lane {
  readonly everyMs: number;
  next(): Call | undefined;
}

/** A source that is asked in the background. */
export interface Poller {
  health(): SourceHealth;
  stop(): void;
}

/** A slow source has at most this many requests under way. */
const IN_FLIGHT_MAX = 4;

/** Asks a source in lanes until it is stopped. A source that fails often rests, and the others go on. */
export function startPoller(
  source: { readonly name: string; readonly url: string; readonly freshMs?: number },
  lanes: readonly Lane[],
  context: PollContext,
): Poller {
  const { client, now } = context;
  const stopped = new AbortController();
  const record = recordOf(source.name, context);
  let inFlight = 0;

  const ask = async (call: Call): Promise<void> => {
    inFlight += 1;
    record.begin();
    try {
      call.take(await client.get(`${source.url}${call.path}`, stopped.signal));
      record.good();
    } catch (error) {
      if (stopped.signal.aborted) return;
      if (error instanceof VenueFault && error.scope === "market") {
        call.missed?.(error);
        // The source itself works.
        record.good();
      } else {
        // An error in an adapter must not end the service.
        const isNamed = error instanceof VenueFault || error instanceof Unanswered;
        record.bad(isNamed ? error : new Error(`an answer that cannot be read: ${String(error)}`));
      }
    } finally {
      inFlight -= 1;
    }
  };
  const timers = lanes.map(({ everyMs, next }) => {
    const step = (): void => {
      if (inFlight >= IN_FLIGHT_MAX || !record.mayAsk()) return;
      const call = next();
      if (call) void ask(call);
    };
    step();
    return setInterval(step, everyMs).unref();
  });
  return {
    health: () => ({ source: source.name, ...record.state(now(), source.freshMs) }),
    stop: () => {
      stopped.abort();
      for (const timer of timers) clearInterval(timer);
    },
  };
}

/** Records a source's outcomes, and warns when it starts or stops resting. */
function recordOf(name: string, { now, warn, freshMs: usualFreshMs }: PollContext) {
  let breaker: BreakerState = CLOSED;
  let lastGoodMs: number | undefined;
  let lastFault: string | undefined;
  const move = (next: BreakerState): void => {
    const [before, after] = [isResting(breaker), isResting(next)];
    breaker = next;
    if (!before && after) warn(`the price source ${name} rests: ${lastFault}`);
    if (before && !after) warn(`the price source ${name} answers again`);
  };
  return {
    mayAsk: () => mayAsk(breaker, now()),
    begin: () => {
      breaker = asking(breaker);
    },
    good: () => {
      lastGoodMs = now();
      move(succeeded(breaker));
    },
    bad: (fault: Error) => {
      lastFault = fault.message;
      const rest = fault instanceof VenueFault ? restOf(fault, now()) : undefined;
      move(failed(breaker, now(), rest));
    },
    state: (nowMs: number, freshMs = usualFreshMs): Omit<SourceHealth, "source"> => {
      const { restUntilMs } = breaker;
      if (restUntilMs !== undefined) {
        const until = new Date(restUntilMs).toISOString();
        return { state: "resting", why: `${lastFault}; not asked before ${until}` };
      }
      const isFresh = lastGoodMs !== undefined && nowMs - lastGoodMs <= freshMs;
      if (isFresh) return { state: "sound", why: null };
      return { state: "stale", why: lastFault ?? "no answer yet" };
    },
  };
}

/** Returns the time until which the source asked not to be called. */
const restOf = ({ restMs, restUntilMs }: VenueFault, nowMs: number): number | undefined =>
  restUntilMs ?? (restMs === undefined ? undefined : nowMs + restMs);

/** Parses an answer as JSON and applies a source's own words of failure. */
export function readJson(
  answer: HttpAnswer,
  faultOf: (status: number, body: unknown) => VenueFault | undefined,
  nowMs: number,
): unknown {
  let body: unknown;
  try {
    body = JSON.parse(answer.text);
  } catch {
    body = undefined;
  }
  const fault = safeFault(answer.status, body, faultOf);
  if (fault) throw withRetryAfter(fault, answer, nowMs);
  if (body === undefined) throw new VenueFault("an answer that is not JSON");
  return body;
}

/** A body that is not of the expected form is a fault too; its status says more. */
function safeFault(
  status: number,
  body: unknown,
  faultOf: (status: number, body: unknown) => VenueFault | undefined,
): VenueFault | undefined {
  try {
    return faultOf(status, body);
  } catch (error) {
    if (error instanceof VenueFault)
      return status === 200 ? error : new VenueFault(`HTTP ${status}`);
    throw error;
  }
}

export function withRetryAfter(
  fault: VenueFault,
  { retryAfter }: Pick<HttpAnswer, "retryAfter">,
  nowMs: number,
): VenueFault {
  const waitMs = readRetryAfter(retryAfter, nowMs);
  if (!waitMs || fault.scope === "market") return fault;
  const restUntilMs = Math.max(nowMs + waitMs, fault.restUntilMs ?? 0);
  return new VenueFault(fault.message, { restUntilMs });
}
