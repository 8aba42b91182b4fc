import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { startVisits, type Visit, type Visits } from "./testing/shop-visit.ts";

let visits: Visits;
beforeAll(async () => {
  visits = await startVisits();
});
afterEach(() => visits.leave());
afterAll(() => visits.close());

test("the dialog and its frame have the names the checkout gives them", async () => {
  const shop = await visits.visit();
  await shop.open();
  await expect.poll(() => shop.page.getByRole("dialog", { name: "Buy Bitcoin" }).count()).toBe(1);
  expect(await shop.page.locator("[data-exchange] iframe").getAttribute("title")).toBe(
    "Buy Bitcoin",
  );
});

test("Tab never reaches the shop while the checkout is open", async () => {
  const shop = await visits.visit();
  await shop.open();
  const visited = new Set<string>();
  for (let press = 0; press < 40; press += 1) {
    await shop.page.keyboard.press(press % 2 === 0 ? "Tab" : press % 3 === 0 ? "Shift+Tab" : "Tab");
    visited.add(
      await shop.page.evaluate<string>(
        "document.activeElement.id || document.activeElement.dataset.exchange || document.activeElement.tagName",
      ),
    );
  }
  expect([...visited].filter((name) => name !== "checkout" && name !== "BODY")).toEqual([]);
});

test("Escape in the checkout closes it and the focus goes back to the button", async () => {
  const shop = await visits.visit();
  await shop.open();
  await shop.frame.locator("#amount").press("Escape");
  expect(await shop.closed()).toEqual({ outcome: "closed", reason: "escape" });
  expect(await shop.page.evaluate<string>("document.activeElement.id")).toBe("pay");
  expect(await shop.dialogs().count()).toBe(0);
});

test("Escape closes a checkout that is still loading", async () => {
  const shop = await visits.visit("?clientId=silent");
  await shop.page.getByRole("button", { name: "Pay" }).click();
  await shop.page.getByText("Loading checkout…").waitFor();
  await shop.page.keyboard.press("Escape");
  expect(await shop.closed()).toEqual({ outcome: "closed", reason: "escape" });
});

test("until the page has its token, the dialog shows its own panel and not a checkout without the page's options", async () => {
  const shop = await visits.visit();
  await shop.page.evaluate(
    "options.authenticationToken = () => new Promise((resolve) => { window.giveToken = resolve; })",
  );
  await shop.page.getByRole("button", { name: "Pay" }).click();
  await expect.poll(shop.state).toBe("connecting");
  await shop.page.getByText("Loading checkout…").waitFor();
  await shop.page.evaluate("giveToken('late.token')");
  await shop.frame.getByRole("heading", { name: "Fake checkout" }).waitFor();
});

test("a token that comes 10 seconds after the frame's hello is in time, and no error is shown", async () => {
  const shop = await visits.visit("?clientId=loaded");
  await shop.page.clock.install();
  await shop.page.evaluate(
    "options.authenticationToken = () => new Promise((resolve) => { window.giveToken = resolve; })",
  );
  await shop.page.getByRole("button", { name: "Pay" }).click();
  await expect.poll(shop.state).toBe("connecting");
  await shop.page.clock.fastForward(10_000);
  expect(await shop.dialogs().getByRole("status").textContent()).toBe("Loading checkout…");
  await shop.page.evaluate("giveToken('late.token')");
  await shop.frame.getByRole("heading", { name: "Fake checkout" }).waitFor();
  expect((await shop.events()).filter(({ name }) => name === "error")).toEqual([]);
});

test("a page whose token never comes offers to try again, and the next token opens the checkout", async () => {
  const shop = await visits.visit();
  await shop.page.clock.install();
  await shop.page.evaluate(
    "options.authenticationToken = () => window.isAgain ? 'second.token' : new Promise(() => { isAgain = true; })",
  );
  await shop.page.getByRole("button", { name: "Pay" }).click();
  await expect.poll(shop.state).toBe("connecting");
  await shop.page.clock.fastForward(15_000);
  await shop.page
    .getByRole("status")
    .filter({ hasText: "Checkout is taking too long to load." })
    .waitFor();
  await shop.page.getByRole("button", { name: "Retry" }).click();
  await expect.poll(() => shop.frame.locator("#log").textContent()).toContain("second.token");
  await shop.page.clock.fastForward(15_000);
  await shop.frame.locator("#close").click();
  expect(await shop.closed()).toEqual({ outcome: "closed", reason: "user" });
});

