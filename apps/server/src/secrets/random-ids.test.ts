import { expect, test } from "vitest";
import { randomIds } from "./random-ids.ts";

const VERSION_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test("ordered ids begin with the time and are no less random after it", () => {
  const before = Date.now();
  const ids = Array.from({ length: 1_000 }, () => randomIds.orderedUuid());
  const after = Date.now();
  expect(new Set(ids.map((id) => id.slice(15))).size).toBe(1_000);
  for (const id of ids) {
    expect(id).toMatch(VERSION_7);
    const madeAt = Number.parseInt(id.replace("-", "").slice(0, 12), 16);
    expect(madeAt).toBeGreaterThanOrEqual(before);
    expect(madeAt).toBeLessThanOrEqual(after);
  }
});
