import { describe, expect, test } from "vitest";
import { paymentWindowSeconds, windowSecondsAfter } from "./payment-window.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
const MONDAY = Date.UTC(2026, 10, 23);

const transfer = (max: number | null) =>
  paymentWindowSeconds({ type: "bank_transfer", days: { min: 0, max } });

/** Returns the end of the given number of working days after the day of a time. */
function endOfWorkingDays(from: number, count: number): number {
  let day = from;
  for (let left = count; left > 0; ) {
    day += DAY_MS;
    const isWeekend = [0, 6].includes(new Date(day).getUTCDay());
    if (!isWeekend) left -= 1;
  }
  return day;
}

describe("the payment window", () => {
  test.each([
    [null, 3],
    [0, 3],
    [1, 3],
    [3, 3],
    [4, 7],
    [5, 10],
  ])("of a transfer that takes at most %s days is %i days", (max, days) => {
    expect(transfer(max)).toBe(days * 86_400);
  });

  test.each([4, 5, 9, 10])(
    "holds a slow transfer that is sent on the next working day and then takes %i, on every day of the week",
    (max) => {
      for (let weekday = 0; weekday < 7; weekday += 1) {
        const placed = MONDAY + weekday * DAY_MS;
        const arrives = endOfWorkingDays(placed, 1 + max);
        expect(placed + transfer(max) * 1_000).toBeGreaterThanOrEqual(arrives);
      }
    },
  );

  test("of a card and of coins does not depend on days", () => {
    const days = { min: 1, max: 5 };
    expect(paymentWindowSeconds({ type: "card", days })).toBe(30 * 60);
    expect(paymentWindowSeconds({ type: "crypto", days })).toBe(15 * 60);
  });
});

describe("the window after a transition", () => {
  const card = { type: "card", days: { min: 0, max: 0 } };
  const catalogue = { paymentMethodById: (id: number) => (id === 1 ? card : undefined) } as never;
  const after = (
    opened: { opensAnswer?: boolean; reopensPayment?: boolean },
    paymentMethodId = 1,
  ) =>
    windowSecondsAfter(
      { opensAnswer: false, reopensPayment: false, ...opened },
      { paymentMethodId },
      catalogue,
    );

  test("is 24 hours for the answer to a new price, by any payment method", () => {
    expect(after({ opensAnswer: true })).toBe(24 * 60 * 60);
    expect(after({ opensAnswer: true }, 2)).toBe(24 * 60 * 60);
  });

  test("is the one of the payment method where the order may be paid again", () => {
    expect(after({ reopensPayment: true })).toBe(30 * 60);
    expect(() => after({ reopensPayment: true }, 2)).toThrow("payment method 2 is not");
  });

  test("does not change where the transition opens none", () => {
    expect(after({}, 2)).toBeNull();
  });
});
