import { createHmac } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  ORDER_ID_RANGE_SIZE,
  ORDER_ID_RANGES,
  ORDERS_OF_AN_HOUR,
  orderIdOf,
  type RoundFunction,
} from "./order-id.ts";

const mix: RoundFunction = (round, half) =>
  BigInt(createHmac("sha256", "key").update(`${round}:${half}`).digest().readUInt32BE(0));
const hour = 500_000n;
const idAt = (number: bigint, of = hour): bigint =>
  orderIdOf(number, { environment: "dev", hour: of, mix });

test("no two orders of an hour share an id", () => {
  const ids = new Set<bigint>();
  for (let number = 0n; number < 20_000n; number++) ids.add(idAt(ORDERS_OF_AN_HOUR - 7n + number));
  expect(ids.size).toBe(20_000);
});

test("ids stay in their environment's range, below 2^53, in any hour", () => {
  const numbers = fc.bigInt({ min: 0n, max: 1n << 62n });
  const hours = fc.bigInt({ min: 0n, max: 5_000_000n });
  const environments = fc.constantFrom("dev", "staging", "prod");
  fc.assert(
    fc.property(numbers, hours, environments, (number, of, environment) => {
      const id = orderIdOf(number, { environment, hour: of, mix });
      expect(id >= ORDER_ID_RANGES[environment] + (1n << 40n)).toBe(true);
      expect(id < ORDER_ID_RANGES[environment] + ORDER_ID_RANGE_SIZE).toBe(true);
      expect(Number.isSafeInteger(Number(id))).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test("the ranges of two environments do not touch", () => {
  const starts = Object.values(ORDER_ID_RANGES).sort((a, b) => (a < b ? -1 : 1));
  for (const [index, start] of starts.entries()) {
    const next = starts[index + 1];
    if (next !== undefined) expect(start + ORDER_ID_RANGE_SIZE <= next).toBe(true);
  }
});

test("ids of an hour stand together, before those of the next", () => {
  const numbers = Array.from({ length: 1_000 }, (_, index) => BigInt(index) * 977n);
  const inHour = (of: bigint): number[] => numbers.map((number) => Number(idAt(number, of)));
  expect(Math.max(...inHour(hour))).toBeLessThan(Math.min(...inHour(hour + 1n)));
});

test("neighbouring orders have ids that are far apart, so they tell no number", () => {
  const near = Array.from({ length: 1_000 }, (_, index) => {
    const [a, b] = [idAt(BigInt(index)), idAt(BigInt(index + 1))];
    return a > b ? a - b : b - a;
  }).filter((distance) => distance < ORDERS_OF_AN_HOUR / 1_000n);
  expect(near.length).toBeLessThan(20);
});
