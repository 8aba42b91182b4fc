import fc from "fast-check";
import { expect, test } from "vitest";
import { isPlainJson, scanJson } from "./scan.ts";

const name = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom("a", "b", "c", "amount", "constructor", "prototype") },
  { weight: 1, arbitrary: fc.constantFrom("__proto__", "a:b", "", "a b") },
);
const usual = fc.constantFrom('"x"', '""', "true", "null", "0", "-1", "1.5", "999999999999999");
const unusual = fc.oneof(
  fc.constantFrom('"a:b"', '"a,b"', '"\\u0000"', '"\\ud800"', '"a\\"b"', '"ü"'),
  fc.constantFrom("9007199254740993", "1234567890123456", "12345678.12345678"),
  fc.constantFrom("1e2", "1e400", "0.123456789", "[]", "{}", '{"a":1,"a":2}'),
  fc.bigInt({ min: 0n, max: 10n ** 20n }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => JSON.stringify(number)),
);
const value = fc.oneof({ weight: 6, arbitrary: usual }, { weight: 1, arbitrary: unusual });
const space = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom("", " ") },
  { weight: 1, arbitrary: fc.constantFrom("  ", "\n") },
);
const member = fc
  .tuple(name, space, value)
  .map(([key, gap, shown]) => `${JSON.stringify(key)}:${gap}${shown}`);
const body = fc
  .array(member, { minLength: 1, maxLength: 4 })
  .map((members) => `{${members.join(",")}}`);

test("where a body is taken as plain, the scan finds nothing in it", () => {
  let plain = 0;
  fc.assert(
    fc.property(body, (text) => {
      const memberCount = Object.keys(JSON.parse(text)).length;
      if (!isPlainJson(text, memberCount)) return;
      plain += 1;
      expect(scanJson(text)).toBeUndefined();
    }),
    { numRuns: 10_000 },
  );
  expect(plain).toBeGreaterThan(500);
});

test.each(['{"sessionId":"cart-1"}', '{"a":1,"b":2.5,"c":null}', '{"a": "x", "b": true}'])(
  "%s is plain",
  (text) => {
    expect(isPlainJson(text, Object.keys(JSON.parse(text)).length)).toBe(true);
  },
);

test("a name given twice is never plain", () => {
  expect(isPlainJson('{"a":1,"a":2}', 1)).toBe(false);
});
