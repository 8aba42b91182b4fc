import type { CheckoutQuoteRequest } from "@exchange/contract";
import {
  BITCOIN_ADDRESS,
  EVM_ADDRESS,
  NOW,
  ok,
  quoteFor,
  refused,
  session,
  TRON_ADDRESS,
  XRP_ADDRESS,
} from "../answers.ts";
import { methodsOf } from "../catalogue.ts";
import {
  EUR_FOR_BTC,
  inOperation,
  next,
  type Scene,
  see,
  seeChoices,
  seePrice,
  toMethod,
  toReview,
  toWallet,
  typeAddress,
} from "./scene.ts";

const LOCK = {
  operationType: "B",
  baseCurrency: "eur",
  baseAmount: 100,
  paymentMethod: "card",
  walletAddress: BITCOIN_ADDRESS,
} as const;

const [, TRANSFER] = methodsOf("B");
const WIRE = { ...TRANSFER, id: 14, name: "International wire transfer" };
const IDEAL = { ...TRANSFER, id: 11, name: "iDEAL" };
const outsideLimits = [
  { methodId: 14, bound: "min", limit: { amount: 250, currencyCode: "EUR" } },
  { methodId: 11, bound: "max", limit: { amount: 50, currencyCode: "EUR" } },
] as const;

/** The shop fixed the whole exchange. */
const FIXED = {
  operationType: "B",
  baseCurrency: "eur",
  baseAmount: 100,
  targetCurrency: "btc",
} as const;

