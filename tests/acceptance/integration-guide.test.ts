import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, inject, onTestFinished, test } from "vitest";
import { hasBrowser, launchBrowser } from "../support/browser/browser.ts";
import { CheckoutPage } from "../support/browser/checkout-page.ts";
import { createMerchant } from "../support/orders/merchant.ts";
import { freePort } from "../support/service/processes.ts";

const GUIDE = new URL("../../docs/guides/integrate-the-checkout.md", import.meta.url);
const service = inject("service");

test.runIf(hasBrowser)(
  "the whole server of the guide opens the popup on its own page",
  async () => {
    const [, program = ""] = /^```js\n([\s\S]*?)^```/m.exec(readFileSync(GUIDE, "utf8")) ?? [];
    const port = await freePort();
    const origin = `http://localhost:${port}`;
    const merchant = await createMerchant(service, origin);
    const source = program.replaceAll("3000", String(port));
    const server = spawn(process.execPath, ["--input-type=module", "--eval", source], {
      env: {
        EXCHANGE_URL: service.url,
        EXCHANGE_CLIENT_ID: merchant.clientId,
        EXCHANGE_API_KEY: merchant.apiKey,
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const browser = await launchBrowser();
    onTestFinished(async () => {
      server.kill();
      await browser.close();
    });
    await new Promise((resolve) => server.stdout.once("data", resolve));
    const page = await browser.newPage();
    page.setDefaultTimeout(20_000);
    await page.goto(origin);
    await page.getByRole("button", { name: "Buy bitcoin for 100 CAD" }).click();
    const checkout = new CheckoutPage(page);
    await checkout.see("amount");
    await expect
      .poll(() => checkout.frame.locator("body").textContent(), { timeout: 20_000 })
      .toMatch(/BTC/);
  },
);
