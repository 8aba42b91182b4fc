import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { expect, inject, onTestFinished, test } from "vitest";
import { hasBrowser, launchBrowser } from "../support/browser/browser.ts";
import { CheckoutPage } from "../support/browser/checkout-page.ts";
import { addWebhook, createMerchant } from "../support/orders/merchant.ts";
import { buy, buyChoice } from "../support/orders/purchase.ts";
import { freePort } from "../support/service/processes.ts";

const GUIDE = new URL("../../docs/guides/integrate-the-checkout.md", import.meta.url);
const PROGRAMS = [...readFileSync(GUIDE, "utf8").matchAll(/^```js\n(import[^]*?)^```/gm)];
const service = inject("service");

/** Runs one of the guide's two programs. Returns its address and the lines that it prints after it. */
async function run(index: number, env: Readonly<Record<string, string>>, port: number) {
  const [, program = ""] = PROGRAMS[index] ?? [];
  const source = program.replaceAll(String(3000 + index), String(port));
  const server = spawn(process.execPath, ["--input-type=module", "--eval", source], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void server.kill());
  const lines: string[] = [];
  const output = createInterface(server.stdout);
  await new Promise((resolve) => output.once("line", resolve));
  output.on("line", (line) => lines.push(line));
  return { origin: `http://localhost:${port}`, lines };
}

test.runIf(hasBrowser)(
  "the whole server of the guide opens the popup on its own page",
  async () => {
    const port = await freePort();
    const merchant = await createMerchant(service, `http://localhost:${port}`);
    const env = {
      EXCHANGE_URL: service.url,
      EXCHANGE_CLIENT_ID: merchant.clientId,
      EXCHANGE_API_KEY: merchant.apiKey,
    };
    const { origin } = await run(0, env, port);
    const browser = await launchBrowser();
    onTestFinished(() => browser.close());
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

test("the receiver of the guide verifies the webhooks of a purchase, and refuses others", async () => {
  const port = await freePort();
  const merchant = await createMerchant(service);
  const url = `http://localhost:${port}`;
  const { secret } = await addWebhook(service, merchant, { url });
  const { lines } = await run(1, { EXCHANGE_WEBHOOK_SECRET: secret }, port);
  const { orderId } = await buy(service, merchant, await buyChoice(service, merchant));
  await expect
    .poll(() => lines)
    .toEqual([`OrderCreated ${orderId}`, `OrderFulfillment ${orderId}`]);
  const headers = { "webhook-id": "evt_1", "webhook-timestamp": String(Date.now() / 1_000) };
  const signed = { ...headers, "webhook-signature": "v1,AAAA" };
  for (const forged of [{}, headers, signed]) {
    expect((await fetch(url, { method: "POST", headers: forged, body: "{}" })).status).toBe(400);
  }
  expect(lines).toHaveLength(2);
});
