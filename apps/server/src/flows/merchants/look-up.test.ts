import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { makeLookUp } from "./look-up.ts";

test("(i): a look-up reads after it was requested, and calls at the same time share one read", async () => {
  let reads = 0;
  const lookUp = makeLookUp(async () => {
    reads += 1;
  });
  await Promise.all(Array.from({ length: 500 }, (_, index) => lookUp(`key ${index}`)));
  expect(reads).toBe(1);
});

test("(i): a key that the database does not have is not looked up again", async () => {
  let reads = 0;
  const lookUp = makeLookUp(async () => {
    reads += 1;
  });
  for (let attempt = 0; attempt < 5; attempt += 1) await lookUp("unknown");
  expect(reads).toBe(1);
});

test("(i): a flood of invented keys reads at most forty times a second", async () => {
  let reads = 0;
  const lookUp = makeLookUp(async () => {
    reads += 1;
    await sleep(1);
  });
  const endsAtMs = performance.now() + 500;
  let invented = 0;
  await Promise.all(
    Array.from({ length: 50 }, async () => {
      while (performance.now() < endsAtMs) {
        invented += 1;
        await lookUp(`invented ${invented}`);
      }
    }),
  );
  expect(invented).toBeGreaterThan(reads);
  expect(reads).toBeLessThanOrEqual(22);
});

test("(i): more waiting calls than the bound are refused without a read", async () => {
  let reads = 0;
  let answer = (): void => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const lookUp = makeLookUp(async () => {
    reads += 1;
    await answered;
  });
  const waiting = Array.from({ length: 1_000 }, (_, index) => lookUp(`waiting ${index}`));
  const refused = lookUp("one too many").then(() => "refused");
  // It does not wait for the read, nor for any time.
  expect(await Promise.race([refused, sleep(20, "waits")])).toBe("refused");
  answer();
  await Promise.all(waiting);
  expect(reads).toBe(1);
});

test("(i): a read that failed is not remembered, so the key is looked up again", async () => {
  let reads = 0;
  const lookUp = makeLookUp(async () => {
    reads += 1;
    if (reads === 1) throw new Error("the database was away");
  });
  await lookUp("new");
  await lookUp("new");
  expect(reads).toBe(2);
});
