import type { ChangeNotice } from "@exchange/contract/admin";
import { handAtMs, isAttended, type Listener, listeners, noteHand, setPaused } from "./live.ts";

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
const HAND = ["pointermove", "pointerdown", "keydown", "scroll"] as const;

const pending = new Set<Listener>();
const toldAtMs = new WeakMap<Listener, number>();

/** Tells a screen of a change, once it may be read again and the person's hand rests. */
function tell(one: Listener): void {
  if (pending.has(one)) return;
  pending.add(one);
  const restsAtMs = Math.max((toldAtMs.get(one) ?? 0) + GAP_MS, handAtMs() + HAND_MS);
  setTimeout(
    () => {
      pending.delete(one);
      if (!listeners.has(one) || !isAttended()) return;
      if (handAtMs() + HAND_MS > performance.now()) return tell(one);
      toldAtMs.set(one, performance.now());
      one.changed();
    },
    Math.max(0, restsAtMs - performance.now()),
  );
}

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
    for (const one of listeners) {
      if (one.topics.some((topic) => topics.includes(topic))) tell(one);
    }
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
  document.addEventListener("visibilitychange", shown);
  for (const name of HAND) addEventListener(name, noteHand, { passive: true });
  shown();
  return () => {
    document.removeEventListener("visibilitychange", shown);
    for (const name of HAND) removeEventListener(name, noteHand);
    rest();
    setPaused(false);
  };
}
