import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isTerminal } from "../../apps/server/src/domain/orders/status.ts";
import type { OrderView } from "../../apps/server/src/domain/orders/view.ts";
import { cancelOrder } from "../../apps/server/src/flows/orders/cancel.ts";
import { holdOrder } from "../../apps/server/src/flows/orders/hold.ts";
import { recordRefundAddress } from "../../apps/server/src/flows/orders/record-refund-address.ts";
import { refundOrder } from "../../apps/server/src/flows/orders/refund.ts";
import { releaseOrder } from "../../apps/server/src/flows/orders/release.ts";
import { resumePayouts } from "../../apps/server/src/flows/payouts/resume.ts";
import { stopPayouts } from "../../apps/server/src/flows/payouts/stop.ts";
import { Refusal } from "../../apps/server/src/flows/refusal.ts";
import { checkLedger } from "../../apps/server/src/storage/ledger/checks.ts";
import { operatorNamed } from "../../apps/server/src/testing/operators.ts";
import {
  ETHEREUM,
  makeOrderWorld,
  ORDERS,
  type OrderWorld,
} from "../../apps/server/src/testing/orders.ts";
import { MERCHANT_ID } from "../../apps/server/src/testing/world.ts";
import { booksOf } from "./books.ts";
import { isChosen, playSeeded, roundsOf, SEED, seededNumbers } from "./campaign.ts";

// People hold, release, refund and cancel orders in any order, while customers pay again, too little or
// too much. The rails judge: an order that completed has cost its customer the agreed amount, any other nothing.

const HISTORIES = { test: 1, campaign: 100 } as const;
const ORDERS_OF_A_HISTORY = 16;
const DECISIONS_OF_AN_ORDER = 8;
/** Jobs run between two rounds of decisions, so that these meet orders in each status. */
const ROUND_MS = 150;
const ENDING_ROUNDS_MAX = 400;

const WANTED = [ORDERS.buyByBank, ORDERS.transfer, ORDERS.sell, ORDERS.swap];
const RAILS = ["bank", "chain"] as const;
const BY = operatorNamed("anna");

let world: OrderWorld;
beforeAll(async () => {
  world = await makeOrderWorld();
});
afterAll(() => world.close());

const keyOf = ({ order }: OrderView) => ({ merchantId: MERCHANT_ID, orderId: order.id });

type Decision = (view: OrderView) => Promise<unknown>;

const release: Decision = (view) => releaseOrder(world.deps, { ...keyOf(view), operator: BY });
const refund: Decision = (view) =>
  refundOrder(world.deps, { ...keyOf(view), by: "operator", operator: BY });
const cancel: Decision = (view) =>
  cancelOrder(world.deps, { ...keyOf(view), by: "operator", operator: BY });
const giveAddress: Decision = (view) =>
  recordRefundAddress(world.deps, { ...keyOf(view), to: { refundAddress: ETHEREUM } });

/** Those that end an order are rarer, so that more happens before. */
const DECISIONS: readonly Decision[] = [
  (view) => world.pay(view),
  (view) => world.pay(view),
  (view) => world.pay(view, { units: view.order.spendUnits / 3n }),
  (view) => world.pay(view, { units: view.order.spendUnits + 7n }),
  (view) => world.pay(view, { units: 2n * view.order.spendUnits }),
  (view) => holdOrder(world.deps, { ...keyOf(view), holdReason: "provider_error", operator: BY }),
  (view) => holdOrder(world.deps, { ...keyOf(view), holdReason: "limit_exceeded", operator: BY }),
  release,
  release,
  giveAddress,
  (view) =>
    refundOrder(world.deps, {
      ...keyOf(view),
      by: "operator",
      operator: BY,
      amount: { units: 1n, scale: 2 },
    }),
  refund,
  cancel,
];

