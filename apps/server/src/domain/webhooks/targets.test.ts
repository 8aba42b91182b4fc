import { describe, expect, test } from "vitest";
import { TARGET_VECTORS } from "../../testing/webhooks/target-vectors.ts";
import { assertAllowedTarget, type TargetPolicy, TargetRefused } from "./targets.ts";

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
