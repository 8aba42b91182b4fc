import { type Browser, chromium } from "playwright-core";
import { expect, test, vi } from "vitest";
import { hasBrowser } from "../support/browser/browser.ts";

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
