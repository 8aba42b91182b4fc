import { expect, test } from "vitest";
import { OPERATION_TYPES } from "./operation-types.ts";
import { ORDER_STATUSES } from "./orders.ts";
import { paymentOutcome } from "./payment-outcomes.ts";

const METHODS = {
  B: ["card", "bank_transfer"],
  S: ["crypto"],
  CC: ["crypto"],
  FF: ["card", "bank_transfer"],
} as const;
const WAYS = OPERATION_TYPES.flatMap((operationType) =>
  METHODS[operationType].map((paymentType) => ({ operationType, paymentType })),
);

test.each(WAYS)("money is certain only once it is final: $operationType by $paymentType", (way) => {
  const paid = ORDER_STATUSES.filter(
    (status) => paymentOutcome({ ...way, status, attempt: undefined }) === "paid",
  );
  expect(paid).toEqual(["processing", "sending", "completed"]);
});

test.each(WAYS)(
  "an order that waits is pending, except a card: $operationType by $paymentType",
  (way) => {
    const outcomes = (["awaiting_payment", "payment_pending", "in_review"] as const).map((status) =>
      paymentOutcome({ ...way, status, attempt: undefined }),
    );
    const waits = way.paymentType === "card" ? "unpaid" : "pending";
    expect(outcomes).toEqual([waits, waits, "pending"]);
  },
);

test.each([
  ["processing", "unpaid"],
  ["challenge", "unpaid"],
  ["declined", "declined"],
  ["authentication_failed", "declined"],
  ["failed", "declined"],
] as const)("a card whose attempt is %s is %s", (attempt, outcome) => {
  const facts = { operationType: "B", paymentType: "card", status: "awaiting_payment" } as const;
  expect(paymentOutcome({ ...facts, attempt })).toBe(outcome);
});
