import { expect, test } from "vitest";
import { callerNetwork, isInNetworks, parseNetwork } from "./networks.ts";

test.each([
  ["10.1.2.3/8", "10.0.0.0/8"],
  ["203.0.113.7", "203.0.113.7/32"],
  ["0.0.0.0/0", "0.0.0.0/0"],
  ["2001:DB8::1/32", "2001:db8::/32"],
  ["2001:db8::1", "2001:db8::1/128"],
])("the network %s is stored as %s", (text, stored) => {
  expect(parseNetwork(text)).toBe(stored);
});

test.each([
  "",
  "/",
  "10.0.0.0/33",
  "10.0.0/8",
  "0x0a.0.0.1",
  "1",
  "::/129",
  "shop.example",
  "10.0.0.0/8/8",
])("%s is not a network", (text) => {
  expect(parseNetwork(text)).toBeUndefined();
});

test.each([
  ["10.200.0.1", true],
  ["11.0.0.1", false],
  ["::ffff:10.1.2.3", true],
  ["2001:db8:ffff::1", true],
  ["2001:db9::1", false],
  ["10.200.0.1:4711", true],
  ["11.0.0.1:4711", false],
  ["[2001:db8::1]:4711", true],
  ["[2001:db9::1]:4711", false],
  ["unknown", false],
])("the address %s is in the networks: %s", (address, isInside) => {
  expect(isInNetworks(address, ["10.0.0.0/8", "2001:db8::/32"])).toBe(isInside);
});

test("a caller is an IPv4 address or an IPv6 network of 64 bits", () => {
  expect(callerNetwork("::ffff:203.0.113.7")).toBe("203.0.113.7");
  expect(callerNetwork("2001:db8:1:2:3:4:5:6")).toBe("2001:db8:1:2::/64");
  expect(callerNetwork("2001:db8:1:2:ffff::")).toBe("2001:db8:1:2::/64");
});

test("a caller is the same with the port that some proxies add", () => {
  expect(callerNetwork("203.0.113.7:4711")).toBe("203.0.113.7");
  expect(callerNetwork("[::ffff:203.0.113.7]:4711")).toBe("203.0.113.7");
  expect(callerNetwork("[2001:db8:1:2:3:4:5:6]:4711")).toBe("2001:db8:1:2::/64");
});
