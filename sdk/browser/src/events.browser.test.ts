import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { startVisits, type Visits } from "./testing/shop-visit.ts";

let visits: Visits;
beforeAll(async () => {
  visits = await startVisits();
});
afterEach(() => visits.leave());
afterAll(() => visits.close());

test("init while open returns the same promise and opens no second dialog", async () => {
  const shop = await visits.visit();
  await shop.open();
  await shop.page.evaluate("open_(), open_(), undefined");
  expect(await shop.page.evaluate("new Set(promises).size")).toBe(1);
  expect(await shop.dialogs().count()).toBe(1);
});

test("the payment of a placed order is the result, however the checkout closes", async () => {
  const shop = await visits.visit();
  await shop.open();
  await shop.frame.locator("#order").click();
  await shop.frame.locator("#close").click();
  expect(await shop.closed()).toMatchObject({
    outcome: "pending",
    reason: "user",
    order: { orderId: 42, status: "awaiting_payment" },
  });
  expect((await shop.events()).map(({ name }) => name)).toEqual([
    "open",
    "ready",
    "orderPlaced",
    "close",
  ]);
  expect(await shop.page.evaluate("domEvents")).toEqual(["open", "ready", "orderPlaced", "close"]);
});

test("an order stays the result of a checkout that stops after it", async () => {
  const shop = await visits.visit();
  await shop.page.evaluate(noting("onExit"));
  await shop.open();
  await shop.frame.locator("#order").click();
  await shop.frame.locator("#stop").click();
  expect(await shop.closed()).toMatchObject({
    outcome: "pending",
    reason: "token_expired",
    order: { orderId: 42, sessionId: "s1", status: "awaiting_payment" },
  });
  expect(await shop.read("called")).toEqual([["onExit", null, "pending"]]);
});

test("a token may come later, from a function that is called in the click", async () => {
  const shop = await visits.visit();
  await shop.page.evaluate(
    "open_({ baseAmount: 100, authenticationToken: () => new Promise((done) => setTimeout(done, 300, 'late.token')) }), undefined",
  );
  expect(await shop.state()).not.toBe("idle");
  await expect.poll(shop.state).toBe("open");
  expect(await shop.frame.locator("#log").textContent()).toContain(
    '"token":"late.token","options":{"baseAmount":100}',
  );
});

test("a failed token is reported to the checkout and to the page", async () => {
  const shop = await visits.visit();
  await shop.page.evaluate(
    "open_({ authenticationToken: () => Promise.reject(new Error('no')) }), undefined",
  );
  await expect.poll(() => shop.frame.locator("#log").textContent()).toContain("init-failed");
  // The checkout's own report of it comes a moment later.
  await expect
    .poll(async () => (await shop.events()).at(-1))
    .toMatchObject({ error: { code: "token_unavailable" } });
  await shop.page.evaluate("exchange.close()");
  expect((await shop.closed())?.outcome).toBe("closed");
});

test("destroy closes without asking and forgets the listeners", async () => {
  const shop = await visits.visit("?clientId=stay");
  await shop.open();
  await shop.page.evaluate("exchange.destroy()");
  expect(await shop.closed()).toEqual({ outcome: "closed", reason: "host" });
  const heard = (await shop.events()).length;
  await shop.page.getByRole("button", { name: "Pay" }).click();
  await expect.poll(shop.state).toBe("open");
  expect((await shop.events()).length).toBe(heard);
});

/** Notes the calls of these callbacks, in their order. */
const noting = (...names: readonly string[]) =>
  `for (const name of ${JSON.stringify(names)}) {
    options[name] = (first, second) => called.push([name, first?.name ?? first?.orderId ?? first, second?.outcome ?? null]);
  }`;

test("an order is pending once, a success once its money is certain, and always one exit", async () => {
  const shop = await visits.visit();
  await shop.page.evaluate(
    noting(
      ...["onOpen", "onReady", "onOrderPlaced", "onPending", "onSuccess", "onExit", "onError"],
    ),
  );
  await shop.open();
  for (const button of ["#order", "#order", "#paid", "#paid", "#close"]) {
    await shop.frame.locator(button).click();
  }
  await shop.closed();
  expect(await shop.read("called")).toEqual([
    ["onOpen", "open", null],
    ["onReady", "ready", null],
    ["onOrderPlaced", "orderPlaced", null],
    ["onPending", 42, null],
    ["onOrderPlaced", "orderPlaced", null],
    ["onSuccess", 42, null],
    ["onExit", null, "paid"],
  ]);
});

