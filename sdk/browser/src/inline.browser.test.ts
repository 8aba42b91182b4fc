import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { startVisits, type Visit, type Visits } from "./testing/shop-visit.ts";

let visits: Visits;
beforeAll(async () => {
  visits = await startVisits();
});
afterEach(() => visits.leave());
afterAll(() => visits.close());

/** Adds an element to the shop's page, with a framework's data on it, and opens the checkout in it. */
async function openInline(query = ""): Promise<Visit> {
  const shop = await visits.visit(query);
  await shop.page.evaluate(`{
    const place = document.createElement("section");
    place.id = "place";
    place.cyclic = { place };
    document.querySelector("main").append(place);
    options.container = place;
  }`);
  await shop.open();
  return shop;
}

test("the checkout is a region of the page's element, and the page stays usable", async () => {
  const shop = await openInline();
  expect(await shop.dialogs().count()).toBe(0);
  await expect.poll(() => shop.page.getByRole("region", { name: "Buy Bitcoin" }).count()).toBe(1);
  expect(await shop.read("!!document.querySelector('#place > [data-exchange]')")).toBe(true);
  expect(await shop.frame.locator("#log").textContent()).toContain("mode=inline");
  expect(await shop.read("getComputedStyle(document.documentElement).overflow")).toBe("visible");
  await shop.page.getByRole("link", { name: "Terms" }).click();
  await shop.page.keyboard.press("Escape");
  expect(await shop.state()).toBe("open");
});

test("a checkout whose token comes late does not take the focus from another field of the page", async () => {
  const shop = await visits.visit();
  await shop.page.evaluate(`{
    options.container = document.querySelector("main");
    options.authenticationToken = () => new Promise((resolve) => { window.giveToken = resolve; });
    const field = document.createElement("input");
    field.id = "field";
    document.body.append(field);
  }`);
  await shop.page.getByRole("button", { name: "Pay" }).click();
  await expect.poll(shop.state).toBe("connecting");
  await shop.page.locator("#field").focus();
  await shop.page.evaluate("giveToken('late.token')");
  await expect.poll(shop.state).toBe("open");
  expect(await shop.read("document.activeElement.id")).toBe("field");
});

test("it grows with its content, and fits a narrow element", async () => {
  const shop = await openInline();
  const box = () => shop.page.getByRole("region", { name: "Buy Bitcoin" }).boundingBox();
  expect((await box())?.height).toBe(640);
  await shop.frame.locator("#tall").click();
  await expect.poll(async () => (await box())?.height).toBe(5000);
  await shop.page.evaluate("place.style.width = '300px'");
  expect((await box())?.width).toBe(300);
});

test("it ends like the modal, and leaves nothing behind", async () => {
  const shop = await openInline("?policy=strict&display=redirect");
  await shop.frame.locator("#close").click();
  expect(await shop.closed()).toEqual({ outcome: "closed", reason: "user" });
  expect(await shop.read("document.querySelectorAll('[data-exchange]').length")).toBe(0);
  expect(await shop.read("document.adoptedStyleSheets.length")).toBe(0);
  expect(await shop.page.evaluate("violations")).toEqual([]);
});

test("a page that removes the element ends it", async () => {
  const shop = await openInline();
  await shop.page.evaluate("place.remove()");
  expect(await shop.closed()).toEqual({ outcome: "closed", reason: "navigated" });
});

test("Back leaves the page, as on a page without the checkout", async () => {
  const shop = await visits.visit();
  const entries = await shop.read("history.length");
  await shop.page.evaluate("options.container = document.querySelector('main')");
  await shop.open();
  expect(await shop.read("history.length")).toBe(entries);
});
