import { money } from "@exchange/money";
import { expect, test } from "vitest";
import type { Entry } from "../../domain/ledger/entry.ts";
import { floatEntry } from "../../domain/ledger/house-entries.ts";
import { exchangeEntries, suspenseEntry } from "../../domain/ledger/order-entries.ts";
import { amountWordsOf } from "./amounts.ts";
import { entryWords } from "./ledger-words.ts";

const EUR = { id: 1, code: "EUR", decimals: 2, publishedDecimals: 2 };
const BTC = { id: 2, code: "BTC", decimals: 8, publishedDecimals: 8 };
const amount = amountWordsOf(
  new Map([
    [1, EUR],
    [2, BTC],
  ]),
);

/** Returns the sentences of an entry's postings, as the command prints them. */
const sentencesOf = (...entries: readonly Entry[]): string[] =>
  entries.flatMap(({ key, kind, asset, postings }) => {
    const shown = postings.map(({ purpose, units }) => ({ purpose, units: String(units) }));
    const entry = { at: "2026-01-31T12:00:00Z", key, kind, assetId: asset.id, reverses: null };
    return entryWords({ ...entry, postings: shown }, amount)
      .slice(1)
      .map((line) => line.trim());
  });

test("a purchase gives us the customer's euros and takes bitcoin out of our stock", () => {
  const exchange = {
    orderId: 1n,
    spend: money(EUR, 10_000n),
    receive: money(BTC, 120_000n),
    transactionFee: money(BTC, 1_500n),
    deliveryFee: money(BTC, 300n),
    spread: money(BTC, 326n),
  };
  expect(sentencesOf(...exchangeEntries(exchange))).toEqual([
    "100 EUR less: the customer's money that we hold",
    "100 EUR more: our own stock",
    "0.00122126 BTC less: our own stock",
    "0.0012 BTC more: our debt to the customer",
    "0.000015 BTC more: our earnings from the fee",
    "0.000003 BTC more: our earnings from the delivery fee",
    "0.00000326 BTC more: our earnings from the spread",
  ]);
});

test("coins that we put into a wallet make both the wallet and our own money there more", () => {
  const float = { networkCode: "bitcoin", name: "a:0", amount: money(BTC, 100n) };
  expect(sentencesOf(floatEntry({ ...float, direction: "in" }))).toEqual([
    "0.000001 BTC more: our wallets",
    "0.000001 BTC more: what we put into our wallets",
  ]);
});

test("a deposit of an order that a restore lost makes the suspended money more", () => {
  const lost = { kind: "deposit", name: "a:0", rail: "chain", amount: money(BTC, 100n) } as const;
  expect(sentencesOf(suspenseEntry(lost))).toEqual([
    "0.000001 BTC more: our wallets",
    "0.000001 BTC more: money of orders that a restore lost",
  ]);
});
