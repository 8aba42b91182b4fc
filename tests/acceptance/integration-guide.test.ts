import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { createInterface } from "node:readline";
import type { OrderData } from "@exchange/contract";
import { expect, inject, onTestFinished, test } from "vitest";
import { closePages, hasBrowser, openBrowser } from "../support/browser/browser.ts";
import { CheckoutPage } from "../support/browser/checkout-page.ts";
import { addWebhook, createMerchant, merchantCall } from "../support/orders/merchant.ts";
import {
  buy,
  buyChoice,
  customerWith,
  type Ok,
  placeOrder,
  takeQuote,
} from "../support/orders/purchase.ts";
import { freePort } from "../support/service/processes.ts";

const GUIDE = new URL("../../docs/guides/integrate-the-checkout.md", import.meta.url);
const PROGRAMS = [...readFileSync(GUIDE, "utf8").matchAll(/^```js\n(import[^]*?)^```/gm)];
const service = inject("service");

/** Starts one of the guide's programs. */
function start(index: number, env: Readonly<Record<string, string>>, port: number) {
  const [, program = ""] = PROGRAMS[index] ?? [];
  return spawn(process.execPath, ["--input-type=module", "--eval", program], {
    env: { ...env, PORT: String(port) },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Runs a program of the guide. Returns its address and the lines that it prints after it. */
async function run(index: number, env: Readonly<Record<string, string>>, port: number) {
  const server = start(index, env, port);
  server.stderr.pipe(process.stderr);
  onTestFinished(() => void server.kill());
  const lines: string[] = [];
  const output = createInterface(server.stdout);
  await new Promise((resolve) => output.once("line", resolve));
  output.on("line", (line) => lines.push(line));
  return { origin: `http://localhost:${port}`, lines };
}

/** Runs a server of the guide for a new merchant, and opens its page. */
async function openShop(index: number) {
  const port = await freePort();
  const merchant = await createMerchant(service, `http://localhost:${port}`);
  const env = {
    EXCHANGE_URL: service.url,
    EXCHANGE_CLIENT_ID: merchant.clientId,
    EXCHANGE_API_KEY: merchant.apiKey,
  };
  const { origin } = await run(index, env, port);
  const browser = await openBrowser();
  onTestFinished(() => closePages(browser));
  const page = await browser.newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(origin);
  return { merchant, origin, page };
}

test.runIf(hasBrowser)(
  "the whole server of the guide opens the popup on its own page",
  async () => {
    const { page } = await openShop(0);
    await page.getByRole("button", { name: "Buy bitcoin for 100 CAD" }).click();
    const checkout = new CheckoutPage(page);
    await checkout.see("wallet");
    await expect.poll(() => checkout.frame.locator("body").textContent()).toMatch(/BTC/);
  },
);

test.runIf(hasBrowser)(
  "the guide's server with carts offers an order that waits as its own page, and a new purchase once it ended",
  async () => {
    const { merchant, origin, page } = await openShop(1);
    const token: { accessToken: string } = await page.evaluate(async () =>
      (await fetch("/token", { method: "POST" })).json(),
    );
    const customer = customerWith(service, "the cart's", token.accessToken);
    const { quoteId } = await takeQuote(customer, await buyChoice(service, merchant));
    const { orderId } = (await placeOrder(customer, quoteId)).body.data;
    await page.reload();
    await page.getByRole("link", { name: "Continue your order" }).click();
    const checkout = new CheckoutPage(page, page.locator(":root"));
    await checkout.see("card");
    const order = { path: `/v1/orders/${orderId}` };
    const { body } = await merchantCall<Ok<OrderData>>(service, merchant, order);
    expect(page.url()).toBe(body.data.customerUrl);
    const path = `/v1/orders/${orderId}/cancel`;
    expect((await merchantCall(service, merchant, { method: "POST", path })).status).toBe(200);
    await page.goto(origin);
    await page.getByRole("button", { name: "Buy bitcoin for 100 CAD" }).waitFor();
  },
);

test.runIf(hasBrowser)(
  "the guide's page with carts looks for its order again after every outcome but a plain close",
  async () => {
    const { page } = await openShop(1);
    for (const outcome of ["paid", "pending", "declined", "failed", "closed"]) {
      const isReloaded = page
        .waitForEvent("load", { timeout: outcome === "closed" ? 1_000 : 30_000 })
        .then(() => true)
        .catch(() => false);
      await page.evaluate((ending) => {
        type Options = { onExit(error: undefined, result: { outcome: string }): void };
        const init = ({ onExit }: Options): void => onExit(undefined, { outcome: ending });
        Object.assign(window, { exchange: { init } });
        document.querySelector<HTMLElement>("#buy")?.click();
      }, outcome);
      expect(await isReloaded, outcome).toBe(outcome !== "closed");
    }
  },
);

test("the guide's server with carts outlives a service that is away", async () => {
  const away = { EXCHANGE_URL: `http://localhost:${await freePort()}`, EXCHANGE_CLIENT_ID: "c" };
  const port = await freePort();
  const program = start(1, { ...away, EXCHANGE_API_KEY: "k" }, port);
  onTestFinished(() => void program.kill());
  await once(program.stdout, "data");
  for (const _visit of [1, 2]) {
    const answer = await fetch(`http://localhost:${port}`);
    expect(answer.status).toBe(502);
    expect(await answer.text()).toContain("The checkout cannot be reached. Please try again.");
  }
});

test.each([1, 2])(
  "program %i of the guide says that its port is taken, and ends",
  async (index) => {
    const other = createServer().listen(0);
    onTestFinished(() => void other.close());
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const program = start(index, { EXCHANGE_WEBHOOK_SECRET: "whsec_AAAA" }, port);
    const words: string[] = [];
    program.stderr.on("data", (chunk) => words.push(String(chunk)));
    expect(await once(program, "close")).toEqual([1, null]);
    expect(words.join("")).toMatch(`Port ${port} is taken. Choose another one: PORT=`);
  },
);

test("the receiver of the guide verifies the webhooks of a purchase, and refuses others", async () => {
  const port = await freePort();
  const merchant = await createMerchant(service);
  const url = `http://localhost:${port}`;
  const { secret } = await addWebhook(service, merchant, { url });
  const { lines } = await run(2, { EXCHANGE_WEBHOOK_SECRET: secret }, port);
  const { orderId } = await buy(service, merchant, await buyChoice(service, merchant));
  // A webhook whose answer came too late is sent again.
  const distinctLines = () => [...new Set(lines)];
  await expect
    .poll(distinctLines)
    .toEqual([`OrderCreated ${orderId}`, `OrderFulfillment ${orderId}`]);
  const headers = { "webhook-id": "evt_1", "webhook-timestamp": String(Date.now() / 1_000) };
  const signed = { ...headers, "webhook-signature": "v1,AAAA" };
  for (const forged of [{}, headers, signed]) {
    expect((await fetch(url, { method: "POST", headers: forged, body: "{}" })).status).toBe(400);
  }
  expect(distinctLines()).toHaveLength(2);
});
