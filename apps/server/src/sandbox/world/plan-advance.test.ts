import fc from "fast-check";
import { expect, test } from "vitest";
import { canMove, ORDER_MOVES, type OrderStatus } from "../../domain/orders/status.ts";
import type { OrderPosition } from "./order-position.ts";
import { planAdvance, reachableStatuses } from "./plan-advance.ts";

const statuses = Object.keys(ORDER_MOVES) as OrderStatus[];

const stands: fc.Arbitrary<OrderPosition> = fc.record({
  status: fc.constantFrom(...statuses),
  statusReason: fc.constantFrom("underpaid", "wrong_asset", "screening_hit", null),
  heldFrom: fc.constantFrom("awaiting_payment", "processing", "sending", "refund_pending", null),
  payment: fc.constantFrom("card", "bank", "chain"),
  delivery: fc.constantFrom("bank", "chain"),
  attemptsLeft: fc.integer({ min: 0, max: 5 }),
  isUnderWay: fc.boolean(),
  isFinalAtOnce: fc.constant(false),
  isExactUnderWay: fc.boolean(),
  isCovered: fc.boolean(),
  isCaptured: fc.boolean(),
  hasRight: fc.boolean(),
  hasMoney: fc.boolean(),
  hasInstruction: fc.boolean(),
  hasOtherAsset: fc.boolean(),
  isPayoutReleased: fc.boolean(),
});

test("wherever an order stands, only a legal next status has a plan", () => {
  fc.assert(
    fc.property(stands, fc.constantFrom(...statuses), (position, status) => {
      if (planAdvance(position, { status })) expect(canMove(position.status, status)).toBe(true);
    }),
    { numRuns: 3_000 },
  );
});

test("every status and reason that a refusal offers has a plan", () => {
  fc.assert(
    fc.property(stands, (position) => {
      for (const { status, reasons } of reachableStatuses(position)) {
        expect(planAdvance(position, { status })).toBeDefined();
        for (const reason of reasons)
          expect(planAdvance(position, { status, reason })).toBeDefined();
      }
    }),
    { numRuns: 2_000 },
  );
});

test("every legal move has a plan for some order", () => {
  const samples = fc.sample(stands, { numRuns: 5_000, seed: 7 });
  for (const from of statuses) {
    const here = samples.map((position) => ({ ...position, status: from }));
    for (const status of ORDER_MOVES[from] as readonly OrderStatus[]) {
      // Only the reorganisation of a live network drops the payout of a completed order.
      if (from === "completed") continue;
      const planned = here.some((position) => planAdvance(position, { status }) !== undefined);
      expect(planned, `${from} to ${status}`).toBe(true);
    }
  }
});

test("a reason that the status cannot have is not planned", () => {
  const [position] = fc.sample(stands, { numRuns: 1, seed: 1 });
  if (!position) throw new Error("no sample");
  const order = {
    ...position,
    status: "awaiting_payment",
    payment: "card",
    attemptsLeft: 5,
  } as const;
  expect(planAdvance(order, { status: "cancelled", reason: "underpaid" })).toBeUndefined();
  expect(planAdvance(order, { status: "in_review", reason: "underpaid" })).toBeUndefined();
  expect(planAdvance(order, { status: "processing", reason: "late_payment" })).toBeUndefined();
});

test("an order whose payout was released is not held, and its bank may still reject the payout", () => {
  const [position] = fc.sample(stands, { numRuns: 1, seed: 1 });
  if (!position) throw new Error("no sample");
  const sending = { ...position, status: "sending", isPayoutReleased: true } as const;
  const reviewOf = (order: OrderPosition) =>
    reachableStatuses(order).find(({ status }) => status === "in_review")?.reasons;
  expect(reviewOf({ ...sending, delivery: "chain" })).toBeUndefined();
  expect(reviewOf({ ...sending, delivery: "bank" })).toEqual(["delivery_rejected"]);
  const held = { status: "in_review", reason: "no_liquidity" } as const;
  expect(planAdvance({ ...sending, delivery: "bank" }, held)).toBeUndefined();
  const waiting = { ...sending, delivery: "chain", isPayoutReleased: false } as const;
  expect(planAdvance(waiting, held)).toEqual([{ kind: "hold", reason: "no_liquidity" }]);
});

test("too little on its way cannot be brought to processing", () => {
  const [position] = fc.sample(stands, { numRuns: 1, seed: 1 });
  if (!position) throw new Error("no sample");
  const order = {
    ...position,
    status: "payment_pending",
    payment: "chain",
    isUnderWay: true,
  } as const;
  const half = { ...order, isExactUnderWay: false };
  const whole = { ...order, isExactUnderWay: true };
  expect(planAdvance(half, { status: "processing" })).toBeUndefined();
  expect(planAdvance(whole, { status: "processing" })).toEqual([{ kind: "confirm" }]);
});

test("an order in review with a payment on its way becomes payable by its release alone, and neither expires nor is cancelled", () => {
  const [position] = fc.sample(stands, { numRuns: 1, seed: 1 });
  if (!position) throw new Error("no sample");
  const order: OrderPosition = {
    ...{ ...position, isUnderWay: true, isCovered: false, isCaptured: false, hasMoney: false },
    ...{ statusReason: "screening_hit", heldFrom: "payment_pending", payment: "bank" },
    status: "in_review",
  };
  expect(planAdvance(order, { status: "payment_pending" })).toEqual([{ kind: "release" }]);
  for (const status of ["awaiting_payment", "expired", "cancelled"] as const)
    expect(planAdvance(order, { status }), status).toBeUndefined();
  const unpaid = { ...order, isUnderWay: false };
  expect(planAdvance(unpaid, { status: "awaiting_payment" })).toEqual([{ kind: "release" }]);
});
