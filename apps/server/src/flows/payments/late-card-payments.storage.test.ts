import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { auditOnce } from "../../auditor/pass.ts";
import { newAuditor } from "../../auditor/state.ts";
import type { OrderView } from "../../domain/orders/view.ts";
import type { AuthorizeCard } from "../../domain/ports/card-processor.ts";
import { authorizePayment, capturePayment, voidPayment } from "../../jobs/card-payment.ts";
import { listBreaks } from "../../storage/audit/breaks.ts";
import { advanceBusinessClock } from "../../storage/installation.ts";
import { claimJobs, hurryJobs, type LeasedJob } from "../../storage/jobs/jobs.ts";
import { endLeases } from "../../storage/jobs/leases.ts";
import { checkLedger } from "../../storage/ledger/checks.ts";
import { found } from "../../testing/catalogue.ts";
import { cardPayment } from "../../testing/orders.ts";
import { MERCHANT_ID, makeWorld, type World } from "../../testing/world.ts";
import type { Deps } from "../deps.ts";
import { cancelOrder } from "../orders/cancel.ts";
import { payOrder } from "../orders/pay.ts";
import { placeOrder } from "../orders/place.ts";
import { readOrder } from "../orders/read.ts";

// A processor may know of an authorization or a capture that this database does not: the request was late, or the
// database was restored.

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(async () => {
  const auditor = newAuditor("6f1c2a34-0000-4000-8000-000000000003");
  await auditOnce(world.deps, auditor);
  await auditor.ledgerCheck;
  expect(await listBreaks(world.database, "all")).toEqual([]);
  expect(await checkLedger(world.database)).toMatchObject({ problems: [] });
  await world.close();
});

const processor = () => found(world.deps.cardProcessor);
const keyOf = ({ order }: OrderView) => ({ merchantId: MERCHANT_ID, orderId: order.id });
const read = (view: OrderView) => readOrder(world.deps, keyOf(view));
const cancel = (view: OrderView) => cancelOrder(world.deps, { ...keyOf(view), by: "customer" });

/** An order whose card payment no worker has asked for yet. */
async function startPayment(): Promise<OrderView> {
  const session = await world.openSession();
  const quote = await world.quote(session.sessionId);
  const walletAddress = "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu";
  const request = { quoteId: quote.id, walletAddress };
  const { order } = await placeOrder(world.deps, { merchantId: MERCHANT_ID, ...session, request });
  return payOrder(world.deps, {
    merchantId: MERCHANT_ID,
    sessionId: session.sessionId,
    orderId: order.id,
    payment: cardPayment(),
  });
}

const HANDLERS: Partial<
  Record<LeasedJob["kind"], (deps: Deps, job: LeasedJob) => Promise<LeasedJob | undefined | void>>
> = {
  authorize_payment: authorizePayment,
  capture_payment: capturePayment,
  void_payment: voidPayment,
};

async function claimed(view: OrderView): Promise<readonly LeasedJob[]> {
  await world.database.transaction((tx) => hurryJobs(tx, view.order.id));
  const claim = { leaseToken: randomUUID(), limit: 9, leaseSeconds: 600 };
  const jobs = await claimJobs(world.database, claim);
  return jobs.filter(({ orderId }) => orderId === view.order.id);
}

/** Runs the order's card jobs once, in this order of kinds. Returns those that ran. */
async function runJobs(view: OrderView, kinds = Object.keys(HANDLERS)): Promise<readonly string[]> {
  const jobs = await claimed(view);
  const ran: string[] = [];
  for (const kind of kinds) {
    let job: LeasedJob | undefined = jobs.find((one) => one.kind === kind);
    while (job) {
      ran.push(job.kind);
      job = (await HANDLERS[job.kind]?.(world.deps, job)) ?? undefined;
    }
  }
  await endLeases(world.database);
  return ran;
}

const amountOf = ({ order }: OrderView) => ({
  asset: world.deps.catalogue().requireCurrency(order.spendAssetId),
  units: order.spendUnits,
});

test.each([
  ["void", ["void_payment", "authorize_payment"]],
  ["authorization", ["authorize_payment", "void_payment"]],
])(
  "a payment that was captured is booked when its order was cancelled, and its %s asks first",
  async (_name, kinds) => {
    const started = await startPayment();
    const [job] = await claimed(started);
    await endLeases(world.database);
    const reference = found(job).subject;
    const { cardToken } = found(started.attempt);
    await processor().authorize({ reference, cardToken, amount: amountOf(started) });
    await processor().capture(reference);
    await cancel(started);
    await runJobs(started, kinds);
    await runJobs(started);
    const { order, attempt } = await read(started);
    expect(order).toMatchObject({
      status: "in_review",
      statusReason: "late_payment",
      receivedUnits: started.order.spendUnits,
    });
    expect(attempt?.status).toBe("captured");
    expect(await runJobs(started)).toEqual([]);
  },
);

/** An order that was cancelled while a request to authorize its card was on its way, and the request's end. */
async function cancelledTooSoon() {
  const started = await startPayment();
  let arrive = () => {};
  const isOnItsWay = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const authorize = vi.fn(async (request: AuthorizeCard) => {
    await isOnItsWay;
    return processor().authorize(request);
  });
  const cardProcessor = { ...processor(), authorize };
  const [job] = await claimed(started);
  const authorization = authorizePayment({ ...world.deps, cardProcessor }, found(job));
  await expect.poll(() => authorize.mock.calls.length).toBe(1);
  await cancel(started);
  await endLeases(world.database);
  await runJobs(started);
  expect((await read(started)).attempt?.status).toBe("voided");
  return { started, reference: found(job).subject, arrive, authorization };
}

test("an authorization that reaches the processor after its order was cancelled is voided there", async () => {
  const { started, reference, arrive, authorization } = await cancelledTooSoon();
  await runJobs(started);
  arrive();
  await expect(authorization).rejects.toThrow("no longer ours");
  expect((await processor().lookUp(reference))?.status).toBe("authorized");
  await runJobs(started);
  expect((await processor().lookUp(reference))?.status).toBe("voided");
  expect(await runJobs(started)).toEqual([]);
});

const advanceClock = (seconds: number) =>
  world.database.transaction((tx) => advanceBusinessClock(tx, seconds));

test("an authorization that never reaches the processor is looked up for fifteen minutes", async () => {
  const { started, arrive, authorization } = await cancelledTooSoon();
  await advanceClock(14 * 60);
  expect(await runJobs(started)).toEqual(["void_payment"]);
  await advanceClock(61);
  expect(await runJobs(started)).toEqual(["void_payment"]);
  expect(await runJobs(started)).toEqual([]);
  arrive();
  await expect(authorization).rejects.toThrow();
});
