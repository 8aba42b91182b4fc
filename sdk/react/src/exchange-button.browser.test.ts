import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FakeWorld, startFakeWorld } from "./testing/fake-world.ts";

/** Disables the package's limit for the script's answer, which a busy browser may exceed. */
const HOLD_LOAD_LIMIT = `{
  const start = window.setTimeout;
  window.setTimeout = (callback, after, ...values) => (after === 15000 ? 0 : start(callback, after, ...values));
}`;

let browser: Browser;
let world: FakeWorld;
let page: Page;
/** Messages of the page's console and its uncaught errors. Each test states the expected ones. */
let complaints: string[];

beforeAll(async () => {
  world = await startFakeWorld();
  browser = await chromium.launch({
    executablePath: process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--site-per-process", "--disable-gpu"],
  });
  page = await openPage();
  await page.addInitScript(HOLD_LOAD_LIMIT);
});
afterAll(async () => {
  await browser.close();
  world.close();
});

async function openPage(): Promise<Page> {
  const opened = await browser.newPage();
  opened.setDefaultTimeout(60_000);
  opened.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  opened.on("pageerror", (error) => complaints.push(`uncaught: ${error.message}`));
  return opened;
}

async function visit(query = ""): Promise<void> {
  await page.goto("about:blank");
  world.takeScriptRequests();
  complaints = [];
  // Before a tag of the page's own has loaded.
  await page.goto(`${world.shopUrl}/${query}`, { waitUntil: "domcontentloaded" });
}

/** Renders a button for each offer: JavaScript for the list of their props. */
const show = (offers: string) => page.evaluate(`shop.show(${offers})`);
const button = (name: string) => page.getByRole("button", { name });
const stateOf = (name: string) => button(name).getAttribute("data-state");
const reports = () => page.evaluate<unknown[]>("JSON.parse(JSON.stringify(reports))");
const calls = () => page.evaluate<unknown[]>("JSON.parse(JSON.stringify(calls))");
const ready = (name: string) => expect.poll(() => stateOf(name)).toBe("ready");

/** Answers the script request of client `held`. */
async function sendScript(): Promise<void> {
  await expect.poll(() => world.scriptsHeld()).toBe(1);
  world.sendHeldScripts();
}

const TELLS = `
  onEvent: ({ name }) => reports.push(["event", name]),
  onOrderPlaced: ({ orderId }) => reports.push(["placed", orderId]),
  onPending: ({ orderId }) => reports.push(["pending", orderId]),
  onSuccess: ({ orderId }) => reports.push(["success", orderId]),
  onClose: ({ outcome }) => reports.push(["close", outcome]),
  onError: ({ code, recoverable }) => reports.push(["error", code, recoverable]),`;

test("display, way back, language and theme go to the script, and not to the button", async () => {
  const shown = {
    display: "popup",
    returnUrl: "https://shop.example/done",
    locale: "de",
    theme: "dark",
  };
  await visit();
  await show(`{ children: "Buy", ...${JSON.stringify(shown)} }`);
  await ready("Buy");
  await button("Buy").click();
  await expect.poll(async () => (await calls())[0]).toMatchObject(["configure", shown]);
  for (const name of ["display", "returnurl", "locale", "theme"]) {
    expect(await button("Buy").getAttribute(name)).toBeNull();
  }
});

