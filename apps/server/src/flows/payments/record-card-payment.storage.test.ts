import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Order } from "../../domain/orders/order.ts";
import type { CardPayment } from "../../domain/ports/card-processor.ts";
import { capturePayment } from "../../jobs/card-payment.ts";
import { claimJobs, type LeasedJob, LeaseLost } from "../../storage/jobs/jobs.ts";
import { endLeases } from "../../storage/jobs/leases.ts";
import { findPaymentAttempt } from "../../storage/payments/attempts.ts";
import { found } from "../../testing/catalogue.ts";
import { MERCHANT_ID, makeWorld, type World } from "../../testing/world.ts";
import { payOrder } from "../orders/pay.ts";
import { placeOrder } from "../orders/place.ts";
import { readOrder } from "../orders/read.ts";
import { recordAuthorization, recordChallenge } from "./record-card-payment.ts";

let world: World;

beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world.close());

async function startPayment(): Promise<Order> {
  const session = await world.openSession();
  const quote = await world.quote(session.sessionId);
  const walletAddress = "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu";
  const request = { quoteId: quote.id, walletAddress };
  const { order } = await placeOrder(world.deps, { merchantId: MERCHANT_ID, ...session, request });
  await payOrder(world.deps, {
    merchantId: MERCHANT_ID,
    sessionId: session.sessionId,
    orderId: order.id,
    payment: {
      type: "card",
      card: {
        number: "4000000000002503",
        expiryMonth: 12,
        expiryYear: 2099,
        cvv: "123",
        holderName: "Ada",
      },
      billingAddress: { line1: "1 Main St", city: "Berlin", postalCode: "1", countryCode: "DE" },
    },
  });
  return order;
}

async function claim(): Promise<LeasedJob> {
  const leaseToken = randomUUID();
  const [job] = await claimJobs(world.database, { leaseToken, limit: 1, leaseSeconds: 600 });
  if (!job) throw new Error("there is no job to claim");
  return job;
}

const answerOf = (reference: string, status: CardPayment["status"]): CardPayment => ({
  ...{ reference, status, declineReason: status === "declined" ? "expired_authorization" : null },
  ...{ challengeUrl: null, threeDSecure: null, askAgainMs: 300 },
  amount: { assetReference: "eur", units: 10_000n },
});

/** An authorized payment whose capture is answered with this status, asked for by its job. */
async function capture(status: CardPayment["status"]) {
  const placed = await startPayment();
  const authorized = await claim();
  const attempt = found(await findPaymentAttempt(world.database, authorized.subject));
  const payment = answerOf(attempt.id, "authorized");
  const job = found(await recordAuthorization(world.deps, { job: authorized, attempt, payment }));
  expect(job.kind).toBe("capture_payment");
  const processor = found(world.deps.cardProcessor);
  const cardProcessor = { ...processor, capture: async () => answerOf(attempt.id, status) };
  const key = { merchantId: MERCHANT_ID, orderId: placed.id };
  return {
    run: () => capturePayment({ ...world.deps, cardProcessor }, job),
    read: () => readOrder(world.deps, key),
  };
}

test("a worker that lost its lease cannot show a challenge over what came after it", async () => {
  await startPayment();
  const slow = await claim();
  await endLeases(world.database);
  const quick = await claim();
  const attempt = await findPaymentAttempt(world.database, quick.subject);
  if (!attempt) throw new Error("the attempt is missing");
  const payment: CardPayment = {
    reference: attempt.id,
    status: "authorized",
    amount: { assetReference: "eur", units: 10_000n },
    declineReason: null,
    challengeUrl: null,
    threeDSecure: null,
    askAgainMs: 300,
  };
  await recordAuthorization(world.deps, { job: quick, attempt, payment });
  const stale = { ...payment, status: "challenge", challengeUrl: "http://bank.test/1" } as const;
  const late = recordChallenge(world.deps, { job: slow, attempt, payment: stale });
  await expect(late).rejects.toBeInstanceOf(LeaseLost);
  expect((await findPaymentAttempt(world.database, attempt.id))?.status).toBe("authorized");
});

test.each([
  ["declined", "card_declined"],
  ["authentication_failed", "three_ds_failed"],
  ["voided", "provider_error"],
] as const)("a capture that ends %s leaves the order payable", async (status, statusReason) => {
  const { run, read } = await capture(status);
  await run();
  const { order, attempt } = await read();
  expect(order).toMatchObject({ status: "awaiting_payment", statusReason, receivedUnits: null });
  expect(attempt?.status).toBe(status);
  await expect(claim()).rejects.toThrow("no job");
});

test("a capture that is answered with the status before it is asked for again", async () => {
  const { run, read } = await capture("authorized");
  await expect(run()).rejects.toThrow("is authorized after its capture");
  const { order, attempt } = await read();
  expect([order.status, attempt?.status]).toEqual(["payment_pending", "authorized"]);
});
