import { mkdirSync } from "node:fs";
import path from "node:path";
import { axeFaults, colourFaults } from "./axe.ts";
import { LOOKS } from "./browser.ts";
import type { ConsolePage } from "./console-page.ts";

/** Pictures of every screen are written to this folder, for people to look at. */
const PICTURES = process.env["EXCHANGE_TEST_PICTURES"];

/** Collects the faults of every screen that is looked at. */
export function makeLook(): {
  readonly faults: readonly string[];
  readonly look: (shown: ConsolePage, name: string) => Promise<void>;
} {
  const faults: string[] = [];
  return { faults, look: (shown, name) => look(shown, name, faults) };
}

/** Looks at the screen in light and dark, wide and as a phone: nothing is wrong and nothing is cut off. */
async function look({ page }: ConsolePage, name: string, faults: string[]): Promise<void> {
  for (const [title, { viewport, colorScheme }] of Object.entries(LOOKS)) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    const found = await (colorScheme === "light" ? axeFaults(page) : colourFaults(page));
    faults.push(...found.map((fault) => `${name}, ${title}: ${fault}`));
    const isCut = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
    if (await page.evaluate(isCut)) faults.push(`${name}, ${title}: wider than the window`);
    if (PICTURES === undefined) continue;
    mkdirSync(PICTURES, { recursive: true });
    await page.screenshot({ path: path.join(PICTURES, `${name}-${title}.png`), fullPage: true });
  }
  await page.setViewportSize(LOOKS["desktop-light"].viewport);
}
