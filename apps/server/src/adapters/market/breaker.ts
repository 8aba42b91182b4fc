/** The last outcomes of a source, and the time until which it is not asked. */
export interface BreakerState {
  /** The last outcomes, the newest at the end. */
  readonly outcomes: readonly boolean[];
  readonly restUntilMs: number | undefined;
  /** True while the rest is over and one trial is under way. */
  readonly isTrying: boolean;
}

export const CLOSED: BreakerState = { outcomes: [], restUntilMs: undefined, isTrying: false };

const OUTCOMES = 10;
const FAILURES_MAX = 5;
const REST_MS = 30_000;
/** The longest rest that a venue may ask for: the longest ban of Binance. */
const REST_MS_MAX = 3 * 86_400_000;

/** Returns whether the source may be asked now. After a rest, one trial must succeed first. */
export const mayAsk = ({ restUntilMs, isTrying }: BreakerState, nowMs: number): boolean =>
  restUntilMs === undefined || (nowMs >= restUntilMs && !isTrying);

/** Returns the state of a source that is asked now. */
export const asking = (state: BreakerState): BreakerState =>
  state.restUntilMs === undefined ? state : { ...state, isTrying: true };

export const isResting = ({ restUntilMs }: BreakerState): boolean => restUntilMs !== undefined;

/**
 * Returns the state after a good answer. A good trial forgets the failures before it. A good answer to a request
 * that was sent before the rest does not end it.
 */
export function succeeded(state: BreakerState): BreakerState {
  if (!isResting(state)) return { ...state, outcomes: lastOf([...state.outcomes, true]) };
  return state.isTrying ? CLOSED : state;
}

/**
 * Returns the state after a failure. The source rests after 5 failures of 10, after a failed trial, and at once
 * when it names a time.
 */
export function failed(
  state: BreakerState,
  nowMs: number,
  restUntilMs: number | undefined,
): BreakerState {
  const outcomes = lastOf([...state.outcomes, false]);
  const named = restUntilMs === undefined ? undefined : Math.min(restUntilMs, nowMs + REST_MS_MAX);
  const mustRest = isResting(state) || outcomes.filter((ok) => !ok).length >= FAILURES_MAX;
  // A request that was sent before the rest began does not shorten it.
  const later = Math.max(named ?? 0, mustRest ? nowMs + REST_MS : 0, state.restUntilMs ?? 0);
  return { outcomes, restUntilMs: later > 0 ? later : undefined, isTrying: false };
}

const lastOf = (outcomes: readonly boolean[]): readonly boolean[] => outcomes.slice(-OUTCOMES);
