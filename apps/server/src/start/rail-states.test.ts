import { expect, test } from "vitest";
import { makeRailStates } from "./rail-states.ts";

/** Returns the states of rails, and a clock that the test moves. */
function makeStates() {
  let nowMs = 0;
  const states = makeRailStates(() => nowMs);
  return { states, pass: (ms: number) => (nowMs += ms) };
}

test("a rail fails from the first failure of a call to its last, and names that call", () => {
  const { states, pass } = makeStates();
  states.failed("card", "capture");
  expect(states.failing().get("card")).toEqual({ call: "capture", lastingMs: 0 });
  pass(50_000);
  states.succeeded("card", "statement");
  states.failed("card", "refund");
  states.failed("card", "capture");
  expect(states.failing().get("card")).toEqual({ call: "capture", lastingMs: 50_000 });
  states.succeeded("card", "capture");
  expect(states.failing().get("card")).toEqual({ call: "refund", lastingMs: 0 });
  states.succeeded("card", "refund");
  expect(states.failing().size).toBe(0);
  expect(states.called()).toEqual(["card"]);
});

test("a failure that nothing repeats for two minutes says nothing any more", () => {
  const { states, pass } = makeStates();
  states.failed("bank", "submit");
  pass(119_999);
  expect(states.failing().has("bank")).toBe(true);
  pass(1);
  expect(states.failing().has("bank")).toBe(false);
  states.failed("bank", "submit");
  expect(states.failing().get("bank")).toEqual({ call: "submit", lastingMs: 0 });
});
