import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startVisits, type Visit, type Visits } from "./testing/shop-visit.ts";

let visits: Visits;
beforeAll(async () => {
  visits = await startVisits();
});
afterEach(() => visits.leave());
afterAll(() => visits.close());

const TOKENS = {
  "at once": '"now.token"',
  "after 0.4 s": '() => new Promise((done) => setTimeout(done, 400, "late.token"))',
} as const;
const NO_TOKEN = "options.authenticationToken = () => Promise.reject(new Error('no'))";
const errorsOf = async (shop: Visit) =>
  (await shop.events()).filter(({ name }) => name === "error").map(({ error }) => error?.code);
const pagesOf = ({ page }: Visit) => page.context().pages().length;

describe("a window of its own", () => {
  test.each(Object.entries(TOKENS))(
    "gets its token %s, over the port only",
    async (_when, token) => {
      const shop = await visits.visit("?display=popup");
      await shop.page.evaluate(`options.authenticationToken = ${token}`);
      const popup = await shop.openPopup();
      await expect.poll(() => popup.locator("#log").textContent()).toMatch(/(now|late)\.token/);
      expect(await popup.evaluate("addressSeen")).toMatch(
        /checkout\?clientId=client_dev_1&mode=popup&origin=http%3A%2F%2Flocalhost%3A\d+&theme=light\+dark#i=\d{16,40}&o=http:\/\/localhost:\d+$/,
      );
      expect(await shop.dialogs().count()).toBe(0);
      await popup.locator("#close").click();
      expect(await shop.closed()).toEqual({ outcome: "closed", reason: "user" });
      await expect.poll(() => popup.isClosed()).toBe(true);
    },
  );

  test("has the page's theme in its address, before its token comes", async () => {
    const shop = await visits.visit("?display=popup");
    await shop.page.evaluate(`Object.assign(options, { theme: "dark" })`);
    const popup = await shop.openPopup();
    expect(await popup.evaluate("addressSeen")).toContain("&theme=dark#");
  });

  test("opens although its token cannot be had, and says so", async () => {
    const shop = await visits.visit("?display=popup");
    await shop.page.evaluate(NO_TOKEN);
    const button = shop.page.getByRole("button", { name: "Pay" });
    const [popup] = await Promise.all([shop.page.waitForEvent("popup"), button.click()]);
    await expect.poll(() => popup.locator("#log").textContent()).toContain("init-failed");
    await expect.poll(() => errorsOf(shop)).toEqual(["token_unavailable"]);
  });

  test("is noticed when the customer closes it, and gives the order that was placed", async () => {
    const shop = await visits.visit("?display=popup");
    const popup = await shop.openPopup();
    await popup.locator("#order").click();
    await expect.poll(async () => (await shop.events()).length).toBe(3);
    await popup.close();
    expect(await shop.closed()).toMatchObject({ outcome: "pending", reason: "user" });
    expect(await shop.state()).toBe("idle");
  });

  test("that was just closed does not stand in the way of the next", async () => {
    const shop = await visits.visit("?display=popup");
    // Only the next opening looks for a window that has closed.
    await shop.page.evaluate(`window.setInterval = () => 0;
      const realOpen = window.open;
      window.open = (...args) => (window.popup = realOpen.apply(window, args));`);
    await (await shop.openPopup()).close();
    await expect.poll(() => shop.page.evaluate("popup.closed")).toBe(true);
    await shop.openPopup();
    expect(await shop.read("results")).toEqual([{ outcome: "closed", reason: "user" }]);
  });

  test("is brought to the front by a second click", async () => {
    const shop = await visits.visit("?display=popup");
    // A headless browser brings no window to the front.
    await shop.page.evaluate(`window.open = () => called.push("open") && {
      closed: false, focus: () => called.push("focus"), close() {},
    }`);
    const button = shop.page.getByRole("button", { name: "Pay" });
    await button.click();
    await button.click();
    expect(await shop.read("called")).toEqual(["open", "focus"]);
    expect(await shop.page.evaluate("new Set(promises).size")).toBe(1);
  });

  test("is asked to close by close, and closed by destroy", async () => {
    const shop = await visits.visit("?display=popup&clientId=stay");
    const popup = await shop.openPopup();
    await shop.page.evaluate("exchange.close()");
    await expect.poll(async () => (await shop.events()).at(-1)?.name).toBe("exitIntent");
    await shop.page.evaluate("exchange.destroy()");
    expect(await shop.closed()).toEqual({ outcome: "closed", reason: "host" });
    await expect.poll(() => popup.isClosed()).toBe(true);
  });

  test.each([
    ["under a strict policy with Trusted Types", "policy=strict"],
    ["on a page that isolates itself and allows popups", "coop=same-origin-allow-popups"],
    ["as a module", "module"],
    ["with the script loaded twice", "twice"],
  ])("works %s", async (_where, query) => {
    const shop = await visits.visit(`?display=popup&${query}`);
    const popup = await shop.openPopup();
    await popup.locator("#close").click();
    expect(await shop.closed()).toEqual({ outcome: "closed", reason: "user" });
    expect(await shop.read("violations")).toEqual([]);
    expect(await errorsOf(shop)).toEqual([]);
  });

  test("30 rounds leave no window, node or history entry", async () => {
    const shop = await visits.visit("?display=popup&clientId=brief");
    const measure = () =>
      shop.read(
        "[document.querySelectorAll('*').length, document.adoptedStyleSheets.length, history.length]",
      );
    const before = await measure();
    // Each evaluation counts as a click.
    for (let round = 0; round < 30; round += 1) await shop.page.evaluate("open_()");
    expect(await errorsOf(shop)).toEqual([]);
    expect(await measure()).toEqual(before);
    await expect.poll(() => pagesOf(shop)).toBe(1);
  });
});

