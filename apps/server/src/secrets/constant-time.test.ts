import type * as Crypto from "node:crypto";
import crypto from "node:crypto";
import { expect, test, vi } from "vitest";
import { digestApiKey, digestsMatch } from "./api-key.ts";

vi.mock("node:crypto", async (importReal) => {
  const real = await importReal<typeof Crypto>();
  const timingSafeEqual = vi.fn(real.timingSafeEqual);
  return { ...real, timingSafeEqual, default: { ...real, timingSafeEqual } };
});

test("digests of keys are compared in constant time, right or wrong", () => {
  const digest = digestApiKey("exk_dev_one");
  expect(digestsMatch(digest, digestApiKey("exk_dev_one"))).toBe(true);
  expect(digestsMatch(digest, digestApiKey("exk_dev_two"))).toBe(false);
  expect(crypto.timingSafeEqual).toHaveBeenCalledTimes(2);
});