test.each([
  { width: 1080, height: 2560 },
  { width: 568, height: 280 },
])(
  "while it loads, the Close button is in sight in a window of $width by $height",
  async (viewport) => {
    const shop = await visits.visit("?clientId=silent", { viewport });
    await shop.page.getByRole("button", { name: "Pay" }).click();
    const dialog = await shop.dialogs().boundingBox();
    const button = await shop.dialogs().getByRole("button", { name: "Close" }).boundingBox();
    const endOf = (box: typeof dialog): number => (box?.y ?? 0) + (box?.height ?? 0);
    expect(endOf(button)).toBeLessThan(endOf(dialog));
  },
);

test("a click on the backdrop does nothing", async () => {
  const shop = await visits.visit();
  await shop.open();
  await shop.page.mouse.click(10, 10);
  expect(await shop.state()).toBe("open");
});

test("Back asks the checkout to close, and the address stays", async () => {
  const shop = await visits.visit();
  const address = shop.page.url();
  await shop.open();
  await shop.page.evaluate("history.back()");
  expect(await shop.closed()).toEqual({ outcome: "closed", reason: "back" });
  // The entry of the checkout is left by a step back, which takes a moment.
  await expect.poll(() => shop.page.evaluate("history.state")).toBeNull();
  expect(shop.page.url()).toBe(address);
});

test("a checkout that stays open keeps holding the Back button", async () => {
  const shop = await visits.visit("?clientId=stay");
  await shop.open();
  for (let round = 1; round <= 2; round += 1) {
    await shop.page.evaluate("history.back()");
    await expect
      .poll(async () => (await shop.events()).filter(({ name }) => name === "exitIntent").length)
      .toBe(round);
  }
  expect(await shop.state()).toBe("open");
});

test("100 rounds of opening and closing leave no node, style sheet or history entry", async () => {
  const shop = await visits.visit("?clientId=brief");
  const measure = () =>
    shop.read<unknown>(
      "({ nodes: document.querySelectorAll('*').length, sheets: document.adoptedStyleSheets.length, state: history.state, overflow: getComputedStyle(document.documentElement).overflow })",
    );
  const before = await measure();
  const length = await shop.read<number>("history.length");
  const listeners = await listenerCount(shop);
  await shop.page.evaluate("(async () => { for (let i = 0; i < 100; i++) await open_(); })()");
  await expect.poll(measure).toEqual(before);
  expect(await listenerCount(shop)).toEqual(listeners);
  // The removed entry stays ahead, as after any Back, and the next round replaces it.
  expect(await shop.read<number>("history.length")).toBeLessThanOrEqual(length + 1);
  await shop.page.goBack();
  expect(shop.page.url()).toBe("about:blank");
});

test("a checkout that does not load offers to try again", async () => {
  const shop = await visits.visit("?clientId=silent");
  await shop.page.clock.install();
  await shop.page.getByRole("button", { name: "Pay" }).click();
  await shop.page.clock.fastForward(15_000);
  await shop.page.getByText("Checkout is taking too long to load.").waitFor();
  expect((await shop.events()).at(-1)).toMatchObject({
    name: "error",
    error: { code: "load_timeout" },
  });
  await shop.page.getByRole("button", { name: "Retry" }).click();
  await shop.page.getByText("Loading checkout…").waitFor();
  await shop.page.clock.fastForward(15_000);
  await shop.page.getByText("Checkout is taking too long to load.").waitFor();
  await shop.page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  expect(await shop.closed()).toMatchObject({ outcome: "failed", reason: "load_timeout" });
});

test("a frame that shows no checkout says so 2 seconds after it has loaded", async () => {
  const shop = await visits.visit("?clientId=silent");
  await shop.page.clock.install();
  await shop.page.getByRole("button", { name: "Pay" }).click();
  await shop.page.locator("[data-exchange] iframe").waitFor({ state: "attached" });
  // The frame's load event is a task of its own.
  const isShown = async () => {
    await shop.page.clock.fastForward(2_000);
    return shop.page.getByText("Checkout is taking too long to load.").isVisible();
  };
  const before = await shop.page.evaluate(() => Date.now());
  await expect.poll(isShown).toBe(true);
  expect((await shop.page.evaluate(() => Date.now())) - before).toBeLessThan(12_000);
});