test("a card is a success once it is charged, even after one that was declined", async () => {
  const shop = await visits.visit();
  await shop.page.evaluate(noting("onPending", "onSuccess", "onExit"));
  await shop.open();
  for (const button of ["#card", "#paid", "#close"]) await shop.frame.locator(button).click();
  await shop.closed();
  expect(await shop.read("called")).toEqual([
    ["onSuccess", 42, null],
    ["onExit", null, "paid"],
  ]);
});

test("a declined card is not a success, and the exit says so", async () => {
  const shop = await visits.visit();
  await shop.page.evaluate(noting("onPending", "onSuccess", "onExit"));
  await shop.open();
  await shop.frame.locator("#card").click();
  await shop.frame.locator("#close").click();
  expect(await shop.closed()).toMatchObject({ outcome: "declined", order: { orderId: 42 } });
  expect(await shop.read("called")).toEqual([["onExit", null, "declined"]]);
});

test("a checkout without an order is one exit and no success", async () => {
  const shop = await visits.visit();
  await shop.page.evaluate(noting("onPending", "onSuccess", "onExit"));
  await shop.open();
  await shop.frame.locator("#close").click();
  await shop.closed();
  expect(await shop.read("called")).toEqual([["onExit", null, "closed"]]);
});

test("the checkout learns which callbacks the page has, and not the callbacks", async () => {
  const shop = await visits.visit();
  await shop.page.evaluate("options.onSuccess = () => {}");
  await shop.open();
  expect(await shop.frame.locator("#log").textContent()).toContain('"options":{"onSuccess":true}');
});

test("a token that is undefined says so in the console", async () => {
  const shop = await visits.visit();
  const errors: string[] = [];
  shop.page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  await shop.page.evaluate("open_({ authenticationToken: async () => undefined }), undefined");
  await expect.poll(() => shop.frame.locator("#log").textContent()).toContain("init-failed");
  await expect.poll(() => errors.join()).toMatch(/exchange: authenticationToken is undefined/);
});

test("a listener or callback that throws breaks nothing", async () => {
  const shop = await visits.visit();
  const errors: string[] = [];
  shop.page.on("pageerror", ({ message }) => errors.push(message));
  await shop.page.evaluate(`exchange.on("open", () => { throw new Error("listener"); });
    options.onOpen = () => { throw new Error("callback"); };`);
  await shop.open();
  expect(errors).toEqual(["listener", "callback"]);
});

test("init inside onOpen returns the checkout that is opening, and opens no second one", async () => {
  const shop = await visits.visit();
  await shop.page.evaluate("options.onOpen = () => open_()");
  await shop.open();
  expect(await shop.page.evaluate("new Set(promises).size")).toBe(1);
  expect(await shop.dialogs().count()).toBe(1);
});

test("close inside onOpen leaves nothing open", async () => {
  const shop = await visits.visit();
  await shop.page.evaluate("options.onOpen = () => exchange.close()");
  await shop.page.getByRole("button", { name: "Pay" }).click();
  expect(await shop.closed()).toEqual({ outcome: "closed", reason: "host" });
  expect(await shop.dialogs().count()).toBe(0);
});

test("calls made before the script was loaded are replayed, and open no window", async () => {
  const shop = await visits.visit("?stub");
  await expect.poll(shop.state).toBe("open");
  expect(await shop.read("early")).toEqual(["open"]);
  expect(shop.page.context().pages()).toHaveLength(1);
  expect(await shop.frame.locator("#log").textContent()).toContain("queued.token");
});

test("a pinned script opens for the client that configure names", async () => {
  const shop = await visits.visit("?pinned");
  await shop.open();
  expect(await shop.frame.locator("#log").textContent()).toContain("clientId=client_dev_1&mode");
});
