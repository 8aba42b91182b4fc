import fc from "fast-check";
import { expect, test } from "vitest";
import type { SweepCosts } from "../ports/chain-sweeper.ts";
import { planSweep, type Sweepable, type SweepRules } from "./sweep-plan.ts";

const HOUR = 3_600_000;
const RULES: SweepRules = {
  aboveCents: 5_000n,
  ageMaxMs: 24 * HOUR,
  leftUnits: 0n,
  feeMax: 10n ** 16n,
};
/** A coin of 2,000 euro with 18 decimals. */
const centsOf = (coins: bigint): bigint => (coins * 200_000n + 10n ** 18n - 1n) / 10n ** 18n;
const OFFERED = 12_250_000_001n;
/** The costs of a sweep at two prices of gas, where the top-up before it takes 21,000 gas. */
const costsOf = (
  gasLimit: bigint,
  least: bigint,
  offered = (least * 5n) / 4n + 1n,
): SweepCosts => ({
  offered: gasLimit * offered,
  least: gasLimit * least,
  topUp: 21_000n * offered,
});
const PRICES = { costs: costsOf(21_000n, 10n ** 10n, OFFERED), centsOf };
const TOKEN = { costs: costsOf(75_000n, 10n ** 10n, OFFERED), centsOf };
const coin = (units: bigint, ageMs = 0): Sweepable => ({
  units,
  cents: centsOf(units),
  ageMs,
  isCoin: true,
  coins: units,
});
const token = (cents: bigint, coins = 0n, ageMs = 0): Sweepable => ({
  units: cents * 10_000n,
  cents,
  ageMs,
  isCoin: false,
  coins,
});

test("a coin is swept whole: what moves and the fee are all there was", () => {
  const units = 10n ** 17n;
  expect(planSweep(coin(units), PRICES, RULES)).toEqual({
    kind: "sweep",
    units: units - 21_000n * OFFERED,
    fee: 21_000n * OFFERED,
  });
});

test("where a network takes a further fee, the chosen units stay", () => {
  const plan = planSweep(coin(10n ** 17n), PRICES, { ...RULES, leftUnits: 7n });
  expect(plan).toMatchObject({ units: 10n ** 17n - 21_000n * OFFERED - 7n });
});

test("where the hot wallet pays the fee nothing is left, and the fee is weighed all the same", () => {
  const costs = { offered: 10n ** 12n, least: 10n ** 12n, topUp: 0n, isPaidByHot: true } as const;
  const prices = { costs, centsOf };
  const units = 10n ** 17n;
  const fee = costs.offered;
  expect(planSweep(coin(units), prices, RULES)).toEqual({ kind: "sweep", units, fee });
  const dear = { ...prices, costs: { ...costs, offered: 10n ** 15n * 2n } };
  expect(planSweep(coin(units), dear, RULES)).toEqual({ kind: "wait" });
  expect(planSweep(coin(units), prices, { ...RULES, feeMax: fee - 1n })).toEqual({ kind: "wait" });
});

test("a token is topped up to the unit, and then swept with what is there", () => {
  const fee = 75_000n * OFFERED;
  expect(planSweep(token(100_000n, 5n), TOKEN, RULES)).toEqual({
    kind: "top_up",
    units: fee - 5n,
    fee,
  });
  expect(planSweep(token(100_000n, fee), TOKEN, RULES)).toEqual({
    kind: "sweep",
    units: 100_000n * 10_000n,
    fee,
  });
  // The market rose since the top-up, and the coins still cover it.
  const less = 75_000n * 11_000_000_000n + 3n;
  expect(planSweep(token(100_000n, less), TOKEN, RULES)).toMatchObject({
    kind: "sweep",
    fee: less,
  });
});

test.each([
  ["little value", coin(10n ** 15n)],
  ["a fee above a hundredth", token(6_000n)],
  ["nothing at all", coin(0n, 48 * HOUR)],
  ["old dust that costs more than it brings", token(20n, 0n, 48 * HOUR)],
])("%s waits", (_, found) => {
  expect(planSweep(found, found.isCoin ? PRICES : TOKEN, RULES)).toEqual({ kind: "wait" });
});

test("after a day whatever is worth more than its fee is swept", () => {
  expect(planSweep(coin(10n ** 15n, 24 * HOUR), PRICES, RULES)).toMatchObject({ kind: "sweep" });
  expect(planSweep(token(6_000n, 0n, 24 * HOUR), TOKEN, RULES)).toMatchObject({ kind: "top_up" });
});

test("nothing is planned above the limit of fees", () => {
  const costs = costsOf(21_000n, 10n ** 12n);
  const dear = { costs, centsOf };
  expect(planSweep(coin(10n ** 20n), dear, RULES)).toEqual({ kind: "wait" });
});

test("no plan spends more than is there, nor moves nothing", () => {
  const amount = fc.bigInt({ min: 0n, max: 10n ** 19n });
  const price = fc.bigInt({ min: 0n, max: 10n ** 12n });
  fc.assert(
    fc.property(
      fc.record({ units: amount, coins: amount, least: price, isCoin: fc.boolean() }),
      fc.integer({ min: 0, max: 48 * HOUR }),
      ({ units, coins, least, isCoin }, ageMs) => {
        const gasLimit = isCoin ? 21_000n : 75_000n;
        const native = isCoin ? units : coins;
        const found = { units, cents: units / 10n ** 12n, ageMs, isCoin, coins: native };
        const costs = costsOf(gasLimit, least);
        const plan = planSweep(found, { costs, centsOf }, RULES);
        if (plan.kind === "wait") return;
        const { fee } = plan;
        expect(plan.units).toBeGreaterThan(0n);
        expect(fee).toBeLessThanOrEqual(RULES.feeMax);
        expect(fee / gasLimit).toBeGreaterThanOrEqual(least);
        if (plan.kind === "top_up") expect(native + plan.units).toBe(fee);
        else if (isCoin) expect(plan.units + fee).toBe(units);
        else expect(fee).toBeLessThanOrEqual(native);
      },
    ),
  );
});