/** Faults, gaps and locks that a customer meets while choosing. */
export const CHOOSING_STATES: readonly Scene[] = [
  {
    name: "amount-empty",
    async play({ page, shoot }) {
      await see(page, "#amount-spend");
      await next(page);
      await see(page, ".error");
      await shoot("amount-empty");
    },
  },
  {
    name: "amount-loading",
    options: EUR_FOR_BTC,
    answers: { "POST /quotes": () => "silence" },
    async play({ page, shoot }) {
      await see(page, "#amount-spend");
      await next(page);
      await see(page, ".main-button[aria-disabled=true]");
      await shoot("amount-loading");
    },
  },
  {
    name: "amount-no-price",
    options: EUR_FOR_BTC,
    answers: { "POST /quotes": () => refused(500, "INTERNAL_ERROR") },
    async play({ page, shoot }) {
      await see(page, ".price-line .link");
      await shoot("amount-no-price");
    },
  },
  {
    name: "amount-fees",
    options: EUR_FOR_BTC,
    answers: {
      "POST /quotes": () =>
        refused(400, "AMOUNT_BELOW_MINIMUM", {
          details: [{ min: 130, max: 5_000, currencyCode: "EUR", boundBy: "fees" }],
        }),
    },
    async play({ page, shoot }) {
      await see(page, ".error");
      await shoot("amount-fees");
    },
  },
  {
    name: "locked",
    answers: { "GET /session": () => ok(session({ lock: LOCK })) },
    async play({ page, shoot }) {
      await seePrice(page);
      await shoot("amount-locked");
      await next(page);
      await seeChoices(page);
      await shoot("method-locked");
      await next(page);
      await see(page, ".check .good");
      await shoot("wallet-locked");
    },
  },
  {
    name: "fixed",
    answers: { "GET /session": () => ok(session({ lock: FIXED })) },
    async play({ page, shoot }) {
      await see(page, ".deal");
      await shoot("fixed-wallet");
      await page.locator("#wallet-address").fill(BITCOIN_ADDRESS);
      await see(page, ".check .good");
      await next(page);
      await see(page, "#card-number");
      await shoot("fixed-pay");
    },
  },
  {
    name: "method-limits",
    options: EUR_FOR_BTC,
    answers: {
      "GET /payment-methods": () => ok([...methodsOf("B"), WIRE, IDEAL]),
      "POST /quotes": ({ body }) => quoteFor(body as CheckoutQuoteRequest, { outsideLimits }),
    },
    async play({ page, shootState }) {
      await toMethod(page);
      await shootState("method-limits");
    },
  },
  {
    name: "wallet-networks",
    options: { ...EUR_FOR_BTC, targetCurrency: "usdt" },
    async play({ page, shoot }) {
      await toWallet(page);
      await page.locator("#wallet-address").fill(EVM_ADDRESS);
      await see(page, "#wallet-network");
      await next(page);
      await see(page, "#wallet-network .error");
      await shoot("wallet-networks");
    },
  },
  {
    name: "wallet-other-network",
    options: { ...EUR_FOR_BTC, targetCurrency: "usdt-ethereum" },
    async play({ page, shoot }) {
      await toWallet(page);
      await page.locator("#wallet-address").fill(TRON_ADDRESS);
      await see(page, ".error");
      await shoot("wallet-other-network");
    },
  },
  {
    name: "wallet-other-chain",
    options: EUR_FOR_BTC,
    answers: {
      "GET /wallets/lookup": () => ({
        status: 200,
        body: {
          success: false,
          message: "",
          wallet: null,
          availableNetworks: [],
          requiresNetworkCode: false,
          belongsTo: ["tron"],
          addressStarts: ["1", "3", "bc1"],
        },
      }),
    },
    async play({ page, shootState }) {
      await toWallet(page);
      await page.locator("#wallet-address").fill(TRON_ADDRESS);
      await see(page, ".error");
      await shootState("wallet-other-chain");
    },
  },
  {
    name: "wallet-memo",
    options: { ...EUR_FOR_BTC, targetCurrency: "xlm" },
    async play({ page, shoot }) {
      await toWallet(page);
      await next(page);
      await see(page, ".summary-list");
      await shoot("wallet-memo");
    },
  },
  {
    name: "wallet-tag",
    options: { ...EUR_FOR_BTC, targetCurrency: "xrp" },
    async play({ page, shoot }) {
      await toWallet(page);
      await page.locator("#wallet-address").fill(XRP_ADDRESS);
      await see(page, ".check .good");
      await next(page);
      await see(page, "#wallet-memo-error");
      await shoot("wallet-tag");
      await page.locator(".tick input").check();
      await shoot("wallet-tag-none");
    },
  },
  {
    name: "review-bank",
    options: EUR_FOR_BTC,
    async play({ page, shoot }) {
      await toMethod(page);
      await page.locator(".choice input").last().check();
      await next(page);
      await see(page, "#wallet-address");
      await typeAddress(page);
      await next(page);
      await see(page, ".headline");
      await shoot("review-bank");
    },
  },
  {
    name: "review-worse",
    options: EUR_FOR_BTC,
    async play({ page, shoot, answer }) {
      await toReview(page);
      answer({
        "POST /quotes": ({ body }) => quoteFor(body as CheckoutQuoteRequest, { drift: 0.95 }),
      });
      // Late enough for the page to renew the price when it next reads the clock.
      await page.clock.setFixedTime(NOW.getTime() + 26_000);
      await page.evaluate(() => dispatchEvent(new Event("online")));
      await see(page, ".notice-warning");
      await shoot("review-worse");
    },
  },
  {
    name: "review-refused",
    options: EUR_FOR_BTC,
    answers: { "POST /orders": () => refused(409, "PAYOUT_DETAILS_INVALID") },
    async play({ page, shoot }) {
      await toReview(page);
      await next(page);
      await see(page, ".notice-wrong");
      await shoot("review-refused");
    },
  },
  {
    name: "sell-payout-card",
    options: { baseAmount: 0.01 },
    answers: inOperation("S"),
    async play({ page, shoot }) {
      await seePrice(page);
      await next(page);
      await page.locator(".choice input").nth(1).check();
      await next(page);
      await see(page, "#card-number");
      await shoot("sell-payout-card");
    },
  },
  {
    name: "swap",
    options: { baseAmount: 0.5, baseCurrency: "eth" },
    answers: inOperation("CC"),
    async play({ page, shoot }) {
      await seePrice(page);
      await shoot("swap-amount");
      await next(page);
      await see(page, "#wallet-address");
      await shoot("swap-wallet");
      await typeAddress(page);
      await next(page);
      await see(page, ".headline");
      await shoot("swap-review");
    },
  },
];
