import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { axeFaults } from "../support/browser/axe.ts";
import {
  closePages,
  hasBrowser,
  LOOKS,
  openBrowser,
  openPage,
} from "../support/browser/browser.ts";
import { CheckoutPage } from "../support/browser/checkout-page.ts";
import { type PageServer, servePages } from "../support/browser/page-server.ts";
import { createMerchant, type Merchant } from "../support/orders/merchant.ts";
import { CARDS, startSession } from "../support/orders/purchase.ts";

const service = inject("service");
const LOGO = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 1 1'/%3E";

let browser: Browser;
let shop: PageServer;
let merchant: Merchant;

/** The button of the reference, on a page whose server answers with the token as the service sent it. */
const html = (attributes: string, isLate: boolean): string => {
  const address = `${service.url}/v1/sdk`;
  const script = `${address}/exchange.js?clientId=${merchant.clientId}&env=dev`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Test shop</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<script src="${address}/exchange-button.js"></script>
${isLate ? "" : `<script src="${script}"></script>`}
</head><body><main><h1>Test shop</h1>
<exchange-button token-url="/token" operation-type="buy" base-currency="cad" base-amount="100" target-currency="btc" ${attributes}>
Buy Bitcoin</exchange-button><div id="place"></div></main>
<script>
window.said = [];
for (const name of ["open", "success", "exit"]) {
  document.querySelector("exchange-button").addEventListener("exchange:" + name, ({ detail }) => said.push([name, detail.outcome ?? detail.result?.outcome]));
}
window.load = () => document.head.append(Object.assign(document.createElement("script"), { src: ${JSON.stringify(script)} }));
</script></body></html>`;
};

describe.runIf(hasBrowser)("<exchange-button>", () => {
  beforeAll(async () => {
    browser = await openBrowser();
    shop = await servePages("localhost", ({ pathname, searchParams }) => {
      if (pathname !== "/token") {
        return { body: html(searchParams.get("with") ?? "", searchParams.has("late")) };
      }
      const data = { accessToken: token };
      return { body: JSON.stringify({ data }), headers: { "content-type": "application/json" } };
    });
    merchant = await createMerchant(service, shop.origin);
  });
  afterEach(() => closePages(browser));
  afterAll(async () => {
    await closePages(browser);
    shop.close();
  });

  let token = "";
  async function visit(attributes: string, look: keyof typeof LOOKS = "desktop-light", more = "") {
    token = (await startSession(service, merchant)).token;
    const page = await openPage(browser, LOOKS[look]);
    await page.goto(`${shop.origin}/?with=${encodeURIComponent(attributes)}${more}`);
    return page;
  }
  const press = (page: Page) => page.getByRole("button", { name: "Buy Bitcoin" }).click();

  test("opens a dialog, and the purchase in it is told to the element", async () => {
    const page = await visit("");
    expect(await axeFaults(page)).toEqual([]);
    await press(page);
    const checkout = new CheckoutPage(page);
    await checkout.see("amount");
    expect(await page.getByRole("dialog").count()).toBe(1);
    expect(await axeFaults(page)).toEqual([]);
    await checkout.goTo("review", CARDS.visa);
    await checkout.pay();
    await checkout.see("done");
    await checkout.button(/^(Done|Back to )/).click();
    await expect.poll(() => page.evaluate("said.length")).toBe(3);
    expect(await page.evaluate("said")).toEqual([
      ["open", undefined],
      ["success", "paid"],
      ["exit", "paid"],
    ]);
    expect(await page.evaluate("document.activeElement.localName")).toBe("exchange-button");
  });

  test("opens a window", async () => {
    const page = await visit(`display="popup"`);
    const [popup] = await Promise.all([page.waitForEvent("popup"), press(page)]);
    await Object.assign(new CheckoutPage(popup), { frame: popup }).see("amount");
    expect(await axeFaults(page)).toEqual([]);
  });

  test.each(["desktop-light", "phone-dark"] as const)(
    "shows the checkout inline on %s, where Escape does not close it",
    async (look) => {
      const page = await visit(`container="#place"`, look);
      await press(page);
      const checkout = new CheckoutPage(page);
      await checkout.see("amount");
      expect(await axeFaults(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await checkout.see("amount");
      expect(await page.getByRole("dialog").count()).toBe(0);
      const inner = await page
        .frames()[1]
        ?.evaluate("[innerWidth, document.documentElement.scrollWidth]");
      expect((inner as number[])[1]).toBeLessThanOrEqual((inner as number[])[0] ?? 0);
    },
  );

  test("waits for a script that comes later", async () => {
    const page = await visit("", "desktop-light", "&late");
    await press(page);
    const button = page.getByRole("button", { name: "Buy Bitcoin" });
    expect(await button.getAttribute("aria-busy")).toBe("true");
    await press(page);
    await page.evaluate("load()");
    await new CheckoutPage(page).see("amount");
    expect(await button.getAttribute("aria-busy")).toBe(null);
    expect(await page.evaluate("said")).toEqual([["open", undefined]]);
  });

  describe("appearance", () => {
    const style = (page: Page, name: string) =>
      page
        .frames()[1]
        ?.evaluate(`getComputedStyle(document.documentElement).getPropertyValue("${name}")`);
    async function open(appearance: object) {
      const page = await visit(
        `appearance='${JSON.stringify(appearance).replaceAll("'", "&#39;")}'`,
      );
      const said: string[] = [];
      page.on("console", (message) => said.push(message.text()));
      await press(page);
      await new CheckoutPage(page).see("amount");
      return { page, said };
    }

    test("sets colour, corners, logo and mode", async () => {
      const { page, said } = await open({
        accent: "#0a7d4f",
        radius: 3,
        logo: LOGO,
        mode: "light",
      });
      expect(await style(page, "--accent")).toBe("rgb(10 125 79)");
      expect(await style(page, "--accent-ink")).toBe("rgb(255 255 255)");
      expect(await style(page, "--radius")).toBe("3px");
      expect(await page.frames()[1]?.getAttribute("html", "data-theme")).toBe("light");
      expect(await page.frames()[1]?.getAttribute(".logo", "src")).toBe(LOGO);
      expect(await axeFaults(page)).toEqual([]);
      expect(said).toEqual([]);
    });

    test("without contrast, or wrong, is left out and named in the console", async () => {
      const { page, said } = await open({
        accent: "#fffbe6",
        radius: 21,
        logo: "https://shop.example/logo.svg",
        colour: "red",
      });
      expect(await style(page, "--accent")).not.toContain("255 251 230");
      expect(await style(page, "--radius")).not.toBe("21px");
      await expect
        .poll(() => said.toSorted())
        .toEqual([
          "exchange: #fffbe6 has a contrast of 1.0 with the light background, and needs 3. It is not used.",
          "exchange: appearance.colour is not an option. Use one of: accent, radius, logo, mode. It is not used.",
          "exchange: appearance.logo must be an image as a data:image/ URL. It is not used.",
          "exchange: appearance.radius must be a number of pixels from 0 to 20. It is not used.",
        ]);
    });
  });
});
