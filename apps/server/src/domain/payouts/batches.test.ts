import { expect, test } from "vitest";
import { type JoinableSend, joinPayouts, type WaitingPayout } from "./batches.ts";

const OUTPUTS_MAX = 3;

const waiting = (number: number, change: Partial<WaitingPayout> = {}): WaitingPayout => ({
  intentId: `p${number}`,
  networkCode: "bitcoin",
  address: `bc1q${number}`,
  units: 100n,
  lostWith: null,
  ...change,
});

/** Returns the sends as lists of payouts, in the order in which they were chosen. */
function join(payouts: readonly WaitingPayout[], sends: readonly JoinableSend[] = []) {
  let number = 0;
  const newId = (): string => {
    number += 1;
    return `new${number}`;
  };
  const joined = joinPayouts(payouts, sends, { outputsMax: () => OUTPUTS_MAX, newId });
  return joined.map(({ intentId, sendId }) => `${intentId} in ${sendId}`);
}

test("payouts share a send up to the limit", () => {
  expect(join([1, 2, 3, 4].map((number) => waiting(number)))).toEqual([
    "p1 in new1",
    "p2 in new1",
    "p3 in new1",
    "p4 in new2",
  ]);
});

test("a payout joins a send that has room, on its own network only", () => {
  const open = { id: "open", networkCode: "bitcoin", lostWith: null };
  const sends = [{ ...open, outputs: [waiting(8), waiting(9)] }];
  expect(join([waiting(1, { networkCode: "litecoin" }), waiting(2), waiting(3)], sends)).toEqual([
    "p1 in new1",
    "p2 in open",
    "p3 in new2",
  ]);
});

test("two payments of one amount to one address are in different sends", () => {
  const twin = { address: "BC1Q1" };
  expect(join([waiting(1), waiting(2, twin), waiting(3, { ...twin, units: 101n })])).toEqual([
    "p1 in new1",
    "p2 in new2",
    "p3 in new1",
  ]);
});

test("payouts that were lost together are paid together, and not with others", () => {
  const lost = { lostWith: "dead1" };
  expect(
    join([waiting(1, lost), waiting(2), waiting(3, lost), waiting(4, { lostWith: "dead2" })]),
  ).toEqual(["p1 in new1", "p2 in new2", "p3 in new1", "p4 in new3"]);
});
