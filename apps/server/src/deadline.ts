/** Repeats until it is stopped. */
export interface Turns {
  stop(): void;
  /** Lets the process end while it waits. */
  unref(): Turns;
  /** Returns the milliseconds since the start. A pause of the whole process counts as about a second. */
  passedMs(): number;
}

/** Work delays a turn by less than this. A pause of the process counts as this much. */
const LAG_MS_MAX = 1_000;

/**
 * Calls back about every `milliseconds`, once the event loop has read the answers that arrived meanwhile. After a pause of
 * the whole process timers fire before sockets are read. The pause counts as one turn. The lag of a busy loop is counted.
 */
export const everyTurn = (milliseconds: number, onTurn: () => void): Turns =>
  startTurns(() => milliseconds, onTurn);

function startTurns(waitMs: (passedMs: number) => number, onTurn: () => void): Turns {
  let timer: NodeJS.Timeout;
  let polled: NodeJS.Immediate | undefined;
  let isHeld = true;
  let passedMs = 0;
  let turnedAt = performance.now();
  let turnMsMax = 0;
  const passed = (now = performance.now()): number =>
    passedMs + Math.min(now - turnedAt, turnMsMax);
  const wait = (): void => {
    const milliseconds = waitMs(passedMs);
    turnMsMax = milliseconds + LAG_MS_MAX;
    timer = setTimeout(() => {
      polled = setImmediate(turn);
    }, milliseconds);
    if (!isHeld) timer.unref();
  };
  const turn = (): void => {
    const now = performance.now();
    passedMs = passed(now);
    turnedAt = now;
    wait();
    onTurn();
  };
  wait();
  const turns: Turns = {
    stop: () => {
      clearTimeout(timer);
      clearImmediate(polled);
    },
    unref: () => {
      isHeld = false;
      timer.unref();
      return turns;
    },
    passedMs: () => passed(),
  };
  return turns;
}

/** A deadline passes in this many parts. */
const DEADLINE_PARTS = 10;
/** A timer may fire a fraction of a millisecond early. */
const EARLY_MS = 1;

/**
 * Calls back once, at the first turn after the time is over. A paused process costs one part of the deadline and a second,
 * and the answers that arrived meanwhile are read first. `isOver` is asked at each part, and ends the deadline early.
 */
export function startDeadline(
  milliseconds: number,
  onExpired: () => void,
  isOver: () => boolean = () => false,
): Turns {
  const partMs = milliseconds / DEADLINE_PARTS;
  const leftMs = (passedMs: number): number => milliseconds - passedMs;
  const turns = startTurns(
    (passedMs) => Math.min(partMs, Math.max(0, leftMs(passedMs))),
    () => {
      if (leftMs(turns.passedMs()) >= EARLY_MS && !isOver()) return;
      turns.stop();
      onExpired();
    },
  );
  return turns;
}

/** Rejects with the error when the work takes longer than the deadline. The work itself goes on. */
export async function beforeDeadline<T>(
  work: Promise<T>,
  milliseconds: number,
  late: () => Error,
): Promise<T> {
  let deadline: Turns | undefined;
  const expired = new Promise<never>((_resolve, reject) => {
    deadline = startDeadline(milliseconds, () => reject(late()));
  });
  return Promise.race([work, expired]).finally(() => deadline?.stop());
}

/** A signal that is stopped when the work ends that it may abort. */
export interface StoppableSignal {
  readonly signal: AbortSignal;
  stop(): void;
}

/**
 * Returns a signal that aborts with the given one, and at the deadline with a `TimeoutError`. Node
 * garbage-collects an `AbortSignal.timeout` that only `AbortSignal.any` references, and the signal then never fires
 * (nodejs/node#57736). The timer here holds its controller, so the signal survives.
 */
export function abortAfter(milliseconds: number, signal: AbortSignal): StoppableSignal {
  const controller = new AbortController();
  const expire = (): void =>
    controller.abort(new DOMException("The deadline has passed.", "TimeoutError"));
  const deadline = startDeadline(milliseconds, expire).unref();
  return { signal: AbortSignal.any([signal, controller.signal]), stop: () => deadline.stop() };
}
