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

/** What is promised of a page; of what is right nothing need be reported. */
const OPTIONS: axe.RunOptions = {
  runOnly: { type: "tag", values: AXE_TAGS },
  resultTypes: ["violations"],
};

/**
 * What axe finds wrong on the page and in its frames, as sentences. The page's own copy of axe puts
 * the findings of its frames together, and they travel as text: a blank page for that, and values,
 * cost more than the search.
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

/** The findings in a frame, then those in the frames within it, as `finishRun` wants them. */
async function search(
  frame: Frame,
  context: axe.SerialFrameSelector | axe.SerialContextObject,
): Promise<string[]> {
  if (!(await frame.evaluate("'axe' in window"))) await frame.evaluate(AXE);
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