/** Carries a decision out. An order may be in a status that does not allow it. */
async function decide(decision: Decision, view: OrderView): Promise<boolean> {
  try {
    await decision(view);
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

async function stopAll(): Promise<void> {
  for (const subject of RAILS) {
    await stopPayouts(world.deps, { kind: "rail", subject, reason: "a history", by: BY });
  }
}

async function resumeAll(): Promise<void> {
  for (const subject of RAILS) {
    for (const name of ["anna", "bob"]) {
      await resumePayouts(world.deps, { kind: "rail", subject, by: operatorNamed(name) });
    }
  }
}

async function place(random: () => number): Promise<OrderView> {
  const wanted = WANTED[Math.floor(random() * WANTED.length)] ?? ORDERS.transfer;
  return world.order(wanted);
}

/** In most histories payouts are stopped until the decisions are made, so that these meet exchanged orders. */
async function play(seed: number): Promise<object> {
  const random = seededNumbers(seed);
  const views: OrderView[] = [];
  for (let count = 0; count < ORDERS_OF_A_HISTORY; count++) views.push(await place(random));
  const isStopped = random() < 0.7;
  if (isStopped) await stopAll();
  for (const view of views) await world.pay(view);
  if (isStopped) await Promise.all(views.map((view) => world.untilStatus(view, "sending")));
  for (let round = 0; round < DECISIONS_OF_AN_ORDER; round++) {
    for (const view of views) {
      const decision = DECISIONS[Math.floor(random() * DECISIONS.length)];
      if (decision) await decide(decision, view);
      await world.hurry(view);
    }
    await sleep(ROUND_MS);
  }
  if (isStopped) await resumeAll();
  const ended = await Promise.all(views.map(untilEnded));
  for (const view of ended) await expectFairness(view);
  return countStatuses(ended);
}

/** Returns the decisions to try. Nobody decides about an order that goes on by itself. */
function endingsOf({ order }: OrderView): readonly Decision[] {
  const { status, receivedUnits, spendUnits } = order;
  if (status === "awaiting_payment" || status === "payment_pending") return [cancel];
  if (status !== "in_review") return [];
  return (receivedUnits ?? 0n) >= spendUnits ? [release, refund] : [refund, cancel];
}

/** Decides as an operator would who wants to be done: releases the order, or returns its money. */
async function untilEnded(view: OrderView): Promise<OrderView> {
  await decide(giveAddress, view);
  for (let round = 0; round < ENDING_ROUNDS_MAX; round++) {
    const now = await world.read(view);
    const { status } = now.order;
    if (isTerminal(status) && (await booksOf(world.database).unfinishedJobs(now.order.id)) === 0)
      return now;
    for (const ending of endingsOf(now)) if (await decide(ending, now)) break;
    await world.hurry(now);
    await sleep(ROUND_MS);
  }
  const { status, statusReason } = (await world.read(view)).order;
  throw new Error(`order ${view.order.id} never ended: it is ${status}, ${statusReason}`);
}

async function expectFairness(view: OrderView): Promise<void> {
  const { id, status, spendUnits } = view.order;
  const paid = await booksOf(world.database).paidByCustomer(view);
  const due = status === "completed" ? spendUnits : 0n;
  expect(`order ${id}, ${status}, cost ${paid}`).toBe(`order ${id}, ${status}, cost ${due}`);
}

const countStatuses = (views: readonly OrderView[]): object =>
  Object.fromEntries(
    [...new Set(views.map(({ order }) => order.status))].map((status) => [
      status,
      views.filter(({ order }) => order.status === status).length,
    ]),
  );

for (let number = 0; number < roundsOf(HISTORIES); number++) {
  const seed = SEED + number;
  const name = `history ${number + 1}`;
  if (!isChosen(name)) continue;
  test(`whatever people decide, nobody's money is kept: ${name}`, () =>
    playSeeded({ campaign: "decisions", name, seed, of: "histories" }, async () => {
      const counts = await play(seed);
      expect(await checkLedger(world.database)).toMatchObject({ ok: true, problems: [] });
      return counts;
    }));
}
