import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { axeFaults } from "../support/browser/axe.ts";
import { hasBrowser } from "../support/browser/browser.ts";
import { CheckoutPage } from "../support/browser/checkout-page.ts";
import { type PopupVisits, startPopupVisits } from "../support/browser/popup-visits.ts";
import { BITCOIN_ADDRESS, CARDS } from "../support/orders/purchase.ts";

const service = inject("service");
const FIXED = { operationType: "B", baseCurrency: "eur", baseAmount: 100, targetCurrency: "btc" };

let visits: PopupVisits;

describe.runIf(hasBrowser)("the fields of the checkout", () => {
  beforeAll(async () => {
    visits = await startPopupVisits(service);
  });
  afterEach(() => visits.closePages());
  afterAll(() => visits.close());

  test("D24, 4.10: the picker searches at once, keeps its height, and asks for a network second", async () => {
    const page = await visits.visit("B");
    const checkout = await visits.open(page);
    await checkout.button(/^BTC, change the currency/).click();
    const dialog = page.locator("[data-exchange] dialog");
    const search = checkout.frame.getByRole("searchbox", { name: "Search" });
    await search.waitFor();
    await expect
      .poll(() => search.evaluate((field) => field === document.activeElement))
      .toBe(true);
    const coins = checkout.frame.locator(".options > li");
    // A currency has a mark of its own, not the first letter of its code.
    await coins.first().locator("svg.mark").waitFor();
    await expect.poll(() => coins.count()).toBeGreaterThan(20);
    // One row for a coin, although it has eight networks.
    expect(await coins.filter({ hasText: "USDT" }).count()).toBe(1);
    expect(await axeFaults(page)).toEqual([]);
    const height = async () => (await dialog.boundingBox())?.height;
    const before = await height();
    await page.keyboard.type("zzz");
    await checkout.frame.getByText("Nothing matches").waitFor();
    expect(await height()).toBe(before);
    await search.fill("tether");
    const tron = checkout.button(/^Tron$/);
    await tron.waitFor();
    await search.fill("");
    const tether = checkout.button(/^Tether USD/);
    expect(await tether.getAttribute("aria-expanded")).toBe("false");
    await tether.press("Enter");
    expect(await axeFaults(page)).toEqual([]);
    await tron.press("Enter");
    await checkout.see("amount");
    await checkout.frame.getByText("on Tron").waitFor();
  });

  test("an address is pasted with a button", async () => {
    const page = await visits.visit(
      "B",
      { permissions: ["clipboard-read", "clipboard-write"] },
      FIXED,
    );
    await page.evaluate(
      (link) => navigator.clipboard.writeText(link),
      `bitcoin:${BITCOIN_ADDRESS}?amount=0.1`,
    );
    await page.keyboard.press("Enter");
    const frame = page.frameLocator("[data-exchange] iframe");
    await frame.getByRole("button", { name: "Paste" }).click();
    await frame.getByText("valid Bitcoin address").waitFor();
    const field = frame.getByLabel("Your BTC address");
    expect(await field.inputValue()).toBe(BITCOIN_ADDRESS);
    expect(await field.evaluate((each) => each === document.activeElement)).toBe(true);
  });

  /** Opens the wallet's screen in a browser that detects QR codes, with a camera that shows this text, or that is refused. */
  async function openScanner(text: string | undefined) {
    const page = await visits.visit("B", {}, FIXED);
    // The browsers of the tests have neither a detector nor a camera.
    await page.context().addInitScript((rawValue) => {
      const getUserMedia = async (): Promise<MediaStream> => {
        if (rawValue === undefined) throw new DOMException("no", "NotAllowedError");
        const canvas = document.createElement("canvas");
        canvas.getContext("2d")?.fillRect(0, 0, 9, 9);
        const stream = canvas.captureStream();
        return Object.assign(window, { stream }).stream;
      };
      Object.assign(navigator.mediaDevices, { getUserMedia });
      const detect = async (): Promise<object[]> => [{ rawValue }];
      Object.assign(window, {
        BarcodeDetector: class {
          detect = detect;
        },
      });
    }, text);
    await page.reload();
    await page.getByRole("button", { name: "Buy" }).click();
    const checkout = new CheckoutPage(page);
    await checkout.see("wallet");
    await checkout.button("Scan").click();
    return { page, checkout };
  }

  test("an address is scanned with the camera, which is off afterwards", async () => {
    const { page, checkout } = await openScanner(`bitcoin:${BITCOIN_ADDRESS}?amount=0.1`);
    await checkout.frame.getByText("valid Bitcoin address").waitFor();
    const field = checkout.frame.getByLabel("Your BTC address");
    expect(await field.inputValue()).toBe(BITCOIN_ADDRESS);
    expect(await field.evaluate((each) => each === document.activeElement)).toBe(true);
    const states = await page
      .frames()[1]
      ?.evaluate(() =>
        (window as unknown as { stream: MediaStream }).stream
          .getTracks()
          .map((track) => track.readyState),
      );
    expect(states).toEqual(["ended"]);
  });

  test("a refused camera is explained, and Escape closes the scanner only", async () => {
    const { page, checkout } = await openScanner(undefined);
    await checkout.frame.getByText("The camera isn't available").waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await checkout.frame.getByRole("dialog").waitFor({ state: "detached" });
    await checkout.see("wallet");
  });

  test("a browser without a detector offers no scan", async () => {
    const page = await visits.visit("B", {}, FIXED);
    await page.keyboard.press("Enter");
    const checkout = new CheckoutPage(page);
    await checkout.see("wallet");
    await checkout.button("Paste").waitFor();
    expect(await checkout.button("Scan").count()).toBe(0);
  });

  test("a latin name keeps its order in Arabic, and a country that is not served is not offered", async () => {
    const page = await visits.visit("B", { locale: "ar" }, FIXED);
    await page.keyboard.press("Enter");
    const frame = page.frameLocator("[data-exchange] iframe");
    await frame.locator("textarea").fill(BITCOIN_ADDRESS);
    await frame.locator("button.main-button").click();
    const name = frame.locator("#card-name");
    await name.fill("1 Main St");
    expect(await name.evaluate((field) => getComputedStyle(field).direction)).toBe("ltr");
    const countries = frame.locator("#billing-country option");
    await expect.poll(() => countries.count()).toBeGreaterThan(200);
    const codes = await countries.evaluateAll((options) =>
      options.map((option) => (option as HTMLOptionElement).value),
    );
    expect(codes.filter((code) => ["CU", "IR", "KP", "SY"].includes(code))).toEqual([]);
    await frame.locator("#card-number").fill(CARDS.visa);
    expect(await axeFaults(page)).toEqual([]);
  });

  test("the dialog has an edge where the device forces its colours", async () => {
    const page = await visits.visit("B", { forcedColors: "active" });
    await visits.open(page);
    const edge = await page
      .locator("[data-exchange] dialog")
      .evaluate((dialog) => getComputedStyle(dialog).outlineColor);
    expect(edge).not.toMatch(/^rgba\(.*, 0\)$/);
  });

  test("a step slides in, and stands still on a device that wants no motion", async () => {
    for (const reducedMotion of ["no-preference", "reduce"] as const) {
      const page = await visits.visit("B", { reducedMotion });
      const checkout = await visits.open(page);
      const moved = await checkout.frame
        .locator(".main")
        .evaluate((main) => getComputedStyle(main).animationName);
      expect(/\bstep\b/.test(moved)).toBe(reducedMotion !== "reduce");
    }
  });
});
