import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ClaimedDelivery } from "../storage/webhooks/claims.ts";
import { type Answer, type LaneWork, makeLanes } from "./lanes.ts";
import { startLease } from "./lease.ts";

const QUICK: Answer = { durationMs: 5, isFailure: false };

let underWay: ((answer: Answer) => void)[];
let givenBack: string[];
let lanes: ReturnType<typeof makeLanes>;
beforeEach(() => {
  underWay = [];
  givenBack = [];
  lanes = makeLanes(work);
});
afterEach(() => vi.restoreAllMocks());

const work: LaneWork = {
  send: (_delivery, _lease, onAnswer) =>
    new Promise((resolve) => {
      underWay.push((answer) => {
        onAnswer(answer);
        resolve();
      });
    }),
  giveBack: async (deliveries) => {
    givenBack.push(...deliveries.map(({ id }) => id));
  },
  onRoom: () => {},
};

let claimed = 0;
const claim = (count: number, change: Partial<ClaimedDelivery> = {}): ClaimedDelivery[] =>
  Array.from({ length: count }, () => {
    claimed++;
    const ids = { merchantId: "merchant", endpointId: "endpoint", fence: claimed };
    return { id: `delivery-${claimed}`, ...ids, heldByOthers: 0, ...change } as ClaimedDelivery;
  });
const add = (deliveries: readonly ClaimedDelivery[]) => lanes.add(deliveries, startLease(20_000));
const wanted = () => lanes.held()[0]?.wanted;
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Eight good answers, and four requests under way after them. */
async function proveItself(durationMs = QUICK.durationMs): Promise<void> {
  add(claim(12));
  for (let at = 0; at < 8; at++) {
    underWay[at]?.({ durationMs, isFailure: false });
    await settled();
  }
  expect(underWay).toHaveLength(12);
}

test("a new endpoint gets four requests, and the next when one of them is recorded", async () => {
  add(claim(10));
  expect(underWay).toHaveLength(4);
  underWay[0]?.(QUICK);
  expect(underWay).toHaveLength(4);
  await settled();
  expect(underWay).toHaveLength(5);
});

test("one that has proved itself gets the next request at its answer", async () => {
  await proveItself();
  add(claim(1));
  underWay[8]?.(QUICK);
  expect(underWay).toHaveLength(13);
});

test("deliveries that other workers have leased are left to them", () => {
  add(claim(10, { heldByOthers: 3 }));
  expect(underWay).toHaveLength(1);
});

test("ahead is claimed for a proven endpoint only, and once half of it is used up", async () => {
  add(claim(3));
  expect(wanted()).toBe(1);
  underWay = [];
  lanes = makeLanes(work);
  await proveItself();
  expect(wanted()).toBe(60);
  add(claim(60));
  expect(wanted()).toBe(0);
});

test("of one that takes a second no more is held than may be under way", async () => {
  await proveItself(1_000);
  expect(wanted()).toBe(0);
  underWay[8]?.(QUICK);
  await settled();
  expect(wanted()).toBe(1);
});

test("deliveries that wait for a failing endpoint return to the queue, and none are claimed ahead", async () => {
  await proveItself();
  add(claim(10));
  underWay[8]?.({ durationMs: 5, isFailure: true });
  await settled();
  expect(underWay).toHaveLength(12);
  expect(givenBack).toHaveLength(10);
  expect(wanted()).toBe(1);
});

test("one that runs dry stays proven, and is forgotten when it is silent for a second", async () => {
  const at = performance.now();
  const clock = vi.spyOn(performance, "now").mockReturnValue(at);
  await proveItself();
  for (const answer of underWay.splice(8)) answer(QUICK);
  await settled();
  expect(lanes.held()).toEqual([
    { merchantId: "merchant", endpointId: "endpoint", held: [], wanted: 64 },
  ]);
  clock.mockReturnValue(at + 1_001);
  expect(lanes.held()).toEqual([]);
});