test("a press configures and opens, and the page gets the events", async () => {
  await visit();
  await show(`{ children: "Sell", operationType: "S", baseAmount: 0.01, ${TELLS} }`);
  await ready("Sell");
  await button("Sell").click();
  expect(await calls()).toEqual([
    ["configure", { clientId: "client_dev_1", env: "dev", operationType: "S", baseAmount: 0.01 }],
    ["init", "a.public.token"],
  ]);
  expect(await stateOf("Sell")).toBe("open");
  await page.evaluate(`stub.tell("orderPlaced", { orderId: 42 });
    stub.tell("orderPlaced", { orderId: 42, outcome: "pending" });
    for (const outcome of ["pending", "paid", "paid"]) stub.tell("orderUpdated", { orderId: 42, outcome });
    stub.end({ outcome: "paid", reason: "user", order: { orderId: 42 } })`);
  await expect.poll(() => stateOf("Sell")).toBe("closed");
  expect(await reports()).toEqual([
    ["event", "open"],
    ["event", "orderPlaced"],
    ["placed", 42],
    ["event", "orderPlaced"],
    ["pending", 42],
    ["event", "orderUpdated"],
    ["event", "orderUpdated"],
    ["success", 42],
    ["event", "orderUpdated"],
    ["event", "close"],
    ["close", "paid"],
  ]);
  expect(await page.evaluate("stub.count()")).toBe(0);
  expect(complaints).toEqual([]);
});

test("however many buttons and effects there are, the script is loaded once", async () => {
  await visit("?clientId=held");
  await show(`{ children: "A" }, { children: "B" }, { children: "C" }`);
  expect(await stateOf("A")).toBe("loading");
  await sendScript();
  for (const name of ["A", "B", "C"]) await ready(name);
  await page.evaluate("shop.leave()");
  await show(`{ children: "D" }`);
  expect(await stateOf("D")).toBe("ready");
  expect(world.takeScriptRequests()).toBe(1);
  expect(await page.locator("script[src*='exchange.js']").count()).toBe(1);
});

test.each(["?tag", "?tag&clientId=slow", "?tag&policy=types"])(
  "the script of the page itself is used: %s",
  async (query) => {
    await visit(query);
    await show(`{ children: "Buy" }`);
    await ready("Buy");
    expect(world.takeScriptRequests()).toBe(1);
  },
);

test("a queue that waits for the script is not taken for it", async () => {
  await visit();
  await page.evaluate("window.exchange = { q: [], init() { this.q.push('init'); } }");
  await show(`{ children: "Buy" }`);
  await ready("Buy");
  expect(world.takeScriptRequests()).toBe(1);
});

test("a press before the script is there is busy, keeps the focus, and opens once", async () => {
  await visit("?clientId=held");
  await show(`{ children: "Buy", authenticationToken: () => "fetched" }`);
  await button("Buy").click();
  await button("Buy").press("Enter");
  expect(await button("Buy").getAttribute("aria-busy")).toBe("true");
  expect(await button("Buy").isDisabled()).toBe(true);
  expect(await page.evaluate("document.activeElement.textContent")).toBe("Buy");
  await sendScript();
  await expect.poll(() => stateOf("Buy")).toBe("open");
  expect(await button("Buy").getAttribute("aria-busy")).toBeNull();
  expect((await calls()).slice(1)).toEqual([["init", "fetched"]]);
});

test("a token may be a promise, and a function is called for each opening", async () => {
  await visit();
  await page.evaluate("window.tokenRequests = 0");
  await show(`{ children: "Buy", authenticationToken: () => "token " + ++tokenRequests },
    { children: "Sell", authenticationToken: Promise.resolve("later") }`);
  await ready("Buy");
  for (const name of ["Buy", "Buy", "Sell"]) {
    await button(name).click();
    await page.evaluate("stub.end({ outcome: 'closed', reason: 'user' })");
    await expect.poll(() => stateOf(name)).toBe("closed");
  }
  const opened = (await calls()).filter((call) => (call as string[])[0] === "init");
  expect(opened.map((call) => (call as unknown[])[1])).toEqual(["token 1", "token 2", {}]);
});

test("callbacks and options that change between renders restart nothing, and the last ones count", async () => {
  await visit();
  for (const round of [1, 2, 3]) {
    await show(`{ children: "Buy", baseAmount: ${round},
      onEvent: ({ name }) => reports.push([name, ${round}]) }`);
  }
  await ready("Buy");
  await button("Buy").click();
  await show(`{ children: "Buy", onEvent: ({ name }) => reports.push([name, 4]) }`);
  await page.evaluate("stub.tell('quoteUpdated')");
  expect(await reports()).toEqual([
    ["open", 3],
    ["quoteUpdated", 4],
  ]);
  expect((await calls())[0]).toMatchObject(["configure", { baseAmount: 3 }]);
  expect(await calls()).toHaveLength(2);
  expect(await page.evaluate("stub.count()")).toBe(1);
  expect(world.takeScriptRequests()).toBe(1);
});

