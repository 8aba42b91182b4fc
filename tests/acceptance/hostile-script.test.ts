import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { hasBrowser } from "../support/browser/browser.ts";
import { CheckoutPage } from "../support/browser/checkout-page.ts";
import { type ShopVisits, startShopVisits } from "../support/browser/shop-visits.ts";

const service = inject("service");

declare global {
  interface Window {
    /** Set by a value that became code. */
    readonly attacked?: boolean;
    /** The messages that the script sent to the checkout over its port. */
    readonly sent: { readonly options?: Readonly<Record<string, unknown>> }[];
  }
}

let visits: ShopVisits;

describe.runIf(hasBrowser)("what a hostile query of exchange.js does in a page", () => {
  beforeAll(async () => {
    visits = await startShopVisits(service);
  });
  afterEach(() => visits.closePages());
  afterAll(() => visits.close());

  /** A page of the shop with the script asked for by these parameters, as they are written. */
  async function visit(parameters: string): Promise<Page> {
    const { page } = await visits.visit({
      prepare: (context) => context.addInitScript(recordPorts),
    });
    const { clientId } = visits.merchant;
    const script = `${service.url}/v1/sdk/exchange.js?clientId=${clientId}&env=dev`;
    await page.evaluate(async (src) => {
      // The page's own copy would take the options of a second one, and stay.
      Reflect.deleteProperty(window, "exchange");
      const element = Object.assign(document.createElement("script"), { src });
      await new Promise((resolve) => {
        element.addEventListener("load", resolve);
        element.addEventListener("error", resolve);
        document.body.append(element);
      });
    }, `${script}&${parameters}`);
    return page;
  }

  /** The options that arrive at the checkout. */
  async function openedWith(page: Page): Promise<Readonly<Record<string, unknown>> | undefined> {
    await page.getByRole("button", { name: "Buy" }).click();
    await expect.poll(() => page.evaluate(() => window.sent.length)).toBeGreaterThan(0);
    await new CheckoutPage(page).see("amount");
    return page.evaluate(() => window.sent[0]?.options);
  }

  async function expectNoAttack(page: Page): Promise<void> {
    for (const frame of page.frames()) {
      expect(await frame.evaluate(() => [window.attacked, "attacked" in {}])).toEqual([
        undefined,
        false,
      ]);
    }
  }

  test.each([
    `</script><script>attacked=true</script>`,
    `"+(attacked=true)+"`,
    `');attacked=true;//`,
    "`${attacked=true}`",
    `\\";attacked=true;//`,
    `\u2028attacked=true\u2029`,
    `<img src=x onerror=attacked=true>`,
    `<!--<script>`,
    `javascript:attacked=true`,
    `\u202Egnp.elif\uFEFF`,
    "x".repeat(128),
  ])("%j arrives as that text", async (value) => {
    const page = await visit(`walletAddress=${encodeURIComponent(value)}`);
    expect(await openedWith(page)).toMatchObject({ walletAddress: value });
    await expectNoAttack(page);
  });

  test.each([
    ["a lone surrogate", "walletAddress=%ED%A0%80"],
    ["bytes that are not text", "walletAddress=%C0%AFattacked%FF"],
    ["a value beyond any length", `walletAddress=${"x".repeat(4_000)}`],
    ["a control character", "walletAddress=a%00b"],
    ["a value twice", "walletAddress=a&walletAddress=b"],
    ["an amount that is code", "baseAmount=1;attacked=true"],
  ])("%s is refused or arrives as harmless text", async (_what, parameters) => {
    const page = await visit(parameters);
    if (await page.evaluate(() => window.exchange !== undefined)) {
      const options = await openedWith(page);
      expect(options?.["walletAddress"]).toMatch(/^[^\uD800-\uDFFF]+$/);
    }
    await expectNoAttack(page);
  });

  test("names of the prototype are refused, and change no object", async () => {
    const names = [
      "__proto__",
      "constructor",
      "__proto__[attacked]",
      "constructor.prototype.attacked",
    ];
    const page = await visit(names.map((name) => `${encodeURIComponent(name)}=true`).join("&"));
    expect(await page.evaluate(() => window.exchange !== undefined)).toBe(false);
    await expectNoAttack(page);
  });
});

/** Runs in the page before its scripts. */
function recordPorts(): void {
  const sent: unknown[] = [];
  Object.assign(window, { sent });
  const post = MessagePort.prototype.postMessage;
  MessagePort.prototype.postMessage = function record(this: MessagePort, ...args: [unknown]) {
    sent.push(args[0]);
    return post.apply(this, args);
  };
}
