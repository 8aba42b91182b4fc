import { useCallback, useEffect, useState } from "preact/hooks";
import { CallError } from "../api.ts";

/** Data of the service: nothing yet, the data, or why there is none. */
export interface Loaded<Data> {
  readonly data: Data | undefined;
  readonly error: CallError | undefined;
  reload(): void;
  /** Shows data that another call answered with. */
  show(data: Data): void;
}

/** The time after which a screen of what waits is read again, while it is visible. */
export const REFRESH_MS = 10_000;

/**
 * Loads data when the key changes, and again after `refreshMs` while the page is visible. An answer that another key
 * overtook is dropped, and data that is there stays while it is read again.
 */
export function useData<Data>(
  key: string,
  load: () => Promise<Data>,
  refreshMs?: number,
): Loaded<Data> {
  const [state, setState] = useState<{
    readonly key: string;
    readonly data?: Data;
    readonly error?: CallError;
  }>({ key: "" });
  const [round, setRound] = useState(0);
  // The key stands for everything that `load` reads.
  useEffect(() => {
    let isCurrent = true;
    load().then(
      (data) => isCurrent && setState({ key, data }),
      (error: unknown) => {
        const shown = error instanceof CallError ? error : new CallError("INTERNAL_ERROR", "");
        if (isCurrent) setState({ key, error: shown });
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [key, round]);
  const reload = useCallback(() => setRound((count) => count + 1), []);
  useEffect(() => {
    if (refreshMs === undefined) return undefined;
    const timer = setInterval(() => document.visibilityState === "visible" && reload(), refreshMs);
    return () => clearInterval(timer);
  }, [refreshMs, reload]);
  const isOfKey = state.key === key;
  return {
    data: isOfKey ? state.data : undefined,
    error: isOfKey ? state.error : undefined,
    reload,
    show: (data) => setState({ key, data }),
  };
}

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
      .catch((failed: unknown) =>
        setError(failed instanceof CallError ? failed : new CallError("INTERNAL_ERROR", "")),
      )
      .finally(() => setBusy(false));
  };
  return { isBusy, error, run };
}