test("a press while another button's checkout is open opens nothing", async () => {
  await visit();
  await show(`{ children: "Buy" }, { children: "Sell" }`);
  await ready("Sell");
  await button("Buy").click();
  await button("Buy").click();
  await button("Sell").click();
  expect(await calls()).toHaveLength(2);
  expect([await stateOf("Buy"), await stateOf("Sell")]).toEqual(["open", "ready"]);
});

test("a component that is taken away lets go of the script and leaves the checkout to the customer", async () => {
  await visit();
  await show(`{ children: "Buy", ${TELLS} }`);
  await ready("Buy");
  await button("Buy").click();
  await page.evaluate("shop.leave()");
  await expect.poll(() => page.evaluate("stub.count()")).toBe(0);
  expect(await page.evaluate("exchange.state")).toBe("open");
  await page.evaluate("stub.end({ outcome: 'closed', reason: 'user' })");
  expect(await reports()).toEqual([["event", "open"]]);
});

test("a component that is taken away while the script is on its way opens nothing", async () => {
  await visit("?clientId=held");
  await show(`{ children: "Buy", ${TELLS} }`);
  await button("Buy").click();
  await page.evaluate("shop.leave()");
  await sendScript();
  await expect.poll(() => page.evaluate("typeof exchange")).toBe("object");
  await page.waitForTimeout(50);
  expect([await calls(), await reports(), complaints]).toEqual([[], [], []]);
});

test("a button is a button: its attributes, its ref, its disabled state and a press that was prevented", async () => {
  await visit();
  await show(`{ children: "Buy", className: "large", "aria-describedby": "note", ref: (it) => { window.node = it; } },
    { children: "Sold out", disabled: true },
    { children: "Ask first", onClick: (event) => event.preventDefault() }`);
  await ready("Sold out");
  expect(await button("Buy").evaluate((it) => it.outerHTML)).toBe(
    '<button data-state="ready" class="large" aria-describedby="note" type="button" aria-haspopup="dialog">Buy</button>',
  );
  expect(await page.evaluate("node.textContent")).toBe("Buy");
  expect(await button("Sold out").isDisabled()).toBe(true);
  await button("Sold out").click({ force: true });
  await button("Ask first").click();
  expect(await calls()).toEqual([]);
});

const FAILURES: readonly [what: string, query: string, code: string][] = [
  ["a policy that keeps the script out", "?policy=closed", "script_blocked"],
  ["Trusted Types", "?policy=types", "script_blocked"],
  ["a script that is refused", "?clientId=refused", "script_failed"],
  ["a script that is something else", "?clientId=other", "script_failed"],
];

test.each(FAILURES)(
  "%s is a state with an error, and nothing is thrown",
  async (_what, query, code) => {
    await visit(query);
    await show(`{ children: "Buy", ${TELLS} }`);
    await expect.poll(() => stateOf("Buy")).toBe("failed");
    expect(await reports()).toEqual([["error", code, code === "script_failed"]]);
    expect(complaints.filter((text) => text.startsWith("uncaught"))).toEqual([]);
    expect(await page.locator("script[src*='exchange.js']").count()).toBe(0);
  },
);

test("an error for a missing or wrong address says what it must be", async () => {
  await visit();
  const tell = "onError: ({ code, message }) => reports.push([code, message])";
  for (const baseUrl of ["'https://'", "'localhost:8080'", "''", "undefined"]) {
    await show(`{ children: ${JSON.stringify(baseUrl)}, baseUrl: ${baseUrl}, ${tell} }`);
    await expect.poll(() => stateOf(baseUrl)).toBe("failed");
  }
  const message = "baseUrl must be the address of the service, such as https://exchange.example.";
  expect(await reports()).toEqual(Array(4).fill(["invalid_options", message]));
  expect(complaints).toEqual([]);
});

