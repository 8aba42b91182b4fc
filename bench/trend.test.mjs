import { expect, test } from "vitest";
import { trendOf } from "./trend.mjs";

const samples = (valueAt) =>
  Array.from({ length: 60 }, (_, index) => ({ minute: index / 2, value: valueAt(index) }));
/** Up and down by ten, without a direction. */
const noise = (index) => 10 * Math.sin(index * 2.4);

test("a line's rise is given for an hour", () => {
  const { anHour, error, grows } = trendOf(samples((index) => 100 + index));
  expect(anHour).toBeCloseTo(120);
  expect(error).toBeCloseTo(0);
  expect(grows).toBe(true);
});

test("values that vary around one level do not grow", () => {
  expect(trendOf(samples((index) => 150 + noise(index))).grows).toBe(false);
  expect(trendOf(samples((index) => 150 - index)).grows).toBe(false);
});

test("a slow leak shows through noise that is larger than it", () => {
  expect(trendOf(samples((index) => 150 + noise(index) + index * 0.3)).grows).toBe(true);
});

test("a steady rise of less than a twentieth an hour is not growth", () => {
  expect(trendOf(samples((index) => 150 + index * 0.05)).grows).toBe(false);
});
