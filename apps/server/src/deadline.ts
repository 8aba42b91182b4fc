/** Repeats until it is stopped. */
export interface Turns {
  stop(): void;
  /** Lets the process end while it waits. */
  unref(): Turns;
}

/**
 * Calls back after each such time, once the event loop has read the answers that arrived meanwhile. After a pause of the
 * whole process timers fire before sockets are read. The pause counts as one turn, however long it was.
 */
export function everyTurn(milliseconds: number, onTurn: () => void): Turns {
  let timer: NodeJS.Timeout;
  let polled: NodeJS.Immediate | undefined;
  let isHeld = true;
  const wait = (): void => {
    timer = setTimeout(() => {
      polled = setImmediate(turn);
    }, milliseconds);
    if (!isHeld) timer.unref();
  };
  const turn = (): void => {
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
  };
  return turns;
}

/** A deadline passes in this many parts. */
const DEADLINE_PARTS = 10;

/**
 * Calls back once when the time is over. Each part of the deadline needs a turn of the event loop, so a paused process or
 * a blocked loop costs one part, and the answers that arrived meanwhile are read first.
 */
export function startDeadline(milliseconds: number, onExpired: () => void): Turns {
  let partsLeft = DEADLINE_PARTS;
  const turns = everyTurn(milliseconds / DEADLINE_PARTS, () => {
    partsLeft -= 1;
    if (partsLeft > 0) return;
    turns.stop();
    onExpired();
  });
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

/**
 * Returns a signal that aborts with the given one, and at the deadline with a `TimeoutError`. Node collects an
 * `AbortSignal.timeout` that only `AbortSignal.any` knows as garbage, and it never fires (nodejs/node#57736). The timer
 * here keeps its own.
 */
export function abortAfter(milliseconds: number, signal: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const expire = (): void =>
    controller.abort(new DOMException("The deadline has passed.", "TimeoutError"));
  startDeadline(milliseconds, expire).unref();
  return AbortSignal.any([signal, controller.signal]);
}