describe("the modal takes over", () => {
  test("when a click was too long ago", async () => {
    const shop = await visits.visit("?display=popup");
    // An evaluation would count as a click, so the page says when it has opened the checkout.
    await shop.page.evaluate(`document.onclick = () => {
      const wait = () =>
        navigator.userActivation.isActive ? setTimeout(wait, 100) : (open_(), console.log("opened"));
      wait();
    }`);
    const opened = shop.page.waitForEvent("console", (message) => message.text() === "opened");
    await shop.page.getByRole("heading", { name: "Shop" }).click();
    await opened;
    await shop.frame.locator("#close").click();
    expect(await shop.closed()).toEqual({ outcome: "closed", reason: "user" });
    expect(await errorsOf(shop)).toEqual(["popup_blocked"]);
    expect(pagesOf(shop)).toBe(1);
  });

  test("at once when the browser gives no window", async () => {
    const shop = await visits.visit("?display=popup");
    await shop.page.evaluate("window.open = () => null");
    await shop.open();
    expect(await errorsOf(shop)).toEqual(["popup_blocked"]);
    expect(await shop.dialogs().count()).toBe(1);
  });

  test("when the page's isolation cuts the window off, which is not an exit of the customer", async () => {
    const shop = await visits.visit("?display=popup&coop=same-origin");
    await shop.open();
    expect(await errorsOf(shop)).toEqual(["opener_severed"]);
    expect(await shop.dialogs().count()).toBe(1);
    await shop.frame.locator("#close").click();
    expect(await shop.closed()).toEqual({ outcome: "closed", reason: "user" });
  });

  test("when the window never speaks", async () => {
    const shop = await visits.visit("?display=popup&clientId=silent");
    await shop.page.clock.install();
    const button = shop.page.getByRole("button", { name: "Pay" });
    const [popup] = await Promise.all([shop.page.waitForEvent("popup"), button.click()]);
    await shop.page.clock.fastForward(15_000);
    await expect.poll(() => shop.dialogs().count()).toBe(1);
    expect(await errorsOf(shop)).toEqual(["load_timeout"]);
    await expect.poll(() => popup.isClosed()).toBe(true);
  });

  test("not when the window waits for the page's token", async () => {
    const shop = await visits.visit("?display=popup");
    await shop.page.clock.install();
    await shop.page.evaluate("options.authenticationToken = () => new Promise(() => {})");
    const button = shop.page.getByRole("button", { name: "Pay" });
    const [popup] = await Promise.all([shop.page.waitForEvent("popup"), button.click()]);
    await expect.poll(shop.state).toBe("connecting");
    await shop.page.clock.fastForward(15_000);
    expect(await shop.dialogs().count()).toBe(0);
    expect(popup.isClosed()).toBe(false);
  });

  test("when the page's policy forbids the redirect's form", async () => {
    const shop = await visits.visit("?display=redirect&policy=formless");
    await shop.open();
    expect(await shop.dialogs().count()).toBe(1);
    expect(visits.world.posted).toEqual([]);
  });
});

