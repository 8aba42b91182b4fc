import { expect, test } from "vitest";
import { FeeTooHigh } from "../../../domain/ports/chain-sender.ts";
import { isAffordable, pricesFor, sweepCosts, termsOf } from "./fees.ts";
import { feeOf } from "./receipts.ts";
import { wordsOf } from "./words.ts";

const GWEI = 10n ** 9n;
const LIMITS = { feeMax: 21_000n * 100n * GWEI, tipMin: 1n };
const gasLimit = 21_000n;

test("a new transaction has room for a base fee that doubles", () => {
  const prices = pricesFor({ base: 10n * GWEI, tip: 2n * GWEI }, LIMITS, { gasLimit });
  expect(prices).toEqual({ maxFeePerGas: 22n * GWEI, maxPriorityFeePerGas: 2n * GWEI });
  expect(termsOf(gasLimit, prices)).toEqual({
    type: "eip1559",
    gasLimit: "21000",
    maxFeePerGas: "22000000000",
    maxPriorityFeePerGas: "2000000000",
  });
});

test("a replacement raises both prices by an eighth, rounded up, or to the market", () => {
  const before = { maxFeePerGas: 30n * GWEI + 1n, maxPriorityFeePerGas: 3n };
  const quiet = { base: GWEI, tip: 0n };
  const raised = pricesFor(quiet, LIMITS, { gasLimit, before });
  expect(raised).toEqual({ maxFeePerGas: 33_750_000_002n, maxPriorityFeePerGas: 4n });
  const risen = pricesFor({ base: 40n * GWEI, tip: GWEI }, LIMITS, { gasLimit, before });
  expect(risen).toEqual({ maxFeePerGas: 81n * GWEI, maxPriorityFeePerGas: GWEI });
});

test("the limit cuts the room for a rising fee, and refuses what no block takes", () => {
  const near = { base: 90n * GWEI, tip: GWEI };
  expect(pricesFor(near, LIMITS, { gasLimit }).maxFeePerGas).toBe(100n * GWEI);
  const above = { base: 100n * GWEI, tip: 1n };
  expect(() => pricesFor(above, LIMITS, { gasLimit })).toThrow(FeeTooHigh);
  expect(isAffordable(above, LIMITS, { gasLimit })).toBe(false);
  const before = { maxFeePerGas: 90n * GWEI, maxPriorityFeePerGas: GWEI };
  expect(isAffordable({ base: GWEI, tip: 0n }, LIMITS, { gasLimit, before })).toBe(false);
});

test("a network without fees is paid something, so that a replacement can be higher", () => {
  const prices = pricesFor({ base: 0n, tip: 0n }, { ...LIMITS, tipMin: 0n }, { gasLimit });
  expect(prices).toEqual({ maxFeePerGas: 1n, maxPriorityFeePerGas: 0n });
});

test("a replacement of a transaction without a tip has one, because nodes want both prices higher", () => {
  const before = { maxFeePerGas: 8n, maxPriorityFeePerGas: 0n };
  const market = { base: 1n, tip: 0n };
  expect(pricesFor(market, { ...LIMITS, tipMin: 0n }, { gasLimit, before })).toEqual({
    maxFeePerGas: 9n,
    maxPriorityFeePerGas: 1n,
  });
});

test("a sweep offers a quarter more than the next block needs, and a replacement an eighth more", () => {
  const market = { base: 8n * GWEI, tip: GWEI };
  const offered = 11n * GWEI + 1n;
  expect(sweepCosts(market, { gasLimit: 75_000n })).toEqual({
    offered: 75_000n * offered,
    least: 75_000n * 9n * GWEI,
    topUp: gasLimit * offered,
  });
  const raised = sweepCosts(market, { gasLimit, before: 16n * GWEI });
  const fee = gasLimit * 18n * GWEI;
  expect(raised).toEqual({ offered: fee, least: fee, topUp: fee });
});

test("the fee of a rollup has the parts of its parent chain and of its operator", () => {
  const words = wordsOf("a test");
  const own = { gasUsed: "0x5208", effectiveGasPrice: "0xa" };
  const rollup = { ...own, l1Fee: "0x7", operatorFeeScalar: "0x3e8", operatorFeeConstant: "0x5" };
  // 21,000 gas at 10, then 7 for the data, and 21 with 5 for the operator.
  expect(feeOf(words, own)).toBe(210_000n);
  expect(feeOf(words, { ...own, l1Fee: null })).toBe(210_000n);
  expect(feeOf(words, rollup)).toBe(210_000n + 7n + 21n + 5n);
  // A scalar that leaves a part of a unit is rounded down, as the chain does.
  expect(feeOf(words, { ...rollup, operatorFeeScalar: "0x2f" })).toBe(210_000n + 7n + 5n);
  const jovian = { ...rollup, operatorFeeScalar: "0x2", daFootprintGasScalar: "0x190" };
  expect(feeOf(words, jovian)).toBe(210_000n + 7n + 21_000n * 2n * 100n + 5n);
  expect(() => feeOf(words, { ...rollup, operatorFeeConstant: "none" })).toThrow("bad quantity");
});
