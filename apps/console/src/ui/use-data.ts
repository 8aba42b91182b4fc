import type { ChangeTopic } from "@exchange/contract/admin";
import { useEffect, useRef, useState } from "preact/hooks";
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

/** Tries again by itself after a failure that passes, once `mayAgain` agrees. Returns how to stop. */
export function tryAgainLater(
  error: CallError | undefined,
  again: () => void,
  mayAgain = () => true,
): (() => void) | undefined {
  if (error === undefined || !PASSING.has(error.code)) return undefined;
  const retry = (): void => {
    if (mayAgain()) again();
    else timer = setTimeout(retry, RETRY_MS);
  };
  let timer = setTimeout(retry, RETRY_MS);
  return () => clearTimeout(timer);
}

/** Whether a person is at the page and sees it. Each reading counts as a request of the session. */
const isWatched = (): boolean => document.visibilityState === "visible" && isAttended();

/**
 * Loads data when the key changes, and again after a change of the topics. An answer to an earlier reading than the one
 * on the screen is dropped. Data that is there stays while it is read again, and after a failure that says nothing about it.
 */
export function useData<Data>(
  key: string,
  load: () => Promise<Data>,
  topics?: readonly ChangeTopic[],
): Loaded<Data> {
  const [state, setState] = useState<Read<Data>>({ key: "" });
  const [round, setRound] = useState(0);
  const readAgain = (): void => setRound((count) => count + 1);
  // The number of the last reading that began, and the last number whose answer is no longer wanted.
  const begun = useRef(0);
  const passed = useRef(0);
  const passAll = (): void => {
    passed.current = begun.current;
  };
  // A reading under way may be older than the caller's knowledge.
  const reload = (): void => {
    passAll();
    readAgain();
  };
  // The key stands for everything that `load` reads.
  useEffect(() => {
    begun.current += 1;
    const reading = begun.current;
    const answer = (answered: Answered<Data>): void => {
      if (reading <= passed.current) return;
      passed.current = reading;
      setState((before) => ({
        ...(keeps(answered) && before.key === key && before),
        ...answered,
        key,
      }));
    };
    load().then(
      (data) => answer({ data }),
      (error: unknown) => answer({ error: callErrorOf(error) }),
    );
  }, [key, round]);
  // An answer for another key, or for a screen that was left, is no longer wanted.
  useEffect(() => passAll, [key]);
  useEffect(() => tryAgainLater(state.error, readAgain, isWatched), [state.error]);
  useEffect(() => topics && followTopics(topics, readAgain), [topics?.join()]);
  const show = (data: Data): void => {
    setState({ key, data });
    // A reading under way may be older than the data, or newer. The next one is newer.
    if (begun.current > passed.current) reload();
  };
  const isOfKey = state.key === key;
  return {
    data: isOfKey ? state.data : undefined,
    error: isOfKey ? state.error : undefined,
    reload,
    show,
  };
}

interface Answered<Data> {
  readonly data?: Data;
  readonly error?: CallError;
}
interface Read<Data> extends Answered<Data> {
  readonly key: string;
}

const callErrorOf = (error: unknown): CallError =>
  error instanceof CallError ? error : new CallError("INTERNAL_ERROR", "");

/** A failure that says nothing about the data leaves it where it was there. */
const keeps = ({ error }: Answered<unknown>): boolean =>
  error !== undefined && (error.code === "INTERNAL_ERROR" || PASSING.has(error.code));

/** Calls after a change of the topics, and each minute. Returns how to stop. */
function followTopics(topics: readonly ChangeTopic[], changed: () => void): () => void {
  const listener = { topics, changed };
  listeners.add(listener);
  const timer = setInterval(() => isWatched() && changed(), REFRESH_MS);
  return () => {
    listeners.delete(listener);
    clearInterval(timer);
  };
}

/**
 * Runs actions of a form: whether one runs, and why the last one failed. A press while one runs does nothing. Its button is
 * `aria-disabled` meanwhile, because a disabled one loses the focus to the page.
 */
export function useAction(): {
  readonly isBusy: boolean;
  readonly error: CallError | undefined;
  run(action: () => Promise<void>): void;
} {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<CallError>();
  const run = (action: () => Promise<void>): void => {
    if (isBusy) return;
    setBusy(true);
    setError(undefined);
    action()
      .catch((failed: unknown) => setError(callErrorOf(failed)))
      .finally(() => setBusy(false));
  };
  return { isBusy, error, run };
}
