import Big from "big.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { amountNumber, encodeJson, JsonNumber, jsonNumber, StoredPayload } from "./json-number.ts";

test("plain data is written as JSON.stringify writes it", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      expect(encodeJson(value)).toBe(JSON.stringify(value));
    }),
    { numRuns: 2_000 },
  );
});

test("any text is written as JSON.stringify writes it", () => {
  const text = fc.string({
    unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
  });
  fc.assert(
    fc.property(text, (value) => {
      expect(encodeJson({ [value]: value })).toBe(JSON.stringify({ [value]: value }));
    }),
    { numRuns: 5_000 },
  );
});

test("undefined members are left out, undefined items are null", () => {
  expect(encodeJson({ a: undefined, b: [undefined], c: 1 })).toBe('{"b":[null],"c":1}');
  expect(encodeJson([])).toBe("[]");
  expect(encodeJson([""])).toBe('[""]');
});

test("an exact number is a number token in fixed notation, whatever its size", () => {
  const small = jsonNumber({ units: 1n, scale: 8 });
  const large = jsonNumber({ units: 12_345_678_901_234n, scale: 2 });
  expect(encodeJson({ small, list: [large] })).toBe(
    '{"small":0.00000001,"list":[123456789012.34]}',
  );
  expect(encodeJson(new JsonNumber("1.5"))).toBe("1.5");
});

test("a stored payload stays as it is, to the byte", () => {
  const payload = new StoredPayload('{ "a" : 1e-8 }');
  expect(encodeJson({ payload })).toBe('{"payload":{ "a" : 1e-8 }}');
});

test("what others send is shown without the digits that do not fit, never more than it is", () => {
  const eth = { id: 1, code: "ETH", decimals: 18, publishedDecimals: 8 };
  const shown = (units: bigint) => amountNumber({ asset: eth, units }).text;
  expect(shown(5n)).toBe("0");
  expect(shown(100_000_009_999_999_999n)).toBe("0.1");
  expect(shown(33_333_333_333_333_333n)).toBe("0.03333333");
  expect(shown(123_456_789_123_456_789_000_000_000n)).toBe("123456789.123456");
});

test("an amount is shown as its digits with a point set, without those that are hidden", () => {
  const amounts = fc.record({
    publishedDecimals: fc.nat(8),
    hidden: fc.constantFrom(0, 1, 10),
    shown: fc.bigInt({ min: -(10n ** 15n) + 1n, max: 10n ** 15n - 1n }),
    beyond: fc.bigInt({ min: 0n, max: 10n ** 10n - 1n }),
  });
  fc.assert(
    fc.property(amounts, ({ publishedDecimals, hidden, shown, beyond }) => {
      const step = 10n ** BigInt(hidden);
      const asset = { id: 1, code: "X", decimals: publishedDecimals + hidden, publishedDecimals };
      const plain = new Big(String(shown)).div(new Big(10).pow(publishedDecimals)).toFixed();
      expect(amountNumber({ asset, units: shown * step + (beyond % step) }).text).toBe(plain);
    }),
    { numRuns: 10_000 },
  );
});
