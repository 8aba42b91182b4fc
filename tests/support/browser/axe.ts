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

/** The rules that read colours. The others find the same in light and dark. */
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

/** Returns what axe finds wrong on the page and in its frames, a sentence for each rule. */
export const axeFaults = (page: Page): Promise<string[]> => faultsOf(page, OPTIONS);

/** Returns what is wrong with the colours of a page whose other theme was searched whole at the same width. */
export const colourFaults = (page: Page): Promise<string[]> =>
  faultsOf(page, { ...OPTIONS, runOnly: { type: "rule", values: COLOUR_RULES } });

async function faultsOf(page: Page, options: axe.RunOptions): Promise<string[]> {
  const hasFrames = page.frames().length > 1;
  const violations = await (hasFrames ? searchFrames(page, options) : searchPage(page, options));
  return violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help} (${nodes.map(({ target }) => target.join(" ")).join(", ")})`,
  );
}

/** Searches a page without frames. Nothing is joined, so axe describes the violations alone and not each passed element. */
async function searchPage(page: Page, options: axe.RunOptions): Promise<axe.Result[]> {
  await prepare(page.mainFrame());
  return page.evaluate(async (how) => (await window.axe.run(document, how)).violations, options);
}

/**
 * Written by hand because `AxeBuilder` of @axe-core/playwright passes over a frame that does not answer it at once,
 * such as the checkout behind a dialog, and reports nothing. The findings are passed as text, and the page's own copy
 * of axe joins them. A blank page and structured values would cost more than the search.
 */
async function searchFrames(page: Page, options: axe.RunOptions): Promise<axe.Result[]> {
  const found = await search(page.mainFrame(), { include: [], exclude: [] }, options);
  return page.evaluate(
    async ([texts, how]) => {
      const partials = texts.map((text) => JSON.parse(text));
      return (await window.axe.finishRun(partials, how)).violations;
    },
    [found, options] as const,
  );
}

/** Loads axe into a frame, and waits for what moves there. */
async function prepare(frame: Frame): Promise<void> {
  if (!(await frame.evaluate("'axe' in window"))) await frame.evaluate(AXE);
  await frame.evaluate(finishMoving);
}

/** Waits for what moves into its place. A spinner never does. It runs in the page. */
export async function finishMoving(): Promise<void> {
  const moving = document
    .getAnimations()
    .filter(({ effect }) => effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY);
  await Promise.allSettled(moving.map(({ finished }) => finished));
}

/** Returns the findings in a frame, then those in the frames within it, as `finishRun` expects them. */
async function search(
  frame: Frame,
  context: axe.SerialFrameSelector | axe.SerialContextObject,
  options: axe.RunOptions,
): Promise<string[]> {
  await prepare(frame);
  const inside = await frame.evaluate((part) => window.axe.utils.getFrameContexts(part), context);
  const own = frame.evaluate(
    async ([part, how]) => JSON.stringify(await window.axe.runPartial(part, how)),
    [context, options] as const,
  );
  const within = inside.map(async ({ frameSelector, frameContext }) => {
    const handle = await frame.evaluateHandle(
      (selector) => window.axe.utils.shadowSelect(selector),
      frameSelector,
    );
    const child = await handle.asElement()?.contentFrame();
    if (!child) throw new Error(`axe cannot look into ${JSON.stringify(frameSelector)}`);
    return search(child, frameContext, options);
  });
  const [first, ...others] = await Promise.all([own, ...within]);
  return [first, ...others.flat()];
}
