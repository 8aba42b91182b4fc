import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { makeHinter } from "./hints.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("the first hint is told at once, those that follow closely become one", () => {
  const told: string[] = [];
  const hint = makeHinter(async (channel) => told.push(channel));
  for (let time = 0; time < 5; time += 1) hint("jobs");
  expect(told).toEqual(["jobs"]);
  vi.runAllTimers();
  expect(told).toEqual(["jobs", "jobs"]);
  hint("jobs");
  expect(told).toHaveLength(3);
});

test("channels do not keep each other quiet, and one that fails is told again the next time", () => {
  const told: string[] = [];
  const hint = makeHinter((channel) => {
    told.push(channel);
    return Promise.reject(new Error("away"));
  });
  hint("jobs");
  hint("webhooks");
  vi.runAllTimers();
  hint("jobs");
  expect(told).toEqual(["jobs", "webhooks", "jobs"]);
});
