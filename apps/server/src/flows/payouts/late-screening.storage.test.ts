import { afterEach, beforeEach, expect, test } from "vitest";
import type { OrderView } from "../../domain/orders/view.ts";
import { type ChainGateway, PayoutWaits } from "../../domain/ports/chain-gateway.ts";
import type { ScreeningSubject } from "../../domain/ports/screener.ts";
import { watchFailpoints } from "../../failpoints.ts";
import { checkLedger } from "../../storage/ledger/checks.ts";
import { findPayoutIntent } from "../../storage/payouts/intents.ts";
import { findOperatorPayout } from "../../storage/payouts/operator-payouts.ts";
import { noteQuestion } from "../../storage/payouts/questions.ts";
import { storeRelease } from "../../storage/payouts/releases.ts";
import { statement } from "../../storage/postgres/database.ts";
import { found } from "../../testing/catalogue.ts";
import { operatorNamed } from "../../testing/operators.ts";
import { ETHEREUM, makeOrderWorld, ORDERS, type OrderWorld } from "../../testing/orders.ts";
import { outdateScreenings } from "../../testing/payouts.ts";
import { MERCHANT_ID } from "../../testing/world.ts";
import { holdOrder } from "../orders/hold.ts";
import { refundOrder } from "../orders/refund.ts";
import { releaseOrder } from "../orders/release.ts";
import { approvePayout } from "./approve.ts";

// A payout that is released waits unsigned: for a lower fee, for coins or for the end of a stop. Meanwhile its destination
// comes onto a list.

let world: OrderWorld;
let listed: readonly ScreeningSubject[] = [];
let questions = 0;
let chain: { sign: ChainGateway["sign"] };
let sign: ChainGateway["sign"];

beforeEach(async () => {
  listed = [];
  questions = 0;
  world = await makeOrderWorld({
    screener: {
      name: "list",
      screen: () => {
        questions += 1;
        return Promise.resolve(listed);
      },
    },
  });
  chain = found(world.deps.chain) as typeof chain;
  ({ sign } = chain);
  chain.sign = () => Promise.reject(new PayoutWaits("the fee is above the limit", 10_000));
});
afterEach(async () => {
  watchFailpoints(() => {});
  expect(await checkLedger(world.database)).toMatchObject({ problems: [] });
  await world.close();
});

const PLACES = statement(
  "test_late_places",
  "select place::int as place, purpose, state from chain_sends order by place, purpose",
);
const keyOf = ({ order }: OrderView) => ({ merchantId: MERCHANT_ID, orderId: order.id });
const address = (of: string | null | undefined): ScreeningSubject => ({
  kind: "address",
  networkCode: null,
  address: found(of ?? undefined),
  memo: null,
});

/** Waits until the payout or refund of the order is released and waits for its signature, and lets ten minutes pass. */
async function untilLate(view: OrderView) {
  const released = await world.until(view, ({ payout, refunds }) =>
    [payout, ...refunds].some((one) => one?.state === "created" && one.releasedAt !== null),
  );
  await world.untilTried(view);
  await outdateScreenings(world.database, view.order.id);
  const waiting = [released.payout, ...released.refunds];
  return found(waiting.find((one) => one?.state === "created") ?? undefined);
}

test("a payout that waited released is screened before it is signed, and its order is held", async () => {
  const view = await world.order(ORDERS.buyByBank);
  await world.pay(view);
  await untilLate(view);
  listed = [address(view.order.walletAddress)];
  chain.sign = sign;
  await world.hurry(view);
  const held = await world.untilStatus(view, "in_review");
  expect(held.order.statusReason).toBe("screening_hit");
  expect(held.payout).toMatchObject({ state: "created", releasedAt: null });
  // The list of payouts no longer says that the fee is too high.
  expect((await findOperatorPayout(world.database, found(held.payout).id))?.waitsFor).toBeNull();
  expect(held.timeline.at(-1)?.screeningHits).toEqual([`address ${view.order.walletAddress}`]);
  expect(await world.database.query(PLACES)).toEqual([
    { place: 0, purpose: "cancel", state: "bound" },
    { place: 0, purpose: "payout", state: "vacated" },
  ]);
  await releaseOrder(world.deps, keyOf(view));
  const paid = await world.untilStatus(view, "completed");
  expect(paid.payout?.id).toBe(held.payout?.id);
});

test("the order of such a payout may be refunded", async () => {
  const view = await world.order(ORDERS.buyByBank);
  await world.pay(view);
  await untilLate(view);
  listed = [address(view.order.walletAddress)];
  await world.hurry(view);
  await world.untilStatus(view, "in_review");
  await refundOrder(world.deps, { ...keyOf(view), by: "operator" });
  const refunded = await world.untilStatus(view, "refunded");
  expect(refunded.payout).toMatchObject({ state: "void" });
});

test("a crash between the place and the hold leaves the order to be held", async () => {
  const view = await world.order(ORDERS.buyByBank);
  await world.pay(view);
  await untilLate(view);
  listed = [address(view.order.walletAddress)];
  let crashes = 0;
  watchFailpoints((name) => {
    if (name !== "payout.before_hold" || crashes > 0) return;
    crashes += 1;
    throw new Error("crashed");
  });
  await world.hurry(view);
  await expect.poll(() => crashes).toBe(1);
  expect((await world.read(view)).order.status).toBe("sending");
  await world.untilTried(view);
  await world.hurry(view);
  await world.untilStatus(view, "in_review");
});

