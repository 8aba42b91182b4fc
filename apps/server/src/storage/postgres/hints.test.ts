import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { makeHinter } from "./hints.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("the first hint is sent at once, and the hints within the interval become one", () => {
  const sent: string[] = [];
  const hint = makeHinter(async (channel) => sent.push(channel));
  for (let time = 0; time < 5; time += 1) hint("jobs");
  expect(sent).toEqual(["jobs"]);
  vi.runAllTimers();
  expect(sent).toEqual(["jobs", "jobs"]);
  hint("jobs");
  expect(sent).toHaveLength(3);
});

test("a hint does not delay other channels, and a failed hint does not block the next one", () => {
  const sent: string[] = [];
  const hint = makeHinter((channel) => {
    sent.push(channel);
    return Promise.reject(new Error("away"));
  });
  hint("jobs");
  hint("webhooks");
  vi.runAllTimers();
  hint("jobs");
  expect(sent).toEqual(["jobs", "webhooks", "jobs"]);
});
