import { BITCOIN_ADDRESS } from "../answers.ts";
import { inOperation, next, type Scene, see, seeChoices, seePrice, toMethod } from "./scene.ts";

const IBAN = "DE89 3704 0044 0532 0130 00";

/** A sale, a swap and a transfer, each as far as its review. */
export const OTHER_OPERATIONS: readonly Scene[] = [
  {
    name: "sell",
    options: { baseAmount: 0.01 },
    answers: inOperation("S"),
    async play({ page, shoot, shootState }) {
      await seePrice(page);
      await shoot("sell-amount");
      await next(page);
      await seeChoices(page);
      await shoot("sell-delivery");
      await next(page);
      await see(page, "#payout-iban");
      await shoot("sell-payout");
      await next(page);
      await see(page, ".summary-list");
      await shootState("sell-payout-errors");
      await page.locator("#payout-accountHolder").fill("Ada Lovelace");
      await page.locator("#payout-iban").fill(IBAN);
      await page.locator("#refund-address").fill(BITCOIN_ADDRESS);
      await see(page, ".check .good");
      await next(page);
      await see(page, ".headline");
      await shoot("sell-review");
    },
  },
  {
    name: "transfer",
    options: { baseAmount: 100, targetCurrency: "usd" },
    answers: inOperation("FF"),
    async play({ page, shoot, shootState }) {
      await toMethod(page);
      await next(page);
      await see(page, ".choices .choice:nth-of-type(3)");
      await seeChoices(page);
      await shootState("transfer-delivery");
      await page.locator(".choice input").last().check();
      await next(page);
      await see(page, "#payout-phone");
      await shoot("transfer-payout");
    },
  },
];
