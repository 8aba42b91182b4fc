import type { SurfaceHost } from "./surface.ts";

const MARK = "exchange";

type OnPop = (event: Event) => void;
let onPop: OnPop | undefined;
// history.go() is asynchronous. It would remove an entry that is pushed before it takes effect.
let isTravelling = false;
let afterLeaving: (() => void) | undefined;

/**
 * Call it when the script is loaded. Browsers call the listeners of a window in the order of registration. A router
 * that the page adds later must not see our entries.
 */
export const watchHistory = (): void =>
  addEventListener("popstate", (event) => onPop?.(event), true);

/** The history entries of an opening of the checkout. */
export interface BackEntries {
  /** Has one entry for the checkout, and one for each step that Back can go in it. */
  holdSteps(steps: number): void;
  /** Removes the entries. */
  releaseSteps(): void;
}

/**
 * Adds history entries at the page's own address. The Back button then returns to the previous step of the checkout,
 * and on its first step asks the checkout to close. The page's router sees none of it. Browsers skip entries that
 * were added without a click. Each entry is therefore added when the customer moves to the next step, and not when
 * they return.
 */
export function holdBackButton(host: SurfaceHost): BackEntries {
  const { instance } = host;
  const address = location.href;
  let held = 1;
  /** The number of our entries up to the present one, which follows our instance in its mark. */
  const count = (): number => Number(String(history.state?.[MARK]).split(instance)[1]) || 0;
  /** Adds the missing entries, or leaves those that are too many. */
  const travel = (): void => {
    if (isTravelling) return;
    let entry = count();
    try {
      while (entry < held) {
        history.pushState({ ...history.state, [MARK]: instance + ++entry }, "");
      }
    } catch {
      // Some pages may not touch history (sandboxed ones, or after too many calls). Back then
      // leaves the page.
    }
    isTravelling = entry > held;
    if (isTravelling) history.go(held - entry);
  };
  const start = (): void => {
    travel();
    onPop = (event) => {
      const isBack = !isTravelling && count() < held;
      isTravelling = false;
      if (held && location.href !== address) return host.end("navigated");
      event.stopImmediatePropagation();
      // The customer may choose to stay, so the entry of the first step is added again before asking.
      if (!isBack || !count()) travel();
      if (isBack) host.ask("back");
      if (!held && !isTravelling) {
        onPop = undefined;
        afterLeaving?.();
        afterLeaving = undefined;
      }
    };
  };
  if (isTravelling) afterLeaving = start;
  else start();
  return {
    holdSteps(steps) {
      held = steps + 1;
      travel();
    },
    releaseSteps() {
      afterLeaving = undefined;
      held = 0;
      travel();
      if (!isTravelling) onPop = undefined;
    },
  };
}