test("the keyboard moves between the panel's buttons and presses them", async () => {
  const shop = await visits.visit("?clientId=silent");
  await shop.page.clock.install();
  await shop.page.getByRole("button", { name: "Pay" }).click();
  await shop.page.clock.fastForward(15_000);
  await shop.page.getByText("Checkout is taking too long to load.").waitFor();
  await shop.page.keyboard.press("Enter");
  await shop.page.getByText("Loading checkout").waitFor();
  await shop.page.clock.fastForward(15_000);
  await shop.page.getByText("Checkout is taking too long to load.").waitFor();
  await shop.page.keyboard.press("Tab");
  await shop.page.keyboard.press("Enter");
  expect(await shop.closed()).toMatchObject({ outcome: "failed", reason: "load_timeout" });
});

test("a checkout that says hello after the error is shown all the same", async () => {
  const shop = await visits.visit("?clientId=late");
  await shop.page.getByRole("button", { name: "Pay" }).click();
  await shop.page.getByText("Checkout is taking too long to load.").waitFor();
  await expect.poll(shop.state).toBe("open");
  await shop.frame.locator("#close").click();
  expect(await shop.closed()).toEqual({ outcome: "closed", reason: "user" });
});

test("a checkout that loads only after a retry gets a new token, as the first may have expired", async () => {
  const shop = await visits.visit();
  await shop.page.clock.install();
  await shop.page.evaluate(
    "window.calls = 0; options.authenticationToken = async () => 'token.' + (calls += 1)",
  );
  const empty = { contentType: "text/html", body: "" };
  await shop.page.route(/\/checkout\?/, (route) => route.fulfill(empty), { times: 1 });
  await shop.page.getByRole("button", { name: "Pay" }).click();
  await shop.page.clock.fastForward(15_000);
  await shop.page.getByRole("button", { name: "Retry" }).click();
  await expect.poll(() => shop.frame.locator("#log").textContent()).toContain("token.2");
});

test("the panel speaks the language of the customer's browser", async () => {
  const shop = await visits.visit("?clientId=silent", { locale: "ar-EG" });
  await shop.page.getByRole("button", { name: "Pay" }).click();
  await shop.page.getByText("جارٍ تحميل صفحة الدفع…").waitFor();
  await shop.page.getByRole("button", { name: "إغلاق" }).click();
  expect(await shop.closed()).toMatchObject({ outcome: "closed" });
});

test("a page that throws the dialog away can open another", async () => {
  const shop = await visits.visit();
  await shop.open();
  await shop.page.evaluate("document.querySelector('[data-exchange]').remove()");
  await shop.open();
  expect(await shop.read<unknown[]>("results")).toEqual([
    { outcome: "closed", reason: "navigated" },
  ]);
});

test("a page that throws the dialog away and opens another at once hears of both in their order", async () => {
  const shop = await visits.visit();
  await shop.open();
  await shop.page.evaluate("document.querySelector('[data-exchange]').remove(); void open_()");
  await expect.poll(shop.state).toBe("open");
  const names = (await shop.events()).map(({ name }) => name);
  expect(names.filter((name) => name === "open" || name === "close")).toEqual([
    "open",
    "close",
    "open",
  ]);
});

test("on a phone the checkout fills the screen, on a desktop it is 440 px wide and keeps its top edge", async () => {
  const shop = await visits.visit("", { viewport: { width: 360, height: 740 } });
  await shop.open();
  expect(await shop.dialogs().boundingBox()).toEqual({ x: 0, y: 0, width: 360, height: 740 });
  await shop.page.setViewportSize({ width: 1280, height: 900 });
  await expect
    .poll(() => shop.dialogs().boundingBox())
    .toEqual({ x: 420, y: 54, width: 440, height: 640 });
  await shop.frame.locator("#tall").click();
  await expect.poll(async () => (await shop.dialogs().boundingBox())?.height).toBe(792);
  expect((await shop.dialogs().boundingBox())?.y).toBe(54);
});

/** How many listeners the page's window and document have. */
async function listenerCount({ page }: Visit): Promise<readonly number[]> {
  const session = await page.context().newCDPSession(page);
  const count = async (expression: string): Promise<number> => {
    const { result } = await session.send("Runtime.evaluate", { expression });
    const objectId = result.objectId ?? "";
    const { listeners } = await session.send("DOMDebugger.getEventListeners", { objectId });
    return listeners.length;
  };
  return [await count("window"), await count("document")];
}

test("a page that replaced its style sheets meanwhile keeps its own", async () => {
  const shop = await visits.visit();
  await shop.open();
  await shop.page.evaluate("document.adoptedStyleSheets = [new CSSStyleSheet()]");
  await shop.frame.locator("#close").click();
  await shop.closed();
  expect(await shop.read("document.adoptedStyleSheets.length")).toBe(1);
});
