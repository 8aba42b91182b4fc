import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { startVisits, type Visits } from "./testing/shop-visit.ts";

let visits: Visits;
beforeAll(async () => {
  visits = await startVisits();
});
afterEach(() => visits.leave());
afterAll(() => visits.close());

test("the token reaches the checkout over the port and never appears in an address", async () => {
  const shop = await visits.visit();
  await shop.open();
  const log = await shop.frame.locator("#log").textContent();
  expect(log?.split("\n")[1]).toBe('{"type":"init","token":"secret.public.token","options":{}}');
  expect(log?.split("\n")[0]).toMatch(
    /checkout\?clientId=client_dev_1&mode=modal&origin=http%3A%2F%2Flocalhost%3A\d+&theme=light\+dark#i=\d{16,40}&o=http:\/\/localhost:\d+"/,
  );
  for (const { url } of shop.page.frames().map((each) => ({ url: each.url() }))) {
    expect(url).not.toContain("secret");
  }
});

test("forged messages from the page and from other frames have no effect", async () => {
  const shop = await visits.visit();
  await shop.open();
  await shop.page.evaluate(`(() => {
    const frame = document.querySelector("[data-exchange]").shadowRoot.querySelector("iframe");
    const [, instance] = /#i=([0-9]+)/.exec(frame.src);
    const origin = new URL(frame.src).origin;
    const messages = [
      { protocol: "exchange.v1", type: "hello", instance, load: "forged", versions: [1] },
      { type: "close", reason: "user" },
      { type: "event", name: "orderPlaced", snapshot: { orderId: 1 }, sequence: 1 },
      null, "close", 7, [],
    ];
    for (const data of messages) {
      window.postMessage(data, "*");
      window.dispatchEvent(new MessageEvent("message", { data, origin, source: frame.contentWindow }));
    }
    const other = document.body.appendChild(document.createElement("iframe"));
    other.contentWindow.parent.postMessage(messages[0], "*");
  })()`);
  await shop.page.waitForTimeout(200);
  expect(await shop.state()).toBe("open");
  expect((await shop.events()).map(({ name }) => name)).not.toContain("orderPlaced");
  await shop.frame.locator("#close").click();
  expect(await shop.closed()).toEqual({ outcome: "closed", reason: "user" });
});

/** Records the window and its address, as a hostile page could. */
const SPY = `const realOpen = window.open;
  window.open = (...args) => (window.address = args[0], window.popup = realOpen.apply(window, args));`;

test("forged messages have no effect on a checkout in a window either", async () => {
  const shop = await visits.visit("?display=popup");
  await shop.page.evaluate(SPY);
  const popup = await shop.openPopup();
  await shop.page.evaluate(`(() => {
    const [, instance] = /#i=([0-9]+)/.exec(address);
    const origin = new URL(address).origin;
    const hello = { protocol: "exchange.v1", type: "hello", instance, load: "forged", versions: [1] };
    const order = { type: "event", name: "orderPlaced", snapshot: { orderId: 1 }, sequence: 1 };
    for (const data of [hello, order, { type: "close", reason: "user" }]) {
      window.postMessage(data, "*");
      window.dispatchEvent(new MessageEvent("message", { data, origin, source: window.popup }));
    }
    // A second welcome with another port, by the right window.
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => called.push("heard");
    const welcome = { protocol: "exchange.v1", type: "welcome", instance, load: "forged", version: 1 };
    window.popup.postMessage(welcome, origin, [port2]);
  })()`);
  await popup.locator("#order").click();
  await expect.poll(async () => (await shop.events()).at(-1)?.data?.orderId).toBe(42);
  expect((await shop.events()).map(({ name }) => name)).toEqual(["open", "ready", "orderPlaced"]);
  expect(await shop.read("called")).toEqual([]);
});

test.each([
  ["another origin", "shop", "same"],
  ["another instance", "service", "123456789"],
])("a hello of a window of %s is not answered", async (_what, site, named) => {
  const shop = await visits.visit("?display=popup&clientId=silent");
  await shop.page.evaluate(SPY);
  const button = shop.page.getByRole("button", { name: "Pay" });
  const [popup] = await Promise.all([shop.page.waitForEvent("popup"), button.click()]);
  await popup.waitForLoadState();
  if (site === "shop") {
    await shop.page.evaluate("popup.location.replace(location.href)");
    await popup.waitForURL(shop.page.url());
  }
  const instance = await shop.read<string>("/#i=([0-9]+)/.exec(address)[1]");
  const hello = { protocol: "exchange.v1", type: "hello", load: "l", versions: [1] };
  const message = { ...hello, instance: named === "same" ? instance : named };
  await popup.evaluate(`window.answers = [];
    addEventListener("message", ({ data }) => answers.push(data));
    opener.postMessage(${JSON.stringify(message)}, "*");`);
  await shop.page.waitForTimeout(200);
  expect(await popup.evaluate("answers")).toEqual([]);
  expect(await shop.state()).toBe("opening");
});

test("a window that is loaded again gets the token again", async () => {
  const shop = await visits.visit("?display=popup");
  await shop.page.evaluate(SPY);
  const popup = await shop.openPopup();
  await shop.page.evaluate("popup.location.replace('about:blank')");
  await popup.waitForURL("about:blank");
  await shop.page.evaluate("popup.location.replace(address)");
  const log = () => popup.locator("#log").textContent();
  await expect.poll(log).toContain("secret.public.token");
  await popup.locator("#close").click();
  expect(await shop.closed()).toEqual({ outcome: "closed", reason: "user" });
});
