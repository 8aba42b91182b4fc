import { expect, test } from "vitest";
import type { LoggedControlChange } from "../../storage/audit/control-log.ts";
import type { DeliveredOrder } from "../../storage/payouts/first-payouts.ts";
import { chooseOrder, windowsOf } from "./choose-order.ts";

const at = (minute: number): Date => new Date(Date.UTC(2026, 10, 23, 8, minute));

type Deed = readonly [
  minute: number,
  action: LoggedControlChange["action"],
  by: string,
  account?: string,
];

/** Returns the log of these deeds, the latest first, as it is listed. */
const logOf = (...deeds: readonly Deed[]): readonly LoggedControlChange[] =>
  deeds
    .map(([minute, action, person, account = person]) => ({
      ...{ at: at(minute), person, account, action, subject: "rail chain:ethereum" },
      ...{ id: "1", systemUser: account, sudoUser: null, address: null, details: {} },
      ...{ before: null, after: null },
    }))
    .reverse();

const order = (id: bigint, created: number | null, released: number | null): DeliveredOrder => ({
  ...{ orderId: id, merchantId: "client", status: "sending", payoutId: `payout-${id}` },
  payoutCreatedAt: created === null ? null : at(created),
  releasedAt: released === null ? null : at(released),
});

const TWO = logOf([10, "stop", "anna"], [20, "resume", "ben"]);
const STOPPER_LAST = logOf(
  [10, "stop", "anna"],
  [19, "agree_to_resume", "ben"],
  [20, "resume", "anna"],
);
const ALONE = logOf([10, "stop", "anna"], [20, "resume", "anna"]);
const ONE_ACCOUNT = logOf([10, "stop", "anna", "root"], [20, "resume", "ben", "root"]);

test.each([
  ["waited under a stop of two people", TWO, order(1n, 15, 21), "held"],
  ["waited until its stopper agreed last", STOPPER_LAST, order(1n, 15, 21), "held"],
  ["was made before the stop and waited", TWO, order(1n, 9, 21), "held"],
  ["was made after the stop ended", TWO, order(1n, 25, 26), "free"],
  ["was released before the stop", TWO, order(1n, 5, 6), "free"],
  ["waited under a stop that one person set and lifted", ALONE, order(1n, 15, 21), "alone"],
  ["waited under a stop of two names and one account", ONE_ACCOUNT, order(1n, 15, 21), "alone"],
  ["is not released", TWO, order(1n, 15, null), "open"],
  ["is not even owed", TWO, order(1n, null, null), "open"],
])("a payout that %s", (_title, changes, one, how) => {
  const { chosen, unfit } = chooseOrder([one], windowsOf(changes));
  expect((chosen ?? unfit)?.release.how).toBe(how);
  expect(chosen === undefined).toBe(how === "free" || how === "alone");
});

test("the first payout that waited counts, whatever comes after it", () => {
  const windows = windowsOf(TWO);
  const orders = [order(1n, 1, 2), order(2n, 15, 21), order(3n, 16, 21), order(4n, 40, null)];
  expect(chooseOrder(orders, windows).chosen?.order.orderId).toBe(2n);
  expect(chooseOrder(orders.slice(3), windows).chosen?.order.orderId).toBe(4n);
  expect(chooseOrder(orders.slice(0, 1), windows).unfit?.order.orderId).toBe(1n);
});

test("a stop that stands is not a window, and each resumption ends the stop before it", () => {
  const changes = logOf(
    [1, "stop", "anna"],
    [2, "agree_to_resume", "ben"],
    [3, "resume", "cleo"],
    [4, "stop", "ben"],
  );
  expect(windowsOf(changes)).toMatchObject([{ stoppedBy: "anna", resumedBy: "cleo" }]);
});
