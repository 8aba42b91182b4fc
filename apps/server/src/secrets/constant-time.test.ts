import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { afterAll, expect, test, vi } from "vitest";
import { digestApiKey, digestsMatch } from "./api-key.ts";

const compare = vi.spyOn(crypto, "timingSafeEqual");
syncBuiltinESMExports();
afterAll(() => {
  compare.mockRestore();
  syncBuiltinESMExports();
});

test("digests of keys are compared in constant time, right or wrong", () => {
  const digest = digestApiKey("exk_dev_one");
  expect(digestsMatch(digest, digestApiKey("exk_dev_one"))).toBe(true);
  expect(digestsMatch(digest, digestApiKey("exk_dev_two"))).toBe(false);
  expect(compare).toHaveBeenCalledTimes(2);
});
