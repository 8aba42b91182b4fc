import { beforeAll, expect, test } from "vitest";
import { speak } from "../copy/speech.ts";
import { NO_QUOTE } from "../machine/state.ts";
import { CATALOGUE, openAs } from "../machine/testing.ts";
import { amountError } from "./amount-error.ts";

const [, onEthereum, onTron] = CATALOGUE.currencies.cryptoCurrencies;

beforeAll(() => speak("en"));

test("a limit is of the amount to pay, also between two networks of one coin", () => {
  if (!onEthereum || !onTron) throw new Error("the test catalogue has one coin on one network");
  const limit = { amount: 20, currencyCode: "USDT" };
  const errorOf = (bound: "min" | "max"): string | undefined => {
    const fault = { kind: "limit", bound, limit } as const;
    const quote = { ...NO_QUOTE, status: "failed", fault } as const;
    return amountError(openAs("CC", { spend: onEthereum, receive: onTron, quote }));
  };
  expect(errorOf("min")).toBe("Minimum 20\u00a0USDT");
  expect(errorOf("max")).toBe("Maximum 20\u00a0USDT");
});
