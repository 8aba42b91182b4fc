import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, Route } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePages, hasBrowser } from "../support/browser/browser.ts";
import type { ConsolePage } from "../support/browser/console-page.ts";
import { makeLook } from "../support/browser/look.ts";
import { invitedPerson, startConsole } from "../support/browser/started-console.ts";
import { createMerchant } from "../support/orders/merchant.ts";
import { buyChoice, startOrder } from "../support/orders/purchase.ts";
import { exchangeHere } from "../support/service/command-line.ts";
import type { StartedService } from "../support/service/service.ts";

const STREAM = "**/v1/admin/changes";
const ME = "**/v1/admin/me";
const REVIEWS = /\/v1\/admin\/reviews/;
const FORM_FILE = "**/assets/person-form-*.js";
const START_FILE = "**/assets/start-*.js";
const ORDERS_FILE = "**/assets/orders-*.js";
const PAUSED = "Updates are paused. This screen is read again every minute.";
/** A screen reads at its minute, and once more when its stream of changes opens again. */
const LATEST_READ_MS = 3_000;
const HANGS = { timeout: 60_000 };

let service: StartedService;
let browser: Browser;
let url: string;
const { look, faults } = makeLook();

/** Invites a person whose console never reads a screen again by itself: only the stream does. */
const personOf = (email: string, role: string): Promise<ConsolePage> =>
  invite(email, role, ({ context }) => context.addInitScript("window.setInterval = () => 0"));

const invite = (
  email: string,
  role: string,
  prepare: (person: ConsolePage) => Promise<unknown>,
): Promise<ConsolePage> => invitedPerson({ service, browser, url }, { email, role }, prepare);

async function heldOrder(): Promise<number> {
  const merchant = await createMerchant(service);
  const { orderId } = await startOrder(service, merchant, await buyChoice(service, merchant));
  await exchangeHere(service, ...["orders", "hold", String(orderId), "--reason", "limit_exceeded"]);
  return orderId;
}

/** Changes what the page thinks of its tab, as a browser does when another tab is chosen. */
const showTab = ({ page }: ConsolePage, state: "visible" | "hidden") =>
  page.evaluate((now) => {
    Object.defineProperty(document, "visibilityState", { configurable: true, value: now });
    document.dispatchEvent(new Event("visibilitychange"));
  }, state);

