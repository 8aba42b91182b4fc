import { describe, expect, test } from "vitest";
import { TARGET_VECTORS } from "../../testing/webhooks/target-vectors.ts";
import {
  assertAllowedTarget,
  operatorPolicy,
  placeOfTarget,
  type TargetPolicy,
  TargetRefused,
} from "./targets.ts";

const STRICT = { allowSandboxTargets: false };
const SANDBOX = { allowSandboxTargets: true };

const verdictOn = (url: string, policy: TargetPolicy): string => {
  try {
    assertAllowedTarget(url, policy);
    return "allowed";
  } catch (error) {
    return error instanceof TargetRefused ? error.reason : String(error);
  }
};

describe("the vectors", () => {
  test("are more than a hundred different targets, sixty of which lead inside", () => {
    expect(new Set(TARGET_VECTORS.map(([url]) => url)).size).toBeGreaterThanOrEqual(100);
    const inside = TARGET_VECTORS.filter(([, strict]) => strict === "address");
    expect(inside.length).toBeGreaterThanOrEqual(60);
  });

  test.each(TARGET_VECTORS)("%s: %s outside a sandbox, %s in one", (url, strict, sandbox) => {
    expect([verdictOn(url, STRICT), verdictOn(url, SANDBOX)]).toEqual([strict, sandbox]);
  });

  test("leave out one: a URL longer than 2048 characters is none", () => {
    expect(verdictOn(`https://shop.example/${"a".repeat(2048)}`, SANDBOX)).toBe("url");
  });
});

test.each([
  ["https://chat.example.com:8065/hook", "allowed"],
  ["https://93.184.216.34/hook", "allowed"],
  ["https://10.0.0.5:9093/hook", "allowed"],
  ["http://10.0.0.5:9093/hook", "allowed"],
  ["http://[fd00::5]/hook", "allowed"],
  ["http://127.0.0.1:8000/hook", "allowed"],
  ["http://93.184.216.34/hook", "address"],
  ["https://169.254.169.254/latest", "address"],
  ["http://[fe80::1]/hook", "address"],
  ["http://0.0.0.0/hook", "address"],
  ["https://anna:secret@chat.example.com/hook", "userinfo"],
  ["ftp://10.0.0.5/hook", "scheme"],
])("the operator's own target %s is %s", (url, verdict) => {
  expect(verdictOn(url, operatorPolicy(url))).toBe(verdict);
});

test.each([
  ["https://SHOP.example.:443/a//b/?x=1#y", "https://shop.example:/a/b"],
  ["https://shop.example", "https://shop.example:/"],
  ["https://shop.example:8443/%61%2Fb/../c", "https://shop.example:8443/c"],
  ["https://shop.example/%E2%82%AC/%FF", "https://shop.example:/€/%FF"],
  ["https://shop.example/A", "https://shop.example:/A"],
])("%s leads to the place %s", (url, place) => {
  expect(placeOfTarget(url)).toBe(place);
});
