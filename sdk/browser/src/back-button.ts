import type { SurfaceHost } from "./surface.ts";

const MARK = "exchange";

/**
 * An entry may belong to a frame that loaded a page, and its traversal fires no popstate here. A slow device must not be sent
 * back twice.
 */
const TRAVEL_WITHIN_MS = 1_000;

// history.go() is asynchronous. It would remove an entry that is pushed before it takes effect. 0 while no traversal is under way.
let timer: ReturnType<typeof setTimeout> | 0 = 0;
let onPop: ((event: Event) => void) | undefined;
let waiting: (() => void) | undefined;

/** Runs the function once our entries are gone. Removing them goes back, which would undo a navigation of the page. */
export const afterTravel = (run: () => void): void => {
  waiting = run;
  if (!timer) stopWaiting();
};

/** Runs at once what waits. */
export const stopWaiting = (): void => {
  const run = waiting;
  waiting = undefined;
  run?.();
};

/**
 * Call it when the script is loaded. Browsers call the listeners of a window in the order of registration. A router
 * that the page adds later must not see our entries.
 */
export const watchHistory = (): void =>
  addEventListener("popstate", (event) => onPop?.(event), true);

/**
 * Adds history entries at the page's own address. The Back button then returns to the previous step of the checkout,
 * and on its first step asks the checkout to close. The page's router sees none of it. Browsers skip entries that
 * were added without a click. Each entry is therefore added when the customer moves to the next step, and not when
 * they return. Returns a function that sets the number of steps. There is one entry for the checkout and one for each step;
 * -1 removes them all.
 */
export function holdBackButton(host: SurfaceHost): (steps: number) => void {
  const { instance } = host;
  const address = location.href;
  let held = 1;
  /** The number of our entries up to the present one, which follows our instance in its mark. */
  const count = (): number => Number(String(history.state?.[MARK]).split(instance)[1]) || 0;
  /** Adds the missing entries, or leaves those that are too many. */
  const travel = (): void => {
    if (timer) return;
    let entry = count();
    try {
      while (entry < held) {
        history.pushState({ ...history.state, [MARK]: instance + ++entry }, "");
      }
    } catch {
      // Some pages may not touch history (sandboxed ones, or after too many calls). Back then
      // leaves the page.
    }
    if (entry <= held) return stopWaiting();
    history.go(held - entry);
    timer = setTimeout(() => {
      timer = 0;
      stopWaiting();
    }, TRAVEL_WITHIN_MS);
  };
  // While the entries of an earlier opening are left, ours are added after its traversal.
  travel();
  onPop = (event) => {
    if (!held && !timer) return;
    const isBack = !timer && count() < held;
    clearTimeout(timer);
    timer = 0;
    if (held && location.href !== address) return host.end("navigated");
    event.stopImmediatePropagation();
    // The customer may choose to stay, so the entry of the first step is added again before asking.
    if (!isBack || !count()) travel();
    if (isBack) host.ask("back");
  };
  return (steps) => {
    held = steps + 1;
    travel();
  };
}
