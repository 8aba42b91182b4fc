import fc from "fast-check";
import { expect, test } from "vitest";
import { readFrameMessage, readHello } from "./frame-messages.ts";

const HELLO = {
  protocol: "exchange.v1",
  type: "hello",
  instance: "i1",
  load: "l1",
  versions: [1],
};

test("a hello of the protocol that names the instance is read", () => {
  expect(readHello(HELLO, "i1")).toBe(HELLO);
});

test.each([
  ["another protocol", { ...HELLO, protocol: "exchange.v2" }],
  ["another type", { ...HELLO, type: "welcome" }],
  ["another instance", { ...HELLO, instance: "i2" }],
  ["no instance", { ...HELLO, instance: undefined }],
  ["a load that is not text", { ...HELLO, load: 1 }],
  ["a load without end", { ...HELLO, load: "x".repeat(129) }],
  ["only later versions", { ...HELLO, versions: [2] }],
  ["no versions", { ...HELLO, versions: "1" }],
])("a hello with %s is dropped", (_name, hello) => {
  expect(readHello(hello, "i1")).toBeUndefined();
});

test.each([
  [{ type: "ready", title: "Buy Bitcoin", locale: "en" }],
  [{ type: "resize", height: 480 }],
  [{ type: "event", name: "quoteUpdated", snapshot: { screen: "amount" }, sequence: 1 }],
  [{ type: "event", name: "newerEvent", snapshot: { screen: "amount" }, sequence: 1 }],
  [{ type: "close", reason: "user" }],
])("the message %j is read", (message) => {
  expect(readFrameMessage(message)).toBe(message);
});

test.each([
  [{ type: "ready" }],
  [{ type: "resize", height: "480" }],
  [{ type: "resize", height: Number.NaN }],
  [{ type: "event", name: "close", snapshot: {}, sequence: 1 }],
  [{ type: "event", name: "open", snapshot: {}, sequence: 1 }],
  [{ type: "event", name: "orderPlaced", snapshot: null, sequence: 1 }],
  [{ type: "event", name: "x".repeat(41), snapshot: {}, sequence: 1 }],
  [{ type: "close", reason: "<b>" }],
  [{ type: "constructor" }],
  [{ type: "__proto__" }],
])("the message %j is dropped", (message) => {
  expect(readFrameMessage(message)).toBeUndefined();
});

test("10,000 arbitrary values are dropped without an exception", () => {
  fc.assert(
    fc.property(fc.anything({ withNullPrototype: true, withMap: true, withDate: true }), (raw) => {
      expect(readHello(raw, "i1")).toBeUndefined();
      expect(readFrameMessage(raw)).toBeUndefined();
    }),
    { numRuns: 10_000 },
  );
});
