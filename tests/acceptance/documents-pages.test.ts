import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import {
  closePages,
  hasBrowser,
  LOOKS,
  openBrowser,
  openPage,
} from "../support/browser/browser.ts";
import { CheckoutPage } from "../support/browser/checkout-page.ts";
import { type PageServer, servePages } from "../support/browser/page-server.ts";
import { servedBlock } from "../support/documents/blocks.ts";
import {
  createMerchant,
  createToken,
  type Merchant,
  newSessionId,
} from "../support/orders/merchant.ts";

const service = inject("service");
const GUIDE = "guides/integrate-the-checkout";
const REFERENCE = "reference/browser-script";
const LOGO = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E";

/** Code that the pages call and the reader has. */
const OWN = `<script>
  const fetchToken = async () => (await (await fetch("/checkout-token", { method: "POST" })).json()).accessToken;
  const show = (words) => { document.title = words; };
</script>`;

describe.runIf(hasBrowser)(
  "the pages of the documents open the checkout as they are written",
  () => {
    let browser: Browser;
    let merchant: Merchant;
    let pages: PageServer;
    let html = "";
    let token = "";

    beforeAll(async () => {
      pages = await servePages("localhost", ({ pathname }) =>
        pathname === "/checkout-token"
          ? {
              body: JSON.stringify({ accessToken: token }),
              headers: { "content-type": "application/json" },
            }
          : { body: `<!doctype html><html lang="en"><title>Shop</title><body>${html}` },
      );
      merchant = await createMerchant(service, pages.origin);
      browser = await openBrowser();
    });
    afterAll(async () => {
      pages.close();
      await closePages(browser);
    });

    /** Serves the page, does what opens the checkout, and waits for its first screen. */
    async function open(content: string, press?: string): Promise<CheckoutPage> {
      html = content;
      const made = await createToken(service, merchant, { sessionId: newSessionId() });
      token = made.body.data.accessToken;
      const page = await openPage(browser, LOOKS["desktop-light"]);
      const problems: string[] = [];
      page.on("pageerror", (error) => problems.push(String(error)));
      await page.goto(pages.origin);
      if (press) await page.getByRole("button", { name: press }).click();
      const checkout = new CheckoutPage(page);
      await checkout.see("amount");
      expect(problems).toEqual([]);
      return checkout;
    }

    const scriptTag = () =>
      `<script src="${service.url}/v1/sdk/exchange.js?clientId=${merchant.clientId}&env=dev"></script>`;
    /** A page of the reader with a button that runs a program of the documents. */
    const pressToRun = (program: string) =>
      `${scriptTag()}${OWN}<button id="go">Go</button>
<script>document.querySelector("#go").onclick = () => { ${program} };</script>`;

    test("the guide's page", async () => {
      const block = await servedBlock(service, GUIDE, "<script src=");
      await open(block.replace("<client id>", merchant.clientId), "Buy");
    });

    test("the guide's callbacks: a checkout that is closed calls onExit", async () => {
      const { page, frame } = await open(
        pressToRun(await servedBlock(service, GUIDE, "window.exchange.init({")),
        "Go",
      );
      const outcome = page.waitForEvent("console", (message) => message.text() === "closed");
      await frame.getByRole("button", { name: "Close" }).first().click();
      await outcome;
    });

    test("a pinned version", async () => {
      const answer = await fetch(`${service.url}/v1/sdk/exchange.json`);
      const { version, integrity } = (await answer.json()) as Record<
        "version" | "integrity",
        string
      >;
      const block = (
        await servedBlock(service, REFERENCE, `<script src="${service.url}/v1/sdk/exchange-<`)
      )
        .replace("<version>", version)
        .replace("sha384-…", integrity)
        .replace("<client id>", merchant.clientId)
        .replace('"prod"', '"dev"');
      const button = `<button onclick="exchange.init({ authenticationToken: fetchToken })">Go</button>`;
      await open(block + OWN + button, "Go");
    });

    test("calls before the script is loaded", async () => {
      const block = await servedBlock(service, REFERENCE, "<script>\n  window.exchange ||=");
      const early = "<script>exchange.init({ authenticationToken: fetchToken });</script>";
      await open(`${block}${OWN}${early}${scriptTag()}`);
    });

    test("an appearance", async () => {
      const block = await servedBlock(service, REFERENCE, "exchange.init({");
      const program = block.replace("data:image/svg+xml,…", LOGO);
      const checkout = await open(pressToRun(program), "Go");
      const logo = checkout.frame.locator(`img[src="${LOGO}"]`);
      await expect.poll(() => logo.count()).toBe(1);
    });

    test("a button without code", async () => {
      const first = `<script src="${service.url}/v1/sdk/exchange.js?`;
      const block = await servedBlock(service, REFERENCE, first);
      await open(block.replace("clientId=…", `clientId=${merchant.clientId}`), "Buy Bitcoin");
    });
  },
);
