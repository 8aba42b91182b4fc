import { expect, test } from "vitest";
import { contrast, inkOn, readColour } from "./appearance.ts";

test("black on white has the greatest contrast", () => {
  expect(contrast([0, 0, 0], [255, 255, 255])).toBeCloseTo(21, 5);
  expect(contrast([119, 119, 119], [255, 255, 255])).toBeCloseTo(4.48, 2);
});

test("only plain hexadecimal colours are read", () => {
  expect(readColour("#1a2B3c")).toEqual([26, 43, 60]);
  expect(readColour("#fff")).toEqual([255, 255, 255]);
  expect(readColour("url(https://evil.test)")).toBeUndefined();
  expect(readColour("red;background:url(x)")).toBeUndefined();
});

test("text is legible on any background", () => {
  for (let value = 0; value <= 255; value += 5) {
    const background = [value, 255 - value, (value * 7) % 256] as const;
    expect(contrast(background, inkOn(background))).toBeGreaterThanOrEqual(4.5);
  }
});
