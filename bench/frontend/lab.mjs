import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { chromium } from "playwright-core";
import { findPrograms } from "../../tools/testing/programs.mjs";
import { startMeasuredService } from "../service.mjs";

/** The lab profile is a slow phone on a slow line. */
export const SLOW = { cpu: 4, bitsPerSecond: 1_600_000, latencyMs: 150 };
export const FAST = { cpu: 1 };

/** Opens the real service, a shop on another origin, and a browser. */
export async function openLab() {
  const { path: executablePath } = findPrograms().find(({ name }) => name === "Chromium");
  if (!executablePath) throw new Error("Chromium is not here; set CHROMIUM_PATH");
  const service = await startMeasuredService();
  const shop = await startShop(service);
  const launch = (...args) =>
    chromium.launch({
      executablePath,
      // The frame shares the process of its page, so both are slowed down.
      args: ["--no-sandbox", "--disable-site-isolation-trials", SAME_PROCESS, ...args],
    });
  const browser = await launch();
  return {
    service,
    shop,
    browser,
    launch,
    newToken: () => newToken(service.url, shop.merchant),
    async close() {
      await browser.close();
      shop.close();
      await service.stop();
    },
  };
}

const SAME_PROCESS = "--disable-features=IsolateOrigins,site-per-process";

async function newToken(url, { headers }) {
  const response = await fetch(`${url}/public_token/create`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ sessionId: randomUUID(), customer: { countryCode: "DE" } }),
  });
  if (!response.ok) throw new Error(`no token: ${await response.text()}`);
  return (await response.json()).data.accessToken;
}

const PHONE = { width: 360, height: 640 };

/** Opens a page of the shop with nothing cached, slowed down by the profile. Its button was not pressed. */
export async function openShop(lab, profile, { display = "modal", script, viewport = PHONE } = {}) {
  const context = await lab.browser.newContext({ viewport });
  if (script) await context.addInitScript(script);
  const page = await context.newPage();
  const wire = await context.newCDPSession(page);
  await wire.send("Network.enable");
  await wire.send("Emulation.setCPUThrottlingRate", { rate: profile.cpu });
  if (profile.bitsPerSecond) {
    const bytesPerSecond = profile.bitsPerSecond / 8;
    await wire.send("Network.emulateNetworkConditions", {
      offline: false,
      latency: profile.latencyMs,
      downloadThroughput: bytesPerSecond,
      uploadThroughput: bytesPerSecond,
    });
  }
  await page.goto(lab.shop.addressFor(await lab.newToken(), display));
  return { context, page, wire };
}

/** Waits until the checkout shows a price, and returns its frame. */
export async function seePrice(page) {
  const frame = page.frameLocator("[data-exchange] iframe");
  await frame.locator(".price-line[aria-busy=false] .price").waitFor();
  return frame;
}

const OPTIONS = "env=staging&baseCurrency=eur&baseAmount=100&targetCurrency=btc";

/** Serves a new merchant's smallest page on an origin of its own: the script and a button. */
async function startShop({ url, addMerchant }) {
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url, "http://localhost");
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
    response.end(pageFor({ url, clientId: merchant.clientId, searchParams }));
  }).listen(0, "localhost");
  await once(server, "listening");
  const origin = `http://localhost:${server.address().port}`;
  // Outside dev the checkout opens only for registered origins.
  const merchant = await addMerchant({ origin });
  return {
    origin,
    merchant,
    addressFor: (token, display) => `${origin}/?${new URLSearchParams({ token, display })}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function pageFor({ url, clientId, searchParams }) {
  const options = JSON.stringify({
    authenticationToken: searchParams.get("token"),
    display: searchParams.get("display"),
  });
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,"></head>
<body><main><h1>Shop</h1><button id="buy">Buy</button></main>
<script src="${url}/sdk/exchange.js?clientId=${clientId}&${OPTIONS}"></script>
<script>
document.querySelector("#buy").addEventListener("click", () => exchange.init(${options.replaceAll("<", "\\u003c")}));
</script></body></html>`;
}