test("a script that never answers fails in time", async () => {
  const before = page;
  page = await openPage();
  await page.clock.install();
  await visit("?clientId=silent");
  await show(`{ children: "Buy", ${TELLS} }`);
  await button("Buy").click();
  await page.clock.fastForward(15_000);
  await expect.poll(() => stateOf("Buy")).toBe("failed");
  expect(await reports()).toEqual([["error", "script_failed", true]]);
  expect(await button("Buy").isDisabled()).toBe(false);
  await page.close();
  page = before;
});

test("a script that failed is asked for again by the next press", async () => {
  await visit();
  await page.route(/exchange\.js/, (route) => route.abort(), { times: 1 });
  await show(`{ children: "Buy", ${TELLS} }`);
  await expect.poll(() => stateOf("Buy")).toBe("failed");
  await button("Buy").click();
  await expect.poll(() => stateOf("Buy")).toBe("open");
  expect(await reports()).toEqual([
    ["error", "script_failed", true],
    ["event", "open"],
  ]);
});

test("the nonce of the page's policy goes to the script", async () => {
  await visit("?policy=nonce");
  await show(`{ children: "Buy", nonce: "a1b2c3" }`);
  await ready("Buy");
  expect(complaints).toEqual([]);
});

test("options the script refuses are the error of the press, and leave no listener", async () => {
  await visit();
  await show(`{ children: "Buy", authenticationToken: "", ${TELLS} }`);
  await ready("Buy");
  await show(`{ children: "Buy", authenticationToken: "", ${TELLS} },
    { children: "Other", clientId: "client_dev_2", ${TELLS} }`);
  await ready("Other");
  await button("Buy").click();
  await button("Other").click();
  expect(await reports()).toEqual(Array(2).fill(["error", "invalid_options", false]));
  expect([await stateOf("Buy"), await stateOf("Other")]).toEqual(["failed", "failed"]);
  expect(await page.evaluate("stub.count()")).toBe(0);
});

test("a checkout that failed is a failed state with the script's error, and may be opened again", async () => {
  await visit();
  await page.evaluate("shop.useHook({ onClose: ({ outcome }) => reports.push(outcome) })");
  await expect.poll(() => page.evaluate("handle.state")).toBe("ready");
  await page.evaluate("handle.open()");
  await page.evaluate(`stub.end({ outcome: "failed", reason: "crashed",
    error: Object.assign(new Error("It crashed."), { code: "crashed", recoverable: true }) })`);
  await expect.poll(() => page.evaluate("handle.state")).toBe("failed");
  expect(await page.evaluate("[handle.error.code, handle.result.reason, reports]")).toEqual([
    "crashed",
    "crashed",
    ["failed"],
  ]);
  await page.evaluate("handle.open()");
  expect(await page.evaluate("[handle.state, handle.error, handle.result]")).toEqual([
    "open",
    undefined,
    undefined,
  ]);
  await page.evaluate("handle.close()");
  await expect.poll(() => page.evaluate("handle.state")).toBe("closed");
});

test("a callback that throws and a token that rejects reach the console, and the state goes on", async () => {
  await visit();
  await show(`{ children: "Buy", authenticationToken: new Promise((_, reject) => setTimeout(reject, 100, new Error("no token"))),
    onClose: () => { throw new Error("the page's mistake"); } }`);
  await ready("Buy");
  await page.waitForTimeout(150);
  await button("Buy").click();
  await page.evaluate("stub.end({ outcome: 'closed', reason: 'user' })");
  await expect.poll(() => stateOf("Buy")).toBe("closed");
  expect(complaints).toEqual(["uncaught: the page's mistake"]);
  expect(await reports()).toEqual([]);
});

test("markup of a server is taken over without a word, and its button opens", async () => {
  await visit("?hydrate");
  await ready("Buy");
  await button("Buy").click();
  expect(await stateOf("Buy")).toBe("open");
  expect([complaints, await reports()]).toEqual([[], []]);
});
