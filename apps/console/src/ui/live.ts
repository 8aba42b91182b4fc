import type { ChangeNotice, ChangeTopic } from "@exchange/contract/admin";
import { useEffect, useState } from "preact/hooks";

/** The service sends an event at least every 15 seconds. A stream that is silent for longer is dead. */
const SILENCE_MAX_MS = 40_000;
/** The time after which a refused or a dead stream is opened again. */
const RETRY_MS = 30_000;
/** A stream that opens again at once, such as after its lifetime, is not worth a word. */
const PAUSED_AFTER_MS = 10_000;
/** Changes that follow each other quickly are read together. */
const GAP_MS = 2_000;
/** A list does not move while its reader points or types. */
const HAND_MS = 1_000;

interface Listener {
  readonly topics: readonly ChangeTopic[];
  readonly changed: () => void;
}

const listeners = new Set<Listener>();
const watchers = new Set<(isPaused: boolean) => void>();
let isPaused = false;
let handAtMs = 0;

/** Follows the changes for all screens of a signed-in person, while the page is visible. Returns how to stop. */
export function followChanges(): () => void {
  let stream: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pause: ReturnType<typeof setTimeout> | undefined;
  const lost = (): void => {
    pause ??= setTimeout(() => setPaused(true), PAUSED_AFTER_MS);
  };
  const close = (): void => {
    clearTimeout(timer);
    stream?.close();
    stream = undefined;
  };
  const rest = (): void => {
    close();
    clearTimeout(pause);
    pause = undefined;
  };
  const openLater = (ms: number): void => {
    clearTimeout(timer);
    timer = setTimeout(open, ms);
  };
  const heard = ({ data }: MessageEvent<string>): void => {
    clearTimeout(pause);
    pause = undefined;
    setPaused(false);
    openLater(SILENCE_MAX_MS);
    const { topics }: ChangeNotice = JSON.parse(data);
    for (const one of listeners)
      if (one.topics.some((topic) => topics.includes(topic))) one.changed();
  };
  const open = (): void => {
    close();
    lost();
    stream = new EventSource("/v1/admin/changes");
    stream.addEventListener("changes", heard);
    stream.addEventListener("error", () => {
      lost();
      // The browser opens a broken stream again by itself, and one that was refused never.
      if (stream?.readyState === EventSource.CLOSED) openLater(RETRY_MS);
    });
    openLater(SILENCE_MAX_MS);
  };
  const shown = (): void => (document.visibilityState === "visible" ? open() : rest());
  const hand = (): void => {
    handAtMs = performance.now();
  };
  document.addEventListener("visibilitychange", shown);
  for (const name of HAND) addEventListener(name, hand, { passive: true });
  shown();
  return () => {
    document.removeEventListener("visibilitychange", shown);
    for (const name of HAND) removeEventListener(name, hand);
    rest();
    setPaused(false);
  };
}

const HAND = ["pointermove", "pointerdown", "keydown", "scroll"] as const;

function setPaused(now: boolean): void {
  isPaused = now;
  for (const watch of watchers) watch(now);
}

/** Whether changes are not heard of. */
export function usePaused(): boolean {
  const [paused, setState] = useState(isPaused);
  useEffect(() => {
    watchers.add(setState);
    return () => void watchers.delete(setState);
  }, []);
  return paused;
}

/** Calls `changed` soon after a change of the topics, and returns how to stop. */
export function onChange(topics: readonly ChangeTopic[], changed: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let calledAtMs = performance.now() - GAP_MS;
  const callSoon = (): void => {
    const restsAtMs = Math.max(calledAtMs + GAP_MS, handAtMs + HAND_MS);
    timer ??= setTimeout(
      () => {
        timer = undefined;
        if (handAtMs + HAND_MS > performance.now()) return callSoon();
        calledAtMs = performance.now();
        changed();
      },
      Math.max(0, restsAtMs - performance.now()),
    );
  };
  const listener: Listener = { topics, changed: callSoon };
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    clearTimeout(timer);
  };
}
