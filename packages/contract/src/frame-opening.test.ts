import { expect, test } from "vitest";
import { isAmongOrigins } from "./frame-opening.ts";

const REGISTERED = ["https://shop.example", "http://localhost:*"];

test.each(["https://shop.example", "http://localhost", "http://localhost:4000"])(
  "%s is registered",
  (origin) => {
    expect(isAmongOrigins(REGISTERED, origin)).toBe(true);
  },
);

test.each([
  "",
  "null",
  "*",
  "http://shop.example",
  "https://shop.example:8443",
  "https://shop.example.evil.test",
  "https://shop.exampl",
  "https://localhost:4000",
  "http://localhost.evil.test",
  "http://localhost:4000.evil.test",
  "http://localhost:*",
  "http://localhost:",
])("%j is not", (origin) => {
  expect(isAmongOrigins(REGISTERED, origin)).toBe(false);
});

test("where nothing is registered, nothing is", () => {
  expect(isAmongOrigins([], "https://shop.example")).toBe(false);
});
