import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";

export const AXE_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Returns what axe finds wrong on the page and in all its frames, a sentence for each rule. */
export async function axeFaults(page: Page): Promise<string[]> {
  // Passed checks are not reported: collecting them takes most of the time.
  const axe = new AxeBuilder({ page }).options({
    runOnly: { type: "tag", values: AXE_TAGS },
    resultTypes: ["violations"],
  });
  const { violations, incomplete } = await axe.analyze();
  // Axe passes over a frame that it could not enter; such a page was not examined.
  const untested = incomplete.filter(({ id }) => id === "frame-tested");
  return [...violations, ...untested].map(
    ({ id, help, nodes }) =>
      `${id}: ${help} (${nodes.map(({ target }) => target.join(" ")).join(", ")})`,
  );
}
