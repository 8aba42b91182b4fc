import { expect, test } from "vitest";
import type { ScreeningSubject } from "../../domain/ports/screener.ts";
import { findOperatorPayout } from "../../storage/payouts/operator-payouts.ts";
import { found } from "../../testing/catalogue.ts";
import { operatorNamed } from "../../testing/operators.ts";
import { ETHEREUM, makeOrderWorld, ORDERS } from "../../testing/orders.ts";
import { outdateScreenings } from "../../testing/payouts.ts";
import { approvePayout } from "./approve.ts";
import { resumePayouts } from "./resume.ts";
import { setPayoutLimits } from "./set-limits.ts";
import { stopPayouts } from "./stop.ts";

// Facts that change while people decide about a payout.

const ANNA = operatorNamed("anna");
const BEN = operatorNamed("ben");
const RAIL = { kind: "rail", subject: "chain:ethereum" } as const;

test("approvals of an amount do not approve a screening hit that comes later", async () => {
  let listed: readonly ScreeningSubject[] = [];
  const world = await makeOrderWorld({
    screener: { name: "list", screen: () => Promise.resolve(listed) },
  });
  const view = await world.order(ORDERS.sell);
  await world.pay(view);
  await world.untilStatus(view, "completed");
  const currency = { kind: "currency", subject: "eth", by: ANNA } as const;
  await setPayoutLimits(world.deps, { ...currency, changes: { approvalAboveCents: 0n } });
  await world.pay(view);
  const owed = await world.until(view, ({ refunds }) => refunds.length === 1);
  const { id, purpose } = found(owed.refunds[0]);
  expect(purpose).toBe("excess_refund");
  const seen = () => findOperatorPayout(world.database, id);
  await expect.poll(async () => (await seen())?.waitsFor).toContain("needs 2 approvals; it has 0");
  await stopPayouts(world.deps, { ...RAIL, reason: "an incident", by: ANNA });
  for (const by of [ANNA, BEN]) await approvePayout(world.deps, { intentId: id, by });
  listed = [{ kind: "address", networkCode: "ethereum", address: ETHEREUM, memo: null }];
  await outdateScreenings(world.database, view.order.id);
  for (const by of [ANNA, BEN]) await resumePayouts(world.deps, { ...RAIL, by });
  await world.hurry(view);
  await expect.poll(async () => (await seen())?.waitsFor).toContain("screening hit");
  expect(await seen()).toMatchObject({ intent: { state: "created" }, approvedBy: [] });
  // A person who still sees the amount decides about nothing else.
  const seenBefore = { intentId: id, by: ANNA, waitCode: "approvals" } as const;
  await expect(approvePayout(world.deps, seenBefore)).rejects.toMatchObject({
    code: "INVALID_ORDER_STATE",
    message: `Payout ${id} no longer waits for what you saw, but for screening_hit. Read it again before you decide.`,
  });
  // The same two people approve the hit, each once.
  expect(await approvePayout(world.deps, { intentId: id, by: ANNA })).toMatchObject({
    approvedBy: ["anna"],
    approvalsMissing: 1,
  });
  await expect(approvePayout(world.deps, { intentId: id, by: ANNA })).rejects.toThrow("already");
  await approvePayout(world.deps, { intentId: id, by: BEN });
  const paid = await world.until(view, ({ refunds }) => refunds[0]?.state === "confirmed");
  expect(paid.refunds).toHaveLength(1);
  await world.close();
});

/** An order whose payout the signer holds at the first question, which is under way. */
async function askedOrder() {
  const world = await makeOrderWorld();
  let answer: () => void = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  let questions = 0;
  Object.assign(found(world.deps.chain), {
    preflight: async () => {
      questions += 1;
      if (questions > 1) return { state: "clear" };
      await answered;
      return { state: "hold", why: "it needs 2 signed approvals" };
    },
  });
  const view = await world.order(ORDERS.buyByBank);
  await world.pay(view);
  const sending = await world.until(view, ({ payout }) => payout !== undefined && questions === 1);
  const intentId = found(sending.payout).id;
  const approve = (by: typeof ANNA) => approvePayout(world.deps, { intentId, by });
  return { world, view, approve, answer, questions: () => questions };
}

test("approvals that come while the signer holds the payout are not lost", async () => {
  const { world, view, approve, answer, questions } = await askedOrder();
  for (const by of [ANNA, BEN]) await approve(by);
  answer();
  await world.untilStatus(view, "completed");
  expect(questions()).toBe(2);
  await world.close();
});

test("one approval meanwhile leaves the order in review, and the second one releases it", async () => {
  const { world, view, approve, answer, questions } = await askedOrder();
  await approve(ANNA);
  answer();
  await world.untilStatus(view, "in_review");
  await world.hurry(view);
  expect([(await world.read(view)).order.status, questions()]).toEqual(["in_review", 1]);
  await approve(BEN);
  await world.untilStatus(view, "completed");
  await world.close();
});
