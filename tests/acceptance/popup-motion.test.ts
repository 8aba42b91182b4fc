import type { Frame, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { hasBrowser } from "../support/browser/browser.ts";
import { type PopupVisits, startPopupVisits } from "../support/browser/popup-visits.ts";

let visits: PopupVisits;

/** Notes each animation and each place of the dialog, frame by frame. */
function record(): void {
  const moves = new Set<string>();
  const tops = new Set<number>();
  const heights: number[] = [];
  Object.assign(window, { moves, tops, heights });
  const look = (): void => {
    const root = document.querySelector("[data-exchange]")?.shadowRoot;
    const dialog = root?.querySelector("dialog");
    for (const animation of [...document.getAnimations(), ...(root?.getAnimations() ?? [])]) {
      const effect = animation.effect as KeyframeEffect;
      const { target } = effect;
      const name = target?.getAttribute("class") || target?.localName;
      for (const keyframe of effect.getKeyframes()) {
        const { offset: _o, computedOffset: _c, composite: _m, easing: _e, ...changed } = keyframe;
        // A new screen takes no press for a moment, which nobody sees.
        delete changed["pointerEvents"];
        for (const property of Object.keys(changed)) moves.add(`${name} ${property}`);
      }
    }
    if (dialog) {
      const { top, height } = dialog.getBoundingClientRect();
      tops.add(Math.round(top));
      if (heights.at(-1) !== height) heights.push(height);
    }
    requestAnimationFrame(look);
  };
  look();
}

/** Makes what moves last twenty times as long, so that the few frames of a busy browser show it. */
async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Animation.enable");
  await session.send("Animation.setPlaybackRate", { playbackRate: 0.05 });
}

interface Recorded {
  readonly moves: readonly string[];
  readonly tops: readonly number[];
  readonly heights: readonly number[];
}

const recorded = (frame: Frame | Page): Promise<Recorded> =>
  frame.evaluate(() => {
    const { moves, tops, heights } = window as unknown as Record<keyof Recorded, Set<string>>;
    return { moves: [...moves], tops: [...tops], heights: [...heights] } as unknown as Recorded;
  });

/** Waits until nothing moves, neither in the page nor in the frame. */
async function settle(page: Page, frame: Frame): Promise<void> {
  const isStill = (): boolean => {
    const root = document.querySelector("[data-exchange]")?.shadowRoot;
    return document.getAnimations().length + (root?.getAnimations().length ?? 0) === 0;
  };
  await frame.waitForFunction(isStill);
  await page.waitForFunction(isStill);
}

/** Goes from the first step to the second, and back. Returns what moved in the page and in the frame. */
async function walk(reducedMotion: "reduce" | "no-preference"): Promise<[Recorded, Recorded]> {
  const page = await visits.visit("B", { reducedMotion });
  const checkout = await visits.open(page);
  const [, frame] = page.frames();
  if (!frame) throw new Error("The dialog has no frame.");
  // Its first height belongs to the opening.
  await settle(page, frame);
  await slowDown(page);
  await page.evaluate(record);
  await frame.evaluate(record);
  await checkout.continue();
  await checkout.see("method");
  await settle(page, frame);
  await checkout.button("Back").click();
  await checkout.see("amount");
  await settle(page, frame);
  return [await recorded(page), await recorded(frame)];
}

describe.runIf(hasBrowser)("the motion of the checkout", () => {
  beforeAll(async () => {
    visits = await startPopupVisits(inject("service"));
  });
  afterEach(() => visits.closePages());
  afterAll(() => visits.close());

  test("a step slides and a price rolls by transform and opacity, and the dialog grows from its top edge", async () => {
    const [page, frame] = await walk("no-preference");
    expect(page.moves).toEqual(["dialog height"]);
    expect(page.tops).toHaveLength(1);
    expect(page.heights.length).toBeGreaterThan(4);
    expect(frame.moves).toContain("main transform");
    expect(frame.moves.join()).toMatch(/roll transform/);
    // The button brightens by a filter when it comes to lie under the pointer.
    const others = frame.moves.filter((move) => !/ (transform|opacity|filter)$/.test(move));
    expect(others).toEqual([]);
  });

  test("nothing moves for customers who asked for less motion", async () => {
    const [page, frame] = await walk("reduce");
    expect([page.moves, frame.moves]).toEqual([[], []]);
  });
});
