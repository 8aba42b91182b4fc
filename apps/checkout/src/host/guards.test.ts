import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readFrameAddress } from "./address.ts";
import { isWelcome, readHostMessage } from "./guards.ts";

const EXPECTED = { instance: "0123456789abcdef", load: "load-1" };
const WELCOME = { protocol: "exchange.v1", type: "welcome", version: 1, ...EXPECTED };

describe("a welcome", () => {
  test("counts when every field is the expected one", () => {
    expect(isWelcome(WELCOME, EXPECTED)).toBe(true);
  });

  test.each([
    ["another instance", { instance: "fedcba9876543210" }],
    ["another page load", { load: "load-2" }],
    ["another protocol", { protocol: "exchange.v2" }],
    ["another version", { version: 2 }],
    ["another type", { type: "hello" }],
  ])("is dropped for %s", (_, change) => {
    expect(isWelcome({ ...WELCOME, ...change }, EXPECTED)).toBe(false);
  });

  test("is never recognized in a message of a hostile page", () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true }), (value) => {
        expect(isWelcome(value, EXPECTED)).toBe(false);
      }),
      { numRuns: 10_000 },
    );
  });
});

describe("a host message", () => {
  test("carries the token and the expected options only", () => {
    const options = { baseAmount: 100, baseCurrency: "EUR", evil: "<img>", theme: "dark" };
    expect(readHostMessage({ type: "init", token: "t", options })).toEqual({
      type: "init",
      token: "t",
      options: { baseAmount: 100, baseCurrency: "EUR", theme: "dark" },
    });
  });

  test.each([
    ["buy", "B"],
    ["sell", "S"],
    ["swap", "CC"],
    ["transfer", "FF"],
    ["FF", "FF"],
  ])("may name the operation %s", (operationType, code) => {
    const message = readHostMessage({ type: "init", token: "t", options: { operationType } });
    expect(message).toMatchObject({ options: { operationType: code } });
  });

  test("loses options of a wrong type", () => {
    const options = {
      baseAmount: "100",
      targetAmount: Number.NaN,
      walletAddress: {},
      paymentMethod: "x".repeat(129),
      operationType: "X",
      appearance: "dark",
    };
    expect(readHostMessage({ type: "init", token: "t", options })).toEqual({
      type: "init",
      token: "t",
      options: {},
    });
  });

  test.each([
    { type: "init" },
    { type: "init", token: "" },
    { type: "init", token: "t".repeat(8193) },
    { type: "close-request" },
    { type: "close-request", by: "stranger" },
    { type: "unheard-of" },
    null,
    "init",
  ])("%j is ignored", (value) => {
    expect(readHostMessage(value)).toBeUndefined();
  });

  test("never throws, whatever the message is", () => {
    const hostile = fc.record(
      {
        type: fc.constantFrom("init", "init-failed", "close-request", "toString"),
        token: fc.anything(),
        options: fc.anything(),
        by: fc.anything(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(hostile, fc.anything()), (value) => {
        const message = readHostMessage(value);
        if (message?.type === "init") expect(typeof message.token).toBe("string");
      }),
      { numRuns: 10_000 },
    );
  });
});

describe("the frame's address", () => {
  test("names an instance and the origin that opened it", () => {
    expect(readFrameAddress("#i=0123456789abcdef&o=https%3A%2F%2Fshop.example")).toEqual({
      instance: "0123456789abcdef",
      hostOrigin: "https://shop.example",
    });
  });

  test.each([
    "",
    "#",
    "#i=0123456789abcdef",
    "#o=https://shop.example",
    "#i=short&o=https://shop.example",
    "#i=0123456789abcdef&o=https://shop.example/path",
    "#i=0123456789abcdef&o=https://user@shop.example",
    "#i=0123456789abcdef&o=javascript:alert(1)",
    "#i=0123456789abcdef&o=null",
    "#i=0123456789abcdef&o=*",
    "#i=<script>alert()&o=https://shop.example",
  ])("%j is not one", (hash) => {
    expect(readFrameAddress(hash)).toBeUndefined();
  });
});
