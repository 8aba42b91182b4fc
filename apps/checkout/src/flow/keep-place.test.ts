import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createStore } from "../machine/store.ts";
import { makeChoosing } from "../machine/testing.ts";
import { keepPlace } from "./keep-place.ts";
import type { Exit } from "./leave.ts";

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A page of our own whose history has its entries, but goes to none of them. */
function followInWindow() {
  const history = {
    state: { step: 0 },
    pushState: (state: { step: number }) => {
      history.state = state;
    },
    go: vi.fn(),
  };
  const view = { history, addEventListener: () => {}, setTimeout, clearTimeout };
  const store = createStore();
  const exit = { hasHost: false, isClosed: false } as Exit;
  const draft = { write: () => {} };
  keepPlace({ view: view as unknown as Window, store, exit, report: undefined, draft });
  const boot = (screen: "amount" | "method"): void =>
    store.dispatch({ area: "checkout", type: "booted", choosing: makeChoosing({ screen }) });
  return { history, boot };
}

test("steps of the history go on after an entry of the bank's frame, which fires no popstate", () => {
  const { history, boot } = followInWindow();
  boot("method");
  expect(history.state).toEqual({ step: 1 });
  boot("amount");
  boot("amount");
  expect(history.go.mock.calls).toEqual([[-1]]);
  vi.advanceTimersByTime(1_000);
  boot("amount");
  expect(history.go.mock.calls).toEqual([[-1], [-1]]);
});
