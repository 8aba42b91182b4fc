import { parseDecimal } from "@exchange/money";
import { expect, test } from "vitest";
import { found } from "../../testing/catalogue.ts";
import { guardPeg } from "./pegs.ts";
import { ageMarkup, isMarketClosed, isTargetDay } from "./reference.ts";

const at = (text: string): number => Date.parse(`${text}:00Z`);

// 2026-11-20 is a Friday.
test.each([
  ["Friday noon", "2026-11-20T12:00", 0],
  ["Friday night", "2026-11-20T22:00", 50],
  ["Saturday", "2026-11-21T12:00", 50],
  ["Sunday evening", "2026-11-22T21:59", 75],
  ["Monday morning", "2026-11-23T10:00", 25],
  ["Tuesday morning, with rates of Friday", "2026-11-24T10:00", 50],
  ["five days later", "2026-11-25T15:00", 100],
  ["a week later", "2026-11-27T10:00", "the reference rates are of 2026-11-20"],
])("reference rates of Friday cost more on %s", (_when, now, expected) => {
  const markup = ageMarkup("2026-11-20", at(now));
  expect("refusal" in markup ? markup.refusal : markup.basisPoints).toBe(expected);
});

test("reference rates of a future day are refused", () => {
  const markup = ageMarkup("2026-11-30", at("2026-11-20T12:00"));
  expect(markup).toMatchObject({ refusal: expect.stringContaining("a future day") });
});

test.each([
  ["2026-11-20T21:59", false],
  ["2026-11-20T22:00", true],
  ["2026-11-22T21:59", true],
  ["2026-11-22T22:00", false],
])("currency markets are closed at %s: %s", (now, closed) => {
  expect(isMarketClosed(at(now))).toBe(closed);
});

test.each([
  ["2026-11-20", true],
  ["2026-11-21", false],
  ["2026-12-25", false],
  ["2026-05-01", false],
  ["2026-04-03", false],
  ["2026-04-06", false],
  ["2026-04-07", true],
  ["2027-03-26", false],
  ["2027-03-29", false],
  ["2028-04-14", false],
])("the euro is settled on %s: %s", (day, isOpen) => {
  expect(isTargetDay(at(`${day}T12:00`))).toBe(isOpen);
});

test.each([
  ["1.0004", {}],
  ["0.992", { warning: "80 basis points off its peg" }],
  ["0.93", { refusal: "off its peg by 700 basis points" }],
  ["1.031", { refusal: "off its peg by 310 basis points" }],
])("a coin of one dollar that is worth %s", (price, guarded) => {
  expect(guardPeg(found(parseDecimal(price)), { units: 1n, scale: 0 })).toEqual(guarded);
});