describe.runIf(hasBrowser)("screens of the console follow changes", () => {
  beforeAll(async () => {
    ({ service, browser, url } = await startConsole());
  });
  afterAll(async () => {
    if (browser) await closePages(browser);
    await service?.discard();
  });

  test("an order that enters review is in the queue of another tab, and so is the person who takes it", async () => {
    const ada = await personOf("ada@example.com", "compliance");
    const bob = await personOf("bob@example.com", "support");
    await bob.open("reviews");
    await bob.page.getByText("Nothing waits for a person").waitFor();
    const home = await bob.context.newPage();
    await home.goto(`${url}/#/home`);
    await home.getByText("Nothing waits for a person.").waitFor();

    const orderId = await heldOrder();
    await bob.button(`Take: ${orderId}`).waitFor();
    await home.getByRole("link", { name: /in review: limit exceeded/ }).waitFor();
    await ada.open(`orders/${orderId}`);
    await ada.button("Take").click();
    await bob.page.getByRole("cell", { name: "ada@example.com" }).waitFor();
    await bob.button(`Free: ${orderId}`).click();
    await ada.button("Take").waitFor();
  });

  test("a screen that nobody touches stops reading itself, so that its session ends", async () => {
    const ida = await invite("ida@example.com", "compliance", ({ page }) => page.clock.install());
    const { page } = ida;
    await ida.open("reviews");
    await page.locator("main h1").waitFor();
    let reads = 0;
    page.on("request", (request) => {
      if (/\/v1\/admin\/(?!changes$)/.test(request.url())) reads += 1;
    });
    const newReads = async (): Promise<number> => {
      const before = reads;
      await sleep(LATEST_READ_MS);
      await page.evaluate("0");
      return reads - before;
    };
    await page.mouse.move(5, 5);
    const streamAgain = page.waitForResponse(STREAM, HANGS);
    await page.clock.fastForward("02:00");
    await streamAgain;
    await expect.poll(() => reads).toBeGreaterThan(0);
    await expect.poll(newReads).toBe(0);
    reads = 0;
    await page.clock.fastForward("11:00");
    await page.clock.fastForward("05:00");
    await newReads();
    expect(reads).toBe(0);
    await page.keyboard.press("Shift");
    await page.clock.fastForward("02:00");
    await expect.poll(() => reads).toBeGreaterThan(0);
  });

  test("a screen says that updates are paused only while it misses them, and a hidden tab has no stream", async () => {
    const eve = await personOf("eve@example.com", "compliance");
    const { page } = eve;
    await page.route(STREAM, (route) => route.fulfill({ status: 503, body: "" }));
    await eve.open("reviews");
    await page.reload();
    await page.getByText(PAUSED).waitFor();
    await look(eve, "reviews-paused");
    await eve.open("account");
    await page.getByText(PAUSED).waitFor({ state: "detached" });
    await eve.open("reviews");
    await page.getByText(PAUSED).waitFor();

    await page.unroute(STREAM);
    await showTab(eve, "visible");
    await page.getByText(PAUSED).waitFor({ state: "detached" });
    const closed = page.waitForEvent("requestfailed", (request) =>
      request.url().endsWith("/v1/admin/changes"),
    );
    await showTab(eve, "hidden");
    await closed;
    const orderId = await heldOrder();
    await showTab(eve, "visible");
    await eve.button(`Take: ${orderId}`).waitFor();
  });

  test("a console without an answer says so, and is shown once the service answers", async () => {
    const { code, message } = { code: "INTERNAL_ERROR", message: "Something went wrong." };
    const kim = await personOf("kim@example.com", "compliance");
    const { page } = kim;
    await page.route(ME, (route) => route.fulfill({ status: 500, json: { code, message } }));
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Not loaded" }).waitFor();
    await look(kim, "not-loaded");
    await page.unroute(ME);
    await kim.button("Try again").click();
    await kim.button("Sign out").waitFor();

    const lost: readonly ((route: Route) => Promise<void>)[] = [
      (route) => route.abort(),
      (route) => route.fulfill({ status: 502, body: "<html>Bad Gateway</html>" }),
      (route) => route.fulfill({ status: 200, body: '{"data":{"name":' }),
    ];
    for (const lose of lost) {
      await page.route(ME, lose);
      await page.reload();
      await page.getByRole("alert").getByText("The service does not answer.").waitFor();
      await page.unroute(ME);
      // Nobody presses the button.
      await kim.button("Sign out").waitFor();
    }
  });

  test("a list that was refused for a moment is read again though nobody asks, and stays where it was there", async () => {
    const ora = await personOf("ora@example.com", "compliance");
    const { page } = ora;
    const refusal = { code: "SERVICE_UNAVAILABLE", message: "Overloaded." };
    await page.route(REVIEWS, (route) => route.fulfill({ status: 503, json: refusal }));
    await ora.open("reviews");
    await page.getByRole("alert").getByText("The service is overloaded").waitFor();
    await page.unroute(REVIEWS);
    await page.getByRole("alert").waitFor({ state: "detached" });

    const before = await heldOrder();
    await ora.button(`Take: ${before}`).waitFor();
    const refused = page.waitForResponse((response) => response.status() === 503);
    await page.route(REVIEWS, (route) => route.fulfill({ status: 503, json: refusal }));
    const after = await heldOrder();
    await refused;
    await page.evaluate("new Promise((resolve) => setTimeout(resolve, 500))");
    await page.unroute(REVIEWS);
    expect(await ora.button(`Take: ${before}`).isVisible()).toBe(true);
    await ora.button(`Take: ${after}`).waitFor();
  });

  test("a hidden tab does not try again what was refused, so that its session ends", async () => {
    const ivo = await personOf("ivo@example.com", "compliance");
    const { page } = ivo;
    let calls = 0;
    await page.route(REVIEWS, (route) => {
      calls += 1;
      return route.fulfill({ status: 503, json: { code: "SERVICE_UNAVAILABLE", message: "" } });
    });
    await ivo.open("reviews");
    await expect.poll(() => calls).toBeGreaterThan(1);
    await showTab(ivo, "hidden");
    // A call from before may still be noted.
    const newCalls = async (): Promise<number> => {
      const before = calls;
      await sleep(7_000);
      return calls - before;
    };
    await expect.poll(newCalls).toBe(0);
    await page.unroute(REVIEWS);
    await showTab(ivo, "visible");
    await page.getByRole("alert").waitFor({ state: "detached" });
  });

  test("an answer is shown although a later reading is under way", async () => {
    const amy = await personOf("amy@example.com", "compliance");
    const { page } = amy;
    await amy.open("reviews");
    const held: Route[] = [];
    await page.route(REVIEWS, (route) => {
      held.push(route);
    });
    const orderId = await heldOrder();
    await expect.poll(() => held.length).toBeGreaterThan(0);
    const before = held.length;
    await heldOrder();
    await expect.poll(() => held.length).toBeGreaterThan(before);
    await held[0]?.continue();
    await amy.button(`Take: ${orderId}`).waitFor();
  });

  test("a decision is about the reason that its person saw, although the screen follows changes", async () => {
    const zoe = await personOf("zoe@example.com", "compliance");
    const { page } = zoe;
    const orderId = await heldOrder();
    await zoe.open(`orders/${orderId}`);
    await zoe.button("Release").click();
    const dialog = page.getByRole("dialog");
    const seen = dialog.getByText("in review: limit exceeded");
    await seen.waitFor();
    await exchangeHere(service, "orders", "release", String(orderId));
    const hold = ["orders", "hold", String(orderId), "--reason", "screening_hit"];
    await exchangeHere(service, ...hold);
    await page.locator(".columns").getByText("in review: screening hit").waitFor();
    await dialog.getByLabel("Reason").fill("the limit was raised");
    await dialog.getByLabel("Reason").press("Enter");
    await dialog.getByRole("alert").getByText("is in_review for screening_hit now").waitFor();
    expect(await seen.isVisible()).toBe(true);
    await page.keyboard.press("Escape");
    await page.locator(".columns").getByText("in review: screening hit").waitFor();
  });

  test("Refresh reads the money of the day and the treasury of Home again", async () => {
    const rob = await personOf("rob@example.com", "compliance");
    const { page } = rob;
    await rob.open("home");
    await page.getByRole("heading", { name: /^Money of/ }).waitFor();
    const read = new Set<string>();
    // The stream of changes may be opened again at any time, and it reads nothing.
    page.on("request", (request) => {
      const address = /\/v1\/admin\/(?!changes$)([^?]*)/.exec(request.url())?.[1];
      if (address !== undefined) read.add(address);
    });
    await rob.button("Refresh").click();
    await expect.poll(() => read).toEqual(new Set(["overview", "reports/days", "treasury"]));
  });

  test("the answer to a reading from before a decision does not hide the decision", async () => {
    const uma = await personOf("uma@example.com", "compliance");
    const { page } = uma;
    const orderId = await heldOrder();
    const story = `**/v1/admin/orders/${orderId}`;
    const read = page.waitForResponse(story);
    await uma.open(`orders/${orderId}`);
    const before = await (await read).text();
    let late: Route | undefined;
    await page.route(story, (route) => {
      if (late) return route.continue();
      late = route;
      return undefined;
    });
    await heldOrder();
    await expect.poll(() => late !== undefined).toBe(true);
    await uma.button("Take").click();
    await uma.button("Free").waitFor();
    await late?.fulfill({ body: before, contentType: "application/json" });
    await page.evaluate("new Promise((resolve) => setTimeout(resolve, 200))");
    expect(await uma.button("Free").isVisible()).toBe(true);
  });

  test("the late answer to an earlier call leaves the console as it is", async () => {
    const mia = await personOf("mia@example.com", "compliance");
    const { page } = mia;
    let calls = 0;
    let late: Route | undefined;
    await page.route(ME, (route) => {
      calls += 1;
      if (calls === 1) return route.abort();
      if (calls > 2) return route.continue();
      late = route;
      return undefined;
    });
    await page.reload();
    await page.getByRole("alert").waitFor();
    await expect.poll(() => late !== undefined).toBe(true);
    await mia.button("Try again").click();
    await mia.button("Sign out").waitFor();
    const signedOut = { code: "SIGN_IN_REQUIRED", message: "Sign in." };
    await late?.fulfill({ status: 401, json: signedOut });
    await page.evaluate("new Promise((resolve) => setTimeout(resolve, 500))");
    expect(await mia.button("Sign out").isVisible()).toBe(true);
  });

  test("a dialog whose file is gone leaves the rest of its screen", async () => {
    const noa = await personOf("noa@example.com", "administrator");
    const { page } = noa;
    await page.route(FORM_FILE, (route) => route.fulfill({ status: 404, body: "" }));
    await noa.open("people");
    await noa.button("Invite a person").click();
    await page.getByRole("alert").getByText("A part of the console could not be loaded.").waitFor();
    await page.getByRole("heading", { level: 1, name: "People" }).waitFor();
    await look(noa, "dialog-not-loaded");
  });

  test("a screen whose file failed to load once is shown after a moment, without a click", async () => {
    let requests = 0;
    const jon = await invite("jon@example.com", "compliance", ({ page }) =>
      page.route(ORDERS_FILE, (route) => {
        requests += 1;
        return requests === 1 ? route.abort("connectionreset") : route.continue();
      }),
    );
    await jon.open("orders");
    await jon.page.getByRole("heading", { level: 1, name: "Orders" }).waitFor();
    expect(requests).toBe(2);
  });

  test("a console whose first file failed to load says so then and not before, and is shown after a moment", async () => {
    const pam = await invite("pam@example.com", "compliance", async () => {});
    const notice = pam.page.getByRole("alert").getByText("A part of the console could not be");
    let requests = 0;
    let shownBefore: boolean | undefined;
    await pam.page.route(START_FILE, async (route) => {
      requests += 1;
      if (requests > 1) return route.continue();
      shownBefore = await notice.isVisible();
      return route.abort("connectionreset");
    });
    // The page is loaded again once the service answers, which would end a look.
    await pam.page.route("**/healthz", (route) => route.abort());
    await pam.page.reload();
    await notice.waitFor();
    expect(shownBefore).toBe(false);
    await look(pam, "console-not-loaded");
    await pam.page.unroute("**/healthz");
    await pam.button("Sign out").waitFor();
    await notice.waitFor({ state: "detached" });
    expect(requests).toBe(2);
  });

  test("a page does not reload once somebody works on another screen", async () => {
    let late: Route | undefined;
    const jim = await invite("jim@example.com", "compliance", async ({ page }) => {
      await page.route(ORDERS_FILE, (route) => route.abort("connectionreset"));
      await page.route("**/healthz", (route) => {
        late ??= route;
      });
    });
    await jim.open("orders");
    await expect.poll(() => late !== undefined).toBe(true);
    await jim.open("reviews");
    await jim.page.getByRole("heading", { level: 1, name: "Review" }).waitFor();
    await jim.page.evaluate("window.isSamePage = true");
    await late?.continue();
    await jim.page.evaluate("new Promise((resolve) => setTimeout(resolve, 500))");
    expect(await jim.page.evaluate("window.isSamePage")).toBe(true);
  });

  test("a screen whose file is gone says so, and the page loads the files of the newer version", async () => {
    const lou = await personOf("lou@example.com", "compliance");
    const { page } = lou;
    await page.route(ORDERS_FILE, (route) => route.fulfill({ status: 404, body: "" }));
    await lou.open("orders");
    await page.getByRole("alert").getByText("A part of the console could not be loaded.").waitFor();
    await look(lou, "screen-not-loaded");
    await lou.open("reviews");
    await page.getByRole("heading", { level: 1, name: "Review" }).waitFor();
    await lou.open("orders");
    await page.unroute(ORDERS_FILE);
    await lou.button("Try again").click();
    await page.getByRole("heading", { level: 1, name: "Orders" }).waitFor();
    expect(faults).toEqual([]);
  });
});
