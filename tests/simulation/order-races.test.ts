import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { OrderView } from "../../apps/server/src/domain/orders/view.ts";
import { advanceOrder } from "../../apps/server/src/flows/orders/advance.ts";
import { cancelOrder } from "../../apps/server/src/flows/orders/cancel.ts";
import { refundOrder } from "../../apps/server/src/flows/orders/refund.ts";
import { releaseOrder } from "../../apps/server/src/flows/orders/release.ts";
import {
  depositStep,
  type SeenDeposit,
} from "../../apps/server/src/flows/payments/record-deposits.ts";
import { Refusal } from "../../apps/server/src/flows/refusal.ts";
import { MAGIC_ADDRESSES } from "../../apps/server/src/sandbox/chains/magic-addresses.ts";
import { checkLedger } from "../../apps/server/src/storage/ledger/checks.ts";
import { found } from "../../apps/server/src/testing/catalogue.ts";
import { makeOrderWorld, ORDERS, type OrderWorld } from "../../apps/server/src/testing/orders.ts";
import { MERCHANT_ID } from "../../apps/server/src/testing/world.ts";
import { booksOf, endPaymentWindow } from "./books.ts";
import { losersOf, type Round, race, rounds, winnersOf } from "./race.ts";
import { payByCard, placed, placeIn } from "./stage.ts";

/** A card is authorized and captured within this time, so others come before, between and after. */
const CARD_MS = 700;

let world: OrderWorld;

beforeAll(async () => {
  world = await makeOrderWorld();
});
afterAll(() => world.close());

/** Returns the captures, card refunds, chain transfers and bank payouts of the order. */
const outsideOf = (view: OrderView) => booksOf(world.database).ofOrder(view);

/** Waits until the order has no unfinished job. */
async function settled(view: OrderView): Promise<OrderView> {
  for (let round = 0; round < 1_200; round++) {
    if ((await booksOf(world.database).unfinishedJobs(view.order.id)) === 0)
      return world.read(view);
    await sleep(50);
  }
  throw new Error(`order ${view.order.id} keeps unfinished jobs`);
}

const keyOf = ({ order }: OrderView) => ({ merchantId: MERCHANT_ID, orderId: order.id });

/** Plays the rounds of a race together, because it mostly waits. Each round checks its own order. */
async function together(name: string, play: (round: Round) => Promise<void>): Promise<void> {
  const playing: Promise<void>[] = [];
  await rounds(name, async (round) => {
    playing.push(play(round));
    // A dozen at a time: more would only wait for each other.
    if (playing.length % 12 === 0) await Promise.all(playing);
  });
  await Promise.all(playing);
  expect(await checkLedger(world.database)).toMatchObject({ ok: true, problems: [] });
}

test("of capture, expiry and cancellation one wins, and the books say which", async () => {
  await together("capture, expiry and cancellation", async (round) => {
    const view = await placed(world);
    await payByCard(world, view);
    const [cancelling] = await race<unknown>(round, [
      async () => {
        await sleep(round.random() * CARD_MS);
        return cancelOrder(world.deps, { ...keyOf(view), by: "customer" });
      },
      async () => {
        await sleep(round.random() * CARD_MS);
        await endPaymentWindow(world.database, view.order.id);
        await world.hurry(view);
      },
    ]);
    const after = await settled(view);
    const { captures, transfers } = await outsideOf(after);
    if (cancelling?.status === "fulfilled") {
      expect([after.order.status, captures, transfers]).toEqual(
        captures === 0 ? ["cancelled", 0, 0] : ["in_review", 1, 0],
      );
    } else {
      expect(cancelling?.reason).toBeInstanceOf(Refusal);
      expect([after.order.status, captures, transfers]).toEqual(["completed", 1, 1]);
    }
  });
});

test("an order is paid out or refunded, never both", async () => {
  await together("refund and payout", async (round) => {
    const view = await placed(world);
    await payByCard(world, view);
    const refund = () => refundOrder(world.deps, { ...keyOf(view), by: "operator" });
    const asking = async (): Promise<void> => {
      await sleep(round.random() * 2 * CARD_MS);
      await refund().catch((error: unknown) => expect(error).toBeInstanceOf(Refusal));
    };
    await race(round, [asking, asking, asking, asking]);
    const after = await settled(view);
    const { cardRefunds, transfers } = await outsideOf(after);
    expect([after.order.status, transfers, cardRefunds]).toEqual(
      after.order.status === "refunded" ? ["refunded", 0, 1] : ["completed", 1, 0],
    );
  });
});

test("of operators who release one order, one does", async () => {
  const sanctioned = MAGIC_ADDRESSES.find(
    ({ form, behaviour }) => form === "bitcoin" && behaviour === "sanctioned_later",
  );
  await together("two operators", async (round) => {
    const seat = await world.openSession();
    const quote = await world.quote(seat.sessionId);
    const view = await placeIn(world, seat, quote.id, found(sanctioned).address);
    await payByCard(world, view);
    await world.untilStatus(view, "in_review");
    const release = () => releaseOrder(world.deps, keyOf(view));
    const results = await race(round, [release, release, release]);
    expect(winnersOf(results)).toHaveLength(1);
    for (const reason of losersOf(results)) {
      expect(reason).toMatchObject({ code: "INVALID_ORDER_STATE" });
    }
    const done = await world.untilStatus(view, "completed");
    expect(await outsideOf(done)).toMatchObject({ captures: 1, transfers: 1 });
  });
});

test("a deposit that several watchers see become final is booked once", async () => {
  await together("two watchers", async (round) => {
    const view = await world.order(ORDERS.sell);
    const instruction = found(view.instruction);
    const seen: SeenDeposit = {
      source: instruction.networkCode ?? "",
      externalId: `race-${view.order.id}:0`,
      assetId: instruction.assetId,
      units: instruction.units,
      state: "final",
      confirmations: 100,
      blockHash: "race",
    };
    const watch = () =>
      advanceOrder(world.deps, { orderId: view.order.id }, (order, now) =>
        depositStep(world.deps, order, now, { instruction, seen: [seen] }),
      );
    const results = await race(round, [watch, watch, watch, watch]);
    expect(losersOf(results)).toEqual([]);
    expect(await booksOf(world.database).depositEntries(view.order.id)).toBe(1);
    await world.hurry(view);
    const done = await world.untilStatus(view, "completed");
    expect(await outsideOf(done)).toMatchObject({ bankPayouts: 1 });
  });
});

test("exchanges in opposite directions at once all end", async () => {
  const back = { ...ORDERS.swap, spend: "btc", receive: "eth", amount: "0.01" } as const;
  const request = {
    walletAddress: ORDERS.swap.request.refundAddress,
    refundAddress: ORDERS.swap.request.walletAddress,
  };
  await together("opposing exchanges", async (round) => {
    const views = await Promise.all([world.order(ORDERS.swap), world.order({ ...back, request })]);
    await race(
      round,
      views.map((view) => () => world.pay(view)),
    );
    for (const view of views) {
      const done = await world.untilStatus(view, "completed");
      expect(await outsideOf(done)).toMatchObject({ transfers: 1 });
    }
  });
});
