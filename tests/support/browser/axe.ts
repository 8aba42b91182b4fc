import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type axe from "axe-core";
import type { Frame, Page } from "playwright-core";

declare global {
  interface Window {
    readonly axe: typeof axe;
  }
}

const FILE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const AXE = readFileSync(FILE, "utf8");
export const AXE_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** The rules that every page keeps. Passed checks are not reported. */
const OPTIONS: axe.RunOptions = {
  runOnly: { type: "tag", values: AXE_TAGS },
  resultTypes: ["violations"],
};

/**
 * Returns what axe finds wrong on the page and in its frames, a sentence for each rule. Written by
 * hand because `AxeBuilder` of @axe-core/playwright passes over a frame that does not answer it at
 * once, such as the checkout behind a dialog, and reports nothing. The findings travel as text and
 * the page's own copy of axe joins them: a blank page and values cost more than the search.
 */
export async function axeFaults(page: Page): Promise<string[]> {
  const found = await search(page.mainFrame(), { include: [], exclude: [] });
  const violations = await page.evaluate(
    async ([texts, options]) => {
      const partials = texts.map((text) => JSON.parse(text));
      return (await window.axe.finishRun(partials, options)).violations;
    },
    [found, OPTIONS] as const,
  );
  return violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help} (${nodes.map(({ target }) => target.join(" ")).join(", ")})`,
  );
}

/** Waits for what moves into its place. A spinner never does. */
async function finishMoving(): Promise<void> {
  const moving = document
    .getAnimations()
    .filter(({ effect }) => effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY);
  await Promise.allSettled(moving.map(({ finished }) => finished));
}

/** Returns the findings in a frame, then those in the frames within it, as `finishRun` expects them. */
async function search(
  frame: Frame,
  context: axe.SerialFrameSelector | axe.SerialContextObject,
): Promise<string[]> {
  if (!(await frame.evaluate("'axe' in window"))) await frame.evaluate(AXE);
  await frame.evaluate(finishMoving);
  const inside = await frame.evaluate((part) => window.axe.utils.getFrameContexts(part), context);
  const own = frame.evaluate(
    async ([part, options]) => JSON.stringify(await window.axe.runPartial(part, options)),
    [context, OPTIONS] as const,
  );
  const within = inside.map(async ({ frameSelector, frameContext }) => {
    const handle = await frame.evaluateHandle(
      (selector) => window.axe.utils.shadowSelect(selector),
      frameSelector,
    );
    const child = await handle.asElement()?.contentFrame();
    if (!child) throw new Error(`axe cannot look into ${JSON.stringify(frameSelector)}`);
    return search(child, frameContext);
  });
  const [first, ...others] = await Promise.all([own, ...within]);
  return [first, ...others.flat()];
}
