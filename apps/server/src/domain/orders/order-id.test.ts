import { createHmac } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ORDER_ID_RANGE_SIZE, ORDER_ID_RANGES, orderIdOf, type RoundFunction } from "./order-id.ts";

const mix: RoundFunction = (round, half) =>
  BigInt(createHmac("sha256", "key").update(`${round}:${half}`).digest().readUInt32BE(0));

test("no two orders share an id", () => {
  const ids = new Set<bigint>();
  for (let number = 0n; number < 20_000n; number++) {
    ids.add(orderIdOf(number, { environment: "dev", mix }));
  }
  expect(ids.size).toBe(20_000);
});

test("ids stay in their environment's range, below 2^53", () => {
  const numbers = fc.bigInt({ min: 0n, max: ORDER_ID_RANGE_SIZE - 1n });
  fc.assert(
    fc.property(numbers, fc.constantFrom("dev", "staging", "prod"), (number, environment) => {
      const id = orderIdOf(number, { environment, mix });
      expect(id >= ORDER_ID_RANGES[environment]).toBe(true);
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

test("neighbouring orders have ids that are far apart", () => {
  const near = Array.from({ length: 1000 }, (_, index) => {
    const a = orderIdOf(BigInt(index), { environment: "dev", mix });
    const b = orderIdOf(BigInt(index + 1), { environment: "dev", mix });
    return a > b ? a - b : b - a;
  }).filter((distance) => distance < 1_000_000n);
  expect(near.length).toBeLessThan(5);
});

test("a number beyond the range is refused", () => {
  const place = { environment: "dev", mix } as const;
  expect(() => orderIdOf(ORDER_ID_RANGE_SIZE, place)).toThrow(RangeError);
  expect(() => orderIdOf(-1n, place)).toThrow(RangeError);
});
