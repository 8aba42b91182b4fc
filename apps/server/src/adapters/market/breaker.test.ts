import { expect, test } from "vitest";
import { asking, type BreakerState, CLOSED, failed, mayAsk, succeeded } from "./breaker.ts";

const NOW_MS = Date.UTC(2026, 10, 22, 8);
const DAY_MS = 86_400_000;

/** Plays outcomes one second apart: `x` fails, `o` succeeds. */
const play = (outcomes: string, start: BreakerState = CLOSED): BreakerState =>
  outcomes
    .split("")
    .reduce(
      (state, outcome, index) =>
        outcome === "o" ? succeeded(state) : failed(state, NOW_MS + index * 1_000, undefined),
      start,
    );

test.each([
  ["xxxx", true],
  ["xxxxx", false],
  ["xoxoxoxox", false],
  ["xxxxoooooox", true],
  ["ooooooooooxxxx", true],
])("after %s the source may be asked: %s", (outcomes, may) => {
  expect(mayAsk(play(outcomes), NOW_MS + 14_000)).toBe(may);
});

test("after the rest there is one trial, and only one", () => {
  const resting = play("xxxxx");
  const laterMs = NOW_MS + 4_000 + 30_000;
  expect(mayAsk(resting, laterMs - 1)).toBe(false);
  expect(mayAsk(resting, laterMs)).toBe(true);
  const trying = asking(resting);
  expect(mayAsk(trying, laterMs)).toBe(false);
  expect(succeeded(trying)).toEqual(CLOSED);
  const again = failed(trying, laterMs, undefined);
  expect(mayAsk(again, laterMs + 29_999)).toBe(false);
  expect(mayAsk(again, laterMs + 30_000)).toBe(true);
});

test("a source that names a time rests at once and until then, for three days at most", () => {
  const banned = failed(CLOSED, NOW_MS, NOW_MS + 120_000);
  expect(mayAsk(banned, NOW_MS + 119_999)).toBe(false);
  expect(mayAsk(banned, NOW_MS + 120_000)).toBe(true);
  const forEver = failed(CLOSED, NOW_MS, NOW_MS + 900 * DAY_MS);
  expect(mayAsk(forEver, NOW_MS + 3 * DAY_MS)).toBe(true);
});

test("a request that was sent before the rest does not shorten it", () => {
  const banned = failed(CLOSED, NOW_MS, NOW_MS + 120_000);
  expect(mayAsk(failed(banned, NOW_MS + 1, undefined), NOW_MS + 60_000)).toBe(false);
  expect(mayAsk(succeeded(banned), NOW_MS + 60_000)).toBe(false);
});
