import { randomUUID } from "node:crypto";
import { chromium } from "playwright-core";
import { findPrograms } from "../../tools/testing/programs.mjs";
import { startMeasuredService } from "../service.mjs";
import { startShop } from "./shop.mjs";

/** A slow phone on a slow line: the lab profile of every figure that is not of the wire alone. */
export const SLOW = { cpu: 4, bitsPerSecond: 1_600_000, latencyMs: 150 };
export const FAST = { cpu: 1 };

/** The real service, a shop on another origin, and a browser. */
export async function openLab() {
  const { path: executablePath } = findPrograms().find(({ name }) => name === "Chromium");
  if (!executablePath) throw new Error("Chromium is not here; set CHROMIUM_PATH");
  const service = await startMeasuredService();
  const shop = await startShop(service);
  const launch = (...args) =>
    chromium.launch({
      executablePath,
      // In one process with its page the frame is slowed down together with it.
      args: ["--no-sandbox", "--disable-site-isolation-trials", SAME_PROCESS, ...args],
    });
  const browser = await launch();
  return {
    service,
    shop,
    browser,
    launch,
    newToken: () => newToken(service),
    async close() {
      await browser.close();
      shop.close();
      await service.stop();
    },
  };
}

const SAME_PROCESS = "--disable-features=IsolateOrigins,site-per-process";

async function newToken({ url, headers }) {
  const response = await fetch(`${url}/public_token/create`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ sessionId: randomUUID(), customer: { countryCode: "DE" } }),
  });
  if (!response.ok) throw new Error(`no token: ${await response.text()}`);
  return (await response.json()).data.accessToken;
}

/** A page of the shop with nothing cached, as slow as the profile says, its button not yet pressed. */
export async function openShop(lab, profile, { display = "modal", script } = {}) {
  const context = await lab.browser.newContext({ viewport: { width: 360, height: 640 } });
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

/** The checkout's frame on a shop's page, once it shows a price. */
export async function seePrice(page) {
  const frame = page.frameLocator("[data-exchange] iframe");
  await frame.locator(".price-line[aria-busy=false] .price").waitFor();
  return frame;
}
