import type { ChangeTopic } from "@exchange/contract/admin";
import { useCallback, useEffect, useState } from "preact/hooks";
import { CallError } from "../api.ts";
import { isAttended, listeners } from "./live.ts";

/** Data of the service: nothing yet, the data, or why there is none. */
export interface Loaded<Data> {
  readonly data: Data | undefined;
  readonly error: CallError | undefined;
  reload(): void;
  /** Shows data that another call answered with. */
  show(data: Data): void;
}

/**
 * The time after which data with topics is read again, while a person is at the page: ages pass without a change, and the
 * stream of changes may be away.
 */
const REFRESH_MS = 60_000;

/** Failures that pass by themselves. */
const PASSING: ReadonlySet<string> = new Set([
  "UNREACHABLE",
  "SERVICE_UNAVAILABLE",
  "RATE_LIMITED",
]);
const RETRY_MS = 5_000;

/** Tries again by itself after a failure that passes. Returns how to stop. */
export function tryAgainLater(
  error: CallError | undefined,
  again: () => void,
): (() => void) | undefined {
  if (error === undefined || !PASSING.has(error.code)) return undefined;
  const timer = setTimeout(again, RETRY_MS);
  return () => clearTimeout(timer);
}

/**
 * Loads data when the key changes, and again after a change of the topics. An answer that another key overtook is
 * dropped. Data that is there stays while it is read again, and after a failure that passes by itself.
 */
export function useData<Data>(
  key: string,
  load: () => Promise<Data>,
  topics?: readonly ChangeTopic[],
): Loaded<Data> {
  const [state, setState] = useState<Read<Data>>({ key: "" });
  const [round, setRound] = useState(0);
  // The key stands for everything that `load` reads.
  useEffect(() => {
    let isCurrent = true;
    load().then(
      (data) => isCurrent && setState({ key, data }),
      (error: unknown) => {
        if (isCurrent) setState((before) => withError({ key, error: callErrorOf(error) }, before));
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [key, round]);
  const reload = useCallback(() => setRound((count) => count + 1), []);
  useEffect(() => tryAgainLater(state.error, reload), [state.error]);
  useEffect(() => {
    if (topics === undefined) return undefined;
    const listener = { topics, changed: reload };
    listeners.add(listener);
    const timer = setInterval(
      () => document.visibilityState === "visible" && isAttended() && reload(),
      REFRESH_MS,
    );
    return () => {
      listeners.delete(listener);
      clearInterval(timer);
    };
  }, [topics?.join(), reload]);
  const isOfKey = state.key === key;
  return {
    data: isOfKey ? state.data : undefined,
    error: isOfKey ? state.error : undefined,
    reload,
    show: (data) => setState({ key, data }),
  };
}

interface Read<Data> {
  readonly key: string;
  readonly data?: Data;
  readonly error?: CallError;
}
type Failed = Required<Omit<Read<never>, "data">>;

const callErrorOf = (error: unknown): CallError =>
  error instanceof CallError ? error : new CallError("INTERNAL_ERROR", "");

const withError = <Data>(failed: Failed, before: Read<Data>): Read<Data> =>
  PASSING.has(failed.error.code) && before.key === failed.key ? { ...before, ...failed } : failed;

/** Runs actions of a form: whether one runs, and why the last one failed. */
export function useAction(): {
  readonly isBusy: boolean;
  readonly error: CallError | undefined;
  run(action: () => Promise<void>): void;
} {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<CallError>();
  const run = (action: () => Promise<void>): void => {
    setBusy(true);
    setError(undefined);
    action()
      .catch((failed: unknown) => setError(callErrorOf(failed)))
      .finally(() => setBusy(false));
  };
  return { isBusy, error, run };
}
