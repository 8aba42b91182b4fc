import type pg from "pg";
import { DatabaseBusy, type DatabaseErrorClass, DatabaseUnavailable } from "./unavailable.ts";
import { openWatchConnection, type WatchConnection } from "./watch-connection.ts";

/** Receives one call when the database goes away, and one when it is back. */
export interface DatabaseReport {
  away(error: DatabaseUnavailable): void;
  back(awayMs: number): void;
  /** A statement failed for want of a working connection, but the database answers. At most every ten seconds. */
  disturbed(error: DatabaseUnavailable): void;
  /** A statement or a database transaction failed, or a connection was refused. Called each time. */
  failed?(errorClass: DatabaseErrorClass): void;
}

export interface WatchOptions {
  readonly connection: pg.ClientConfig;
  readonly report: DatabaseReport | undefined;
  /** Ends the connections that were opened before the database went away, because they may hang. */
  endConnections(error: DatabaseUnavailable): void;
}

/**
 * One process watches its database over a connection of its own. The same connection receives the
 * notifications. The watch begins with the first listener.
 */
export interface DatabaseWatch {
  /** Returns the error of every statement while the database is away. */
  away(): DatabaseUnavailable | undefined;
  /**
   * A statement failed. After a failed connection the watch connects again at once, to see what new connections
   * see.
   */
  suspect(error: DatabaseUnavailable): void;
  /** Returns after the first attempt to listen. A failed attempt is repeated. */
  listen(channel: string, onNotify: (payload: string) => void): Promise<() => Promise<void>>;
  stop(): Promise<void>;
}

/** docs/operating/database.md states the deadlines that follow from these times. */
const PROBE_INTERVAL_MS = 2_000;
const ANSWER_DEADLINE_MS = 5_000;
const RECONNECT_MS = 500;
const DISTURBED_INTERVAL_MS = 10_000;

export function makeWatch(options: WatchOptions): DatabaseWatch {
  const stopping = new AbortController();
  const parts: WatchParts = {
    connection: options.connection,
    channels: makeChannels(),
    pause: makePause(),
    health: makeHealth(options),
    stopping: stopping.signal,
    current: undefined,
  };
  const { channels, pause, health } = parts;
  let running: Promise<void> | undefined;
  const run = async (onAttempt: () => void): Promise<void> => {
    while (!stopping.signal.aborted) {
      const startMs = performance.now();
      try {
        await attend(parts, onAttempt);
        // A statement that fails again and again must not make the watch connect without a pause.
        if (performance.now() - startMs < RECONNECT_MS) await pause.wait(RECONNECT_MS);
      } catch (error) {
        if (stopping.signal.aborted) return;
        health.isAway(toUnavailable(error as Error));
        onAttempt();
        await pause.wait(RECONNECT_MS);
      }
    }
  };
  let firstAttempt: Promise<void> | undefined;
  const begin = (): Promise<void> =>
    (firstAttempt ??= new Promise((resolve) => {
      running = run(resolve).finally(resolve);
    }));
  return {
    away: () => health.away(),
    suspect: (error) => {
      if (health.suspect(error)) pause.end();
    },
    listen: async (channel, onNotify) => {
      const remove = channels.add(channel, onNotify);
      await begin();
      await parts.current?.listen(channel).catch(() => {});
      return async () => remove();
    },
    stop: async () => {
      stopping.abort();
      pause.end();
      await running;
    },
  };
}

interface WatchParts {
  readonly connection: pg.ClientConfig;
  readonly channels: ReturnType<typeof makeChannels>;
  readonly pause: ReturnType<typeof makePause>;
  readonly health: ReturnType<typeof makeHealth>;
  readonly stopping: AbortSignal;
  current: WatchConnection | undefined;
}

/** Connects, listens and probes until a statement of the process fails. Throws when the database is away. */
async function attend(parts: WatchParts, onAttempt: () => void): Promise<void> {
  const { connection, channels, pause, health, stopping } = parts;
  const ending = new AbortController();
  const onEnd = (): void => {
    if (!ending.signal.aborted) pause.end();
  };
  try {
    const opened = await openWatchConnection({
      connection,
      answerDeadlineMs: ANSWER_DEADLINE_MS,
      signal: AbortSignal.any([stopping, ending.signal]),
      onNotify: channels.notify,
      onEnd,
    });
    parts.current = opened;
    for (const channel of channels.names()) await opened.listen(channel);
    health.isWell();
    onAttempt();
    channels.listened();
    while (!health.isSuspect() && !stopping.aborted) {
      await pause.wait(PROBE_INTERVAL_MS);
      if (!health.isSuspect()) await opened.probe();
    }
  } finally {
    parts.current = undefined;
    ending.abort();
  }
}

/** Whether the database is away, and whether a failed connection makes that likely. */
function makeHealth({ report, endConnections }: WatchOptions) {
  let away: { readonly sinceMs: number; readonly error: DatabaseUnavailable } | undefined;
  let suspicion: DatabaseUnavailable | undefined;
  let disturbedAtMs = Number.NEGATIVE_INFINITY;
  const disturbed = (error: DatabaseUnavailable): void => {
    if (performance.now() - disturbedAtMs < DISTURBED_INTERVAL_MS) return;
    disturbedAtMs = performance.now();
    report?.disturbed(error);
  };
  return {
    away: () => away?.error,
    isSuspect: () => suspicion !== undefined,
    /** Returns whether the database must be looked at. */
    suspect: (error: DatabaseUnavailable): boolean => {
      if (away !== undefined || suspicion !== undefined) return false;
      if (error instanceof DatabaseBusy) disturbed(error);
      else suspicion = error;
      return suspicion !== undefined;
    },
    isAway: (error: DatabaseUnavailable): void => {
      suspicion = undefined;
      const before = away;
      // The connections of the pool may still work when the server has none left for the watch.
      if (before === undefined && error instanceof DatabaseBusy) return;
      away = { sinceMs: before?.sinceMs ?? performance.now(), error };
      if (before !== undefined) return;
      endConnections(error);
      report?.away(error);
    },
    isWell: (): void => {
      if (away !== undefined) report?.back(performance.now() - away.sinceMs);
      else if (suspicion !== undefined) disturbed(suspicion);
      away = undefined;
      suspicion = undefined;
    },
  };
}

const toUnavailable = (error: Error): DatabaseUnavailable =>
  error instanceof DatabaseUnavailable
    ? error
    : new DatabaseUnavailable("The database refuses the service.", { cause: error });

type OnNotify = (payload: string) => void;

/** The listeners of each channel. A channel without listeners stays, because `unlisten` would save nothing. */
function makeChannels() {
  const channels = new Map<string, Set<OnNotify>>();
  let hasListened = false;
  return {
    names: () => [...channels.keys()],
    add: (channel: string, onNotify: OnNotify): (() => void) => {
      const listeners = channels.get(channel) ?? new Set();
      channels.set(channel, listeners.add(onNotify));
      return () => void listeners.delete(onNotify);
    },
    notify: (channel: string, payload: string): void => {
      for (const onNotify of channels.get(channel) ?? []) onNotify(payload);
    },
    /** Notifies every listener when a connection replaced another: notifications were lost between them. */
    listened: (): void => {
      const callbacks = hasListened ? [...channels.values()].flatMap((set) => [...set]) : [];
      for (const onNotify of callbacks) onNotify("");
      hasListened = true;
    },
  };
}

/** A pause that can be ended early. An end without a pause does nothing. */
function makePause() {
  let end = (): void => {};
  return {
    end: () => end(),
    wait: (ms: number): Promise<void> =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        end = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
  };
}