test("a screening without a hit is valid for ten minutes, however often the payout is looked at", async () => {
  const view = await world.order(ORDERS.buyByBank);
  await world.pay(view);
  await untilLate(view);
  const before = questions;
  for (let look = 0; look < 3; look += 1) {
    await world.hurry(view);
    await world.untilTried(view);
  }
  expect(questions).toBe(before + 1);
  chain.sign = sign;
  await world.hurry(view);
  await world.untilStatus(view, "completed");
});

test("a payout is not screened once the signer was asked, because it may be signed", async () => {
  const view = await world.order(ORDERS.buyByBank);
  await world.pay(view);
  const { id } = await untilLate(view);
  const sendId = found((await findPayoutIntent(world.database, id))?.send ?? undefined).id;
  await noteQuestion(world.database, { sendId, id });
  const key = { sendId, intentId: id };
  await storeRelease(world.database, key, { text: "a release", signature: "" });
  const before = questions;
  chain.sign = sign;
  await world.hurry(view);
  await world.untilStatus(view, "completed");
  expect(questions).toBe(before);
});

const RESTORE = `set local session_replication_role = replica;
  update history set restored_at = business_now(), restored_why = 'a test', compared_until = business_now()`;
const RECONCILE = `set local session_replication_role = replica;
  update history set restored_at = null, restored_why = null, compared_until = null`;

test("in a restored database a payout is neither held nor released from its send, because it may be paid", async () => {
  const view = await world.order(ORDERS.buyByBank);
  await world.pay(view);
  const { id } = await untilLate(view);
  const run = (text: string) => world.database.transaction((tx) => tx.runScript(text));
  await run(RESTORE);
  listed = [address(view.order.walletAddress)];
  await world.hurry(view);
  await world.untilTried(view);
  expect((await world.read(view)).order.status).toBe("sending");
  expect(await findPayoutIntent(world.database, id)).toMatchObject({ send: { place: 0n } });
  await run(RECONCILE);
  await world.hurry(view);
  await world.untilStatus(view, "in_review");
});

test.each(["hold", "rejected"] as const)(
  "in a restored database a payout whose preflight is %s waits, because it may be paid",
  async (state) => {
    const run = (text: string) => world.database.transaction((tx) => tx.runScript(text));
    let questions = 0;
    Object.assign(chain, {
      sign,
      preflight: async () => {
        questions += 1;
        return { state, why: "the signer says no" };
      },
    });
    const view = await world.order(ORDERS.buyByBank);
    await run(RESTORE);
    await world.pay(view);
    await expect.poll(() => questions).toBeGreaterThan(0);
    await world.untilTried(view);
    const waiting = await world.read(view);
    expect([waiting.order.status, waiting.payout?.state]).toEqual(["sending", "created"]);
    await run(RECONCILE);
    await world.hurry(view);
    await world.untilStatus(view, "in_review");
  },
);

test("a released refund is held, and its order is in review", async () => {
  const view = await world.order(ORDERS.swap);
  await holdOrder(world.deps, { ...keyOf(view), holdReason: "provider_error" });
  await world.pay(view);
  await world.until(view, ({ order }) => (order.receivedUnits ?? 0n) > 0n);
  await refundOrder(world.deps, { ...keyOf(view), by: "operator" });
  const { id } = await untilLate(view);
  listed = [address(ETHEREUM)];
  chain.sign = sign;
  await world.hurry(view);
  const held = await world.untilStatus(view, "in_review");
  expect(held.order.statusReason).toBe("screening_hit");
  expect(held.refunds).toMatchObject([{ id, state: "void" }]);
});

test("a released excess refund waits for two approvals of the hit", async () => {
  const wait = chain.sign;
  chain.sign = sign;
  const view = await world.order(ORDERS.sell);
  await world.pay(view);
  await world.untilStatus(view, "completed");
  chain.sign = wait;
  await world.pay(view);
  const { id } = await untilLate(view);
  listed = [address(ETHEREUM)];
  chain.sign = sign;
  await world.hurry(view);
  const seen = () => findOperatorPayout(world.database, id);
  await expect.poll(async () => (await seen())?.waitsFor).toContain("screening hit");
  await expect.poll(async () => (await seen())?.intent.releasedAt).toBeNull();
  // Each later look may end in the middle. The wait for approvals of the hit stays.
  let crashes = 0;
  watchFailpoints((name) => {
    if (name !== "payout.before_hold") return;
    crashes += 1;
    throw new Error("crashed");
  });
  await outdateScreenings(world.database, view.order.id);
  await world.hurry(view);
  await expect.poll(() => crashes).toBe(1);
  await world.untilTried(view);
  watchFailpoints(() => {});
  // A person who saw another hit decides about nothing.
  const other = { waitCode: "screening_hit", waitsFor: "a screening hit (another)" } as const;
  await expect(
    approvePayout(world.deps, { intentId: id, by: operatorNamed("anna"), ...other }),
  ).rejects.toMatchObject({ code: "INVALID_ORDER_STATE" });
  for (const name of ["anna", "ben"]) {
    await approvePayout(world.deps, { intentId: id, by: operatorNamed(name) });
  }
  const paid = await world.until(view, ({ refunds }) => refunds[0]?.state === "confirmed");
  expect(paid.refunds).toHaveLength(1);
});