describe("a redirect", () => {
  const lastPost = () => {
    const { path, body } = visits.world.posted.at(-1) ?? { path: "", body: "" };
    return { path, form: Object.fromEntries(new URLSearchParams(body)) };
  };

  test.each(["", "&policy=strict"])(
    "posts the token, and never in an address %s",
    async (query) => {
      const shop = await visits.visit(`?display=redirect${query}`);
      const left = shop.page.url();
      await shop.page.evaluate(
        `Object.assign(options, { authenticationToken: ${TOKENS["after 0.4 s"]}, baseAmount: 100, onExit() {} })`,
      );
      await shop.page.getByRole("button", { name: "Pay" }).click();
      const origin = encodeURIComponent(visits.world.shopUrl);
      const path = `/checkout?clientId=client_dev_1&mode=redirect&origin=${origin}&theme=light+dark`;
      await shop.page.waitForURL(/\/checkout/);
      const { form, path: postedTo } = lastPost();
      expect(postedTo).toBe(path);
      expect(form).toMatchObject({ token: "late.token", returnUrl: left });
      expect(JSON.parse(form["options"] ?? "")).toEqual({ display: "redirect", baseAmount: 100 });
    },
  );

  test("leads back to where the page says", async () => {
    const shop = await visits.visit("?display=redirect");
    const returnUrl = `${visits.world.shopUrl}/thanks`;
    await shop.page.evaluate(`options.returnUrl = "${returnUrl}"`);
    await shop.page.getByRole("button", { name: "Pay" }).click();
    await shop.page.waitForURL(/\/checkout/);
    expect(lastPost().form["returnUrl"]).toBe(returnUrl);
  });

  test("that the customer stopped says so after 15 seconds, and Retry redirects", async () => {
    const shop = await visits.visit("?display=redirect");
    await shop.page.clock.install();
    await shop.page.evaluate("addEventListener('beforeunload', (event) => event.preventDefault())");
    const questions: string[] = [];
    shop.page.once("dialog", (question) => {
      questions.push(question.type());
      void question.dismiss();
    });
    await shop.page.getByRole("button", { name: "Pay" }).click();
    await expect.poll(() => questions).toEqual(["beforeunload"]);
    await shop.page.clock.fastForward(15_000);
    expect(await errorsOf(shop)).toEqual(["load_timeout"]);
    shop.page.once("dialog", (question) => question.accept());
    await shop.page.getByRole("button", { name: "Retry" }).click();
    await shop.page.waitForURL(/\/checkout/);
  });

  test("whose token does not come shows that it loads, and after 15 seconds a way to try again", async () => {
    const shop = await visits.visit("?display=redirect");
    await shop.page.clock.install();
    await shop.page.evaluate("options.authenticationToken = () => new Promise(() => {})");
    const entries = await shop.read("history.length");
    await shop.page.getByRole("button", { name: "Pay" }).click();
    const dialog = shop.dialogs();
    await dialog.getByText("Loading checkout").waitFor();
    expect(await shop.read("history.length")).toBe(entries);
    await shop.page.clock.fastForward(15_000);
    await dialog.getByText("taking too long").waitFor();
    await shop.page.evaluate(`options.authenticationToken = "never read"`);
    await dialog.getByRole("button", { name: "Retry" }).click();
    await dialog.getByText("Loading checkout").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    expect(await shop.closed()).toEqual({ outcome: "closed", reason: "user" });
    expect(await dialog.count()).toBe(0);
  });

  test("without a token stays on the page and fails", async () => {
    const shop = await visits.visit("?display=redirect");
    await shop.page.evaluate(NO_TOKEN);
    await shop.page.getByRole("button", { name: "Pay" }).click();
    expect(await shop.closed()).toMatchObject({
      outcome: "failed",
      error: { code: "token_unavailable" },
    });
  });
});
