import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fetchedOnce } from "./fetched-once.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("a module that the network holds is given up after 15 seconds, and the next call tries again", async () => {
  let fetches = 0;
  const fetchModule = fetchedOnce(() => {
    fetches += 1;
    return fetches === 1 ? new Promise<string>(() => {}) : Promise.resolve("module");
  });
  const outcome = fetchModule().then(
    () => "arrived",
    () => "given up",
  );
  await vi.advanceTimersByTimeAsync(15_000);
  expect(await outcome).toBe("given up");
  expect(await fetchModule()).toBe("module");
});

test("a module that arrived is fetched once", async () => {
  const fetchFile = vi.fn(async () => "module");
  const fetchModule = fetchedOnce(fetchFile);
  await fetchModule();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await fetchModule()).toBe("module");
  expect(fetchFile).toHaveBeenCalledTimes(1);
});
