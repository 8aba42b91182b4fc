import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { OrderView } from "../../domain/orders/view.ts";
import { setReconciled, setRestored } from "../../storage/history.ts";
import { checkLedger } from "../../storage/ledger/checks.ts";
import { codeOf, keyOf, type MovingWorld, makeMovingWorld } from "../../testing/moving-price.ts";
import { operatorNamed } from "../../testing/operators.ts";
import { ORDERS } from "../../testing/orders.ts";
import { resumePayouts } from "../payouts/resume.ts";
import { acceptPrice, declinePrice } from "./answer-price.ts";
import { holdOrder } from "./hold.ts";
import { refundOrder } from "./refund.ts";
import { releaseOrder } from "./release.ts";

let world: MovingWorld;
let isScreenerDown = false;
beforeAll(async () => {
  const screen = () =>
    isScreenerDown ? Promise.reject(new Error("the screener is down")) : Promise.resolve([]);
  world = await makeMovingWorld({ screener: { name: "switched", screen } });
});
afterEach(() => {
  world.priceAt(1000n);
  isScreenerDown = false;
});
afterAll(async () => {
  expect(await checkLedger(world.database)).toMatchObject({ problems: [] });
  await world.close();
});

const accept = (view: OrderView, quoteId: string) =>
  codeOf(acceptPrice(world.deps, { ...keyOf(view), quoteId }));
const refundByMerchant = (view: OrderView, amount?: { units: bigint; scale: number }) =>
  refundOrder(world.deps, { ...keyOf(view), by: "merchant", amount });

test("of many answers with several offers one counts, and its price is paid out", async () => {
  const moved = await world.movedOrder();
  const first = await world.offerFor(moved);
  world.priceAt(1020n);
  const second = await world.offerFor(moved);
  expect(second.receive.units).toBeLessThan(first.receive.units);
  const ids = [first.id, second.id, first.id, second.id, first.id, second.id];
  const answers = await Promise.all(ids.map((id) => accept(moved, id)));
  expect(answers.filter((code) => code === "nothing")).toHaveLength(1);
  expect(answers.filter((code) => code === "INVALID_ORDER_STATE")).toHaveLength(5);
  const done = await world.untilStatus(moved, "completed");
  const winner = [first, second].find(({ id }) => id === done.order.quoteId);
  expect(done.payout?.units).toBe(winner?.receive.units);
  expect(done.timeline.filter(({ note }) => note.includes("accepted"))).toHaveLength(1);
});

test("an accepted price counts, even if the exchange has to wait and the market moves on", async () => {
  const moved = await world.movedOrder();
  const offer = await world.offerFor(moved);
  isScreenerDown = true;
  expect(await accept(moved, offer.id)).toBe("nothing");
  world.priceAt(1050n);
  await world.untilTried(moved);
  expect((await world.read(moved)).order.status).toBe("processing");
  isScreenerDown = false;
  await world.hurry(moved);
  const done = await world.untilStatus(moved, "completed");
  expect(done.payout?.units).toBe(offer.receive.units);
});

test("the customer's yes and a merchant's refund at once: one of them counts", async () => {
  const moved = await world.movedOrder();
  const offer = await world.offerFor(moved);
  const answers = await Promise.all([
    accept(moved, offer.id),
    codeOf(refundByMerchant(moved)),
    codeOf(declinePrice(world.deps, keyOf(moved))),
    codeOf(releaseOrder(world.deps, keyOf(moved))),
  ]);
  const done = await world.until(moved, ({ order }) =>
    ["completed", "refunded"].includes(order.status),
  );
  // A merchant may also refund while the order is processed, after a yes.
  expect(answers.filter((code) => code === "nothing").length).toBeGreaterThanOrEqual(1);
  const sent = [done.payout, ...done.refunds].filter((each) => each?.state === "confirmed");
  expect(sent).toHaveLength(1);
});

