import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { startVisits, type Visits } from "./testing/shop-visit.ts";

let visits: Visits;
beforeAll(async () => {
  visits = await startVisits();
});
afterEach(() => visits.leave());
afterAll(() => visits.close());

test("a strict policy with Trusted Types is not violated once", async () => {
  const shop = await visits.visit("?policy=strict");
  await shop.open();
  await shop.frame.locator("#tall").click();
  await shop.frame.locator("#close").click();
  expect(await shop.closed()).toEqual({ outcome: "closed", reason: "user" });
  expect(await shop.page.evaluate("violations")).toEqual([]);
});

test("a policy that blocks the frame is reported at once, with a way to close", async () => {
  const shop = await visits.visit("?policy=closed");
  await shop.page.getByRole("button", { name: "Pay" }).click();
  await shop.page.getByText("Checkout opens in a new window.").waitFor();
  await shop.page.getByRole("button", { name: "Close" }).click();
  expect(await shop.closed()).toEqual({ outcome: "closed", reason: "user" });
});

test("Continue on such a page opens a window, which no policy blocks", async () => {
  const shop = await visits.visit("?policy=closed");
  await shop.page.getByRole("button", { name: "Pay" }).click();
  const next = shop.page.getByRole("button", { name: "Continue" });
  const [popup] = await Promise.all([shop.page.waitForEvent("popup"), next.click()]);
  await expect.poll(shop.state).toBe("open");
  expect(await shop.dialogs().count()).toBe(0);
  expect(await shop.read("document.activeElement.id")).toBe("pay");
  await popup.locator("#close").click();
  expect(await shop.closed()).toEqual({ outcome: "closed", reason: "user" });
});

test.each([
  ["twice", "?twice"],
  ["as a module", "?module"],
  ["twice as a module", "?module&twice"],
])("the script may be loaded %s", async (_how, query) => {
  const shop = await visits.visit(query);
  await shop.open();
  expect(await shop.dialogs().count()).toBe(1);
});

test("a second script for another client leaves the first in charge", async () => {
  const shop = await visits.visit("?twice=client_dev_2");
  await shop.open();
  expect(await shop.frame.locator("#log").textContent()).toContain("clientId=client_dev_1&mode");
});

test("the checkout may be opened before the page has a body", async () => {
  const shop = await visits.visit("?early");
  await expect.poll(shop.state).toBe("open");
  await shop.frame.locator("#close").click();
  expect(await shop.closed()).toEqual({ outcome: "closed", reason: "user" });
});

test.each(["hidden", "moved", "above", "unset"])(
  "the dialog is in its place and on top on a page whose style is %s",
  async (look) => {
    const shop = await visits.visit(`?look=${look}`);
    await shop.open();
    expect(await shop.dialogs().boundingBox()).toEqual({ x: 420, y: 54, width: 440, height: 640 });
    // A click that something covers would not arrive.
    await shop.frame.locator("#close").click();
    expect(await shop.closed()).toEqual({ outcome: "closed", reason: "user" });
  },
);

test.each([
  ["a phone", { viewport: { width: 360, height: 740 }, hasTouch: true }, ""],
  ["a phone on its side", { viewport: { width: 640, height: 360 }, hasTouch: true }, ""],
  ["a page at 400 %", { viewport: { width: 320, height: 225 } }, ""],
  [
    "a page made for desktops",
    { viewport: { width: 360, height: 740 }, isMobile: true },
    "?narrow",
  ],
] as const)("on %s the whole dialog is on the screen", async (_what, look, query) => {
  const shop = await visits.visit(query, look);
  await shop.open();
  const { x = -1, y = -1, width = 0, height = 0 } = (await shop.dialogs().boundingBox()) ?? {};
  const screen = await shop.read<readonly number[]>("[innerWidth, innerHeight]");
  expect(Math.min(x, y)).toBeGreaterThanOrEqual(0);
  expect(x + width).toBeLessThanOrEqual(screen[0] ?? 0);
  expect(y + height).toBeLessThanOrEqual(screen[1] ?? 0);
});

test("a router of the page sees no entry of ours, and its own moves close the checkout", async () => {
  const shop = await visits.visit();
  await shop.page.evaluate(`window.moves = [];
    addEventListener("popstate", () => moves.push(location.search));
    history.pushState({ page: 1 }, "", "?page=1");`);
  await shop.open();
  await shop.frame.locator("#close").click();
  await shop.closed();
  await expect.poll(() => shop.read("history.state")).toEqual({ page: 1 });
  expect(await shop.read("moves")).toEqual([]);
  await shop.open();
  await shop.page.evaluate("history.go(-2)");
  await expect.poll(() => shop.read("results.length")).toBe(2);
  expect(await shop.closed()).toEqual({ outcome: "closed", reason: "navigated" });
  expect(await shop.read("moves")).toEqual([""]);
});

test("the checkout holds Back again after a traversal that fired no popstate, as over an entry of a frame", async () => {
  const shop = await visits.visit();
  await shop.page.evaluate("window.go = history.go; history.go = () => {};");
  await shop.open();
  await shop.frame.locator("#close").click();
  await shop.closed();
  await shop.page.evaluate("history.go = go");
  await shop.page.waitForTimeout(1_000);
  await shop.open();
  await shop.page.goBack();
  await expect.poll(() => shop.read("results.length")).toBe(2);
  expect(await shop.closed()).toEqual({ outcome: "closed", reason: "back" });
});

test.each([
  ["its router", 'history.pushState({ page: 2 }, "", "?thanks")', "location.search", "?thanks"],
  ["an address", 'location.href = "?thanks"', "location.search", "?thanks"],
  ["a reload", "location.reload()", "performance.getEntriesByType('navigation')[0].type", "reload"],
])("a page that moves on in onExit by %s gets there", async (_by, move, question, answer) => {
  const shop = await visits.visit();
  await shop.page.evaluate(`options.onExit = () => { ${move}; }`);
  await shop.open();
  await shop.frame.locator("#close").click();
  const read = () => shop.page.evaluate(question).catch(() => "the page is being replaced");
  await expect.poll(read).toBe(answer);
  // A traversal that was under way would take the page back.
  await shop.page.waitForTimeout(1_500);
  expect(await read()).toBe(answer);
});
