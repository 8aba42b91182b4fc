import { ok, session, TRON_ADDRESS } from "../answers.ts";
import {
  EUR_FOR_BTC,
  fillTestCard,
  next,
  type Scene,
  see,
  seePrice,
  toMethod,
  typeAddress,
} from "./scene.ts";

/** A purchase, from its amount to its review. */
export const BUYING: readonly Scene[] = [
  {
    name: "amount",
    options: EUR_FOR_BTC,
    async play({ page, shoot, shootState }) {
      await seePrice(page);
      await shoot("amount");
      await page.locator("#amount-spend").fill("5");
      await see(page, ".error");
      await shootState("amount-below");
      await page.locator("#amount-spend").fill("abc");
      await next(page);
      await shootState("amount-invalid");
      await page.locator("button.pill").first().click();
      await see(page, ".options");
      await shootState("currency-flags");
      await page.locator(".back").click();
      await page.locator("button.pill").last().click();
      await see(page, ".options");
      await shoot("currency");
      await page.locator("#currency-search").fill("zzz");
      await see(page, ".empty-list");
      await shootState("currency-none");
    },
  },
  {
    name: "amount-operations",
    options: { ...EUR_FOR_BTC, targetCurrency: "NOPE" },
    answers: {
      "GET /session": () =>
        ok(
          session({
            merchant: { name: "Northwind Tea", logoUrl: null, primaryColor: "#0a6b4b" },
            lock: {},
          }),
        ),
    },
    async play({ page, shoot }) {
      await seePrice(page);
      await shoot("amount-operations-coloured-ignored");
    },
  },
  {
    name: "buy",
    options: EUR_FOR_BTC,
    async play({ page, shoot, shootState }) {
      await toMethod(page);
      await shoot("method");
      await next(page);
      await see(page, "#wallet-address");
      await shoot("wallet");
      await next(page);
      await see(page, ".error");
      await shootState("wallet-empty");
      await page.locator("#wallet-address").fill(TRON_ADDRESS);
      await see(page, "#wallet-address[aria-invalid=true]");
      await page.locator("#wallet-address").fill("bc1qwrong");
      await see(page, ".error");
      await shootState("wallet-wrong");
      await typeAddress(page);
      await shootState("wallet-valid");
      await next(page);
      await see(page, "#card-number");
      await shoot("card");
      await next(page);
      await see(page, ".summary-list");
      await shootState("card-errors");
      await fillTestCard(page, 2);
      await shootState("card-filled");
      await page.locator("button.close").click();
      await see(page, "dialog[open]");
      await shoot("leave");
      await page.locator("dialog .main-button").click();
      await next(page);
      await see(page, ".headline");
      await shoot("review");
      await next(page);
      await see(page, ".main-button[aria-disabled=true]");
      await shootState("review-placing");
    },
  },
];
