import { totalmem } from "node:os";
import { expect, test } from "vitest";
import { memoryBytes, sharedBuffersMb } from "./shared-buffers.ts";

const GB = 1_073_741_824;

test.each([
  [0.25, 128],
  [2, 512],
  [6, 1_536],
  [64, 2_048],
])("of %d GB of memory PostgreSQL caches in %d MB", (memory, megabytes) => {
  expect(sharedBuffersMb(memory * GB)).toBe(megabytes);
});

test("the memory of the process is at most the memory of the machine", () => {
  expect(memoryBytes()).toBeGreaterThan(0);
  expect(memoryBytes()).toBeLessThanOrEqual(totalmem());
});
