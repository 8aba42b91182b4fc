import { parseDecimal } from "@exchange/money";
import fc from "fast-check";
import { expect, test } from "vitest";
import { toExact } from "./wire.ts";

test("an amount is to the digit what its text says", () => {
  const numbers = fc.oneof(
    fc.maxSafeInteger(),
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }),
    fc.constantFrom(0, -0, 2 ** 53, -(2 ** 53), 1e15, 0.1),
  );
  fc.assert(
    fc.property(numbers, (value) => {
      expect(toExact(value)).toEqual(parseDecimal(String(value)));
    }),
    { numRuns: 10_000 },
  );
});