test("after a merchant's refund of a part only an operator decides", async () => {
  const moved = await world.movedOrder();
  const offer = await world.offerFor(moved);
  await refundByMerchant(moved, { units: 40n, scale: 0 });
  await world.until(
    moved,
    ({ order, refunds }) => order.status === "in_review" && refunds.length > 0,
  );
  expect(await accept(moved, offer.id)).toBe("INVALID_ORDER_STATE");
  expect(await codeOf(declinePrice(world.deps, keyOf(moved)))).toBe("INVALID_ORDER_STATE");
  await world.skip(24 * 60 * 60 + 1);
  await world.hurry(moved);
  expect((await world.read(moved)).order.status).toBe("in_review");
});

test("more money while the order waits is returned after the yes", async () => {
  const moved = await world.movedOrder();
  await world.pay(moved);
  await world.until(moved, ({ order }) => order.receivedUnits === 2n * moved.order.spendUnits);
  const offer = await world.offerFor(moved);
  expect(offer.spend.units).toBe(moved.order.spendUnits);
  expect(await accept(moved, offer.id)).toBe("nothing");
  const done = await world.until(
    moved,
    ({ order, refunds }) => order.status === "completed" && refunds[0]?.state === "confirmed",
  );
  expect(done.payout?.units).toBe(offer.receive.units);
  expect(done.refunds).toMatchObject([{ units: moved.order.spendUnits }]);
});

test("an order that screening holds takes no answer of its customer", async () => {
  const placed = await world.order(ORDERS.buyByBank);
  await holdOrder(world.deps, { ...keyOf(placed), holdReason: "screening_hit" });
  const key = keyOf(placed);
  expect(await codeOf(declinePrice(world.deps, key))).toBe("INVALID_ORDER_STATE");
  expect(await codeOf(world.offerFor(placed))).toBe("INVALID_ORDER_STATE");
});

test("a transfer that came late is priced again when an operator releases it", async () => {
  const placed = await world.order(ORDERS.buyByBank);
  await world.skip(3 * 24 * 60 * 60 + 1);
  await world.hurry(placed);
  await world.untilStatus(placed, "expired");
  world.priceAt(1100n);
  await world.pay(placed);
  await world.until(placed, ({ order }) => order.statusReason === "late_payment");
  await releaseOrder(world.deps, keyOf(placed));
  const moved = await world.until(placed, ({ order }) => order.statusReason === "rate_moved");
  const offer = await world.offerFor(moved);
  expect(await accept(moved, offer.id)).toBe("nothing");
  const done = await world.untilStatus(placed, "completed");
  expect(done.payout?.units).toBe(offer.receive.units);
});

test("a wire transfer that is sent on the next day and takes five more, over a weekend, is in time", async () => {
  const placed = await world.order({ ...ORDERS.buyByBank, method: "wire", amount: "500" });
  await world.skip(8 * 24 * 60 * 60);
  await world.hurry(placed);
  await world.pay(placed);
  const done = await world.untilStatus(placed, "completed");
  expect(done.timeline.map(({ status }) => status)).not.toContain("expired");
});

test("a yes after the time for an answer finds the money returned", async () => {
  const moved = await world.movedOrder();
  await world.skip(24 * 60 * 60 + 1);
  const offer = await world.offerFor(moved);
  await world.hurry(moved);
  await world.untilStatus(moved, "refunded");
  expect(await accept(moved, offer.id)).toBe("INVALID_ORDER_STATE");
});

test("in a restored database the customer's answers wait for the operator", async () => {
  const moved = await world.movedOrder();
  const offer = await world.offerFor(moved);
  await setRestored(world.database, { why: "a test", lastMark: 0n });
  expect(await accept(moved, offer.id)).toBe("INVALID_ORDER_STATE");
  expect(await codeOf(declinePrice(world.deps, keyOf(moved)))).toBe("INVALID_ORDER_STATE");
  await world.skip(24 * 60 * 60 + 1);
  await world.hurry(moved);
  await world.untilTried(moved);
  expect((await world.read(moved)).order.status).toBe("in_review");
  await world.database.transaction(setReconciled);
  for (const person of ["anna", "ben"]) {
    await resumePayouts(world.deps, { kind: "all", subject: "", by: operatorNamed(person) });
  }
  await world.hurry(moved);
  await world.untilStatus(moved, "refunded");
});
