import { type Browser, type BrowserContextOptions, chromium } from "playwright-core";
import { expect, test, vi } from "vitest";
import { hasBrowser, openBrowser } from "../support/browser/browser.ts";

test.runIf(hasBrowser)(
  "a browser that did not start is started again for the next file",
  async () => {
    vi.resetModules();
    const { openBrowser } = await import("../support/browser/browser.ts");
    const next = { isConnected: () => true } as Browser;
    const launch = vi.spyOn(chromium, "launch");
    launch.mockRejectedValueOnce(new Error("out of memory")).mockResolvedValueOnce(next);
    await expect(openBrowser()).rejects.toThrow("out of memory");
    expect(await openBrowser()).toBe(next);
    launch.mockRestore();
    // The next file must not receive the stand-in.
    vi.resetModules();
  },
);

test.runIf(hasBrowser)("a page has motion only when its test wants it", async () => {
  const browser = await openBrowser();
  const hasMotion = async (look?: BrowserContextOptions): Promise<boolean> => {
    const context = await browser.newContext(look);
    const page = await context.newPage();
    const answer = page.evaluate(
      () => matchMedia("(prefers-reduced-motion: no-preference)").matches,
    );
    return await answer.finally(() => context.close());
  };
  expect(await hasMotion()).toBe(false);
  expect(await hasMotion({ viewport: { width: 320, height: 640 } })).toBe(false);
  expect(await hasMotion({ reducedMotion: "no-preference" })).toBe(true);
});
