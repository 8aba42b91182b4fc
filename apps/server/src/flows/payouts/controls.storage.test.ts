import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Operator } from "../../domain/operators/operator.ts";
import type { OrderView } from "../../domain/orders/view.ts";
import { STOP_KINDS } from "../../domain/payouts/stop.ts";
import { given } from "../../domain/rules/controls.ts";
import { parseRequest } from "../../signer/protocol.ts";
import { listControlChanges } from "../../storage/audit/control-log.ts";
import { type LeasedJob, postponeJob } from "../../storage/jobs/jobs.ts";
import { insertPayoutApproval } from "../../storage/payouts/approvals.ts";
import { readExchangeControls } from "../../storage/payouts/exchange-controls.ts";
import { readDebt } from "../../storage/payouts/liquidity.ts";
import { findOperatorPayout, listOperatorPayouts } from "../../storage/payouts/operator-payouts.ts";
import { listSignedApprovals } from "../../storage/payouts/releases.ts";
import { listStops, putStop } from "../../storage/payouts/stops.ts";
import { statement } from "../../storage/postgres/database.ts";
import { found } from "../../testing/catalogue.ts";
import { NO_CONTROLS } from "../../testing/exchanges.ts";
import { operatorNamed } from "../../testing/operators.ts";
import { makeOrderWorld, ORDERS, type OrderWorld } from "../../testing/orders.ts";
import { MERCHANT_ID } from "../../testing/world.ts";
import { placeOrder } from "../orders/place.ts";
import { refundOrder } from "../orders/refund.ts";
import { releaseOrder } from "../orders/release.ts";
import { approvePayout } from "./approve.ts";
import { resumePayouts } from "./resume.ts";
import { setPayoutLimits, unsetPayoutLimits } from "./set-limits.ts";
import { setLiquidityLimit } from "./set-liquidity-limit.ts";
import { stopPayouts } from "./stop.ts";

let world: OrderWorld;
let controls = NO_CONTROLS;
beforeAll(async () => {
  world = await makeOrderWorld({ controls: () => controls });
});
afterAll(() => world.close());

const refresh = async () => {
  controls = await readExchangeControls(world.database);
};
const BTC = { kind: "currency", subject: "btc" } as const;
const limit = (changes: Parameters<typeof setPayoutLimits>[1]["changes"]) =>
  setPayoutLimits(world.deps, { ...BTC, changes, by: operatorNamed("anna") });
const unlimit = () => unsetPayoutLimits(world.deps, { ...BTC, by: operatorNamed("anna") });
const paid = async (wanted: Parameters<OrderWorld["order"]>[0] = ORDERS.buyByBank) => {
  const view = await world.order(wanted);
  await world.pay(view);
  return view;
};
const approve = (intentId: string, person: string) =>
  approvePayout(world.deps, { intentId, by: operatorNamed(person) });
const key = (view: { order: { id: bigint } }) => ({
  merchantId: MERCHANT_ID,
  orderId: view.order.id,
});

describe("a payout above the amount that needs approval", () => {
  test("holds its order until two different people approved, then goes by itself", async () => {
    await limit({ approvalAboveCents: 0n });
    const view = await paid();
    const held = await world.untilStatus(view, "in_review");
    expect(held.order.statusReason).toBe("limit_exceeded");
    const { id } = found(held.payout);
    expect((await findOperatorPayout(world.database, id))?.waitsFor).toContain("needs 2 approvals");
    expect(await approve(id, "Anna")).toMatchObject({ approvalsMissing: 1, released: false });
    await expect(approve(id, "anna ")).rejects.toThrow("Another person");
    expect((await world.read(view)).order.status).toBe("in_review");
    expect(await approve(id, "ben")).toMatchObject({
      approvedBy: ["anna", "ben"],
      approvalsMissing: 0,
      released: true,
    });
    await world.untilStatus(view, "completed");
    await expect(approve(id, "carla")).rejects.toThrow("nothing to approve");
    await unlimit();
  });

  test("released by an operator without the approvals is held again", async () => {
    await limit({ approvalAboveCents: 0n });
    const view = await paid();
    const held = await world.untilStatus(view, "in_review");
    await releaseOrder(world.deps, key(view));
    const again = await world.until(
      view,
      ({ order }) => order.status === "in_review" && order.version > held.order.version + 1,
    );
    expect(again.order.statusReason).toBe("limit_exceeded");
    await unlimit();
  });

  test("can be refunded instead, and the approved payout never goes", async () => {
    await limit({ approvalAboveCents: 0n });
    const view = await paid();
    const held = await world.untilStatus(view, "in_review");
    const { id } = found(held.payout);
    await approve(id, "anna");
    await refundOrder(world.deps, { ...key(view), by: "operator" });
    await world.untilStatus(view, "refunded");
    await expect(approve(id, "ben")).rejects.toThrow("is void");
    await unlimit();
  });

  test("is not approved when it is above the limit of one payout, which no approval lifts", async () => {
    await limit({ payoutCents: 1n });
    const view = await paid();
    const held = await world.untilStatus(view, "in_review");
    const { id } = found(held.payout);
    await expect(approve(id, "anna")).rejects.toThrow("above the limit of one payout of 0.01 EUR");
    await limit({ payoutCents: null });
    await releaseOrder(world.deps, key(view));
    await world.untilStatus(view, "completed");
    await unlimit();
  });

  test("stays held however often one person approves at the same moment", async () => {
    await limit({ approvalAboveCents: 0n });
    const view = await paid();
    const held = await world.untilStatus(view, "in_review");
    const { id } = found(held.payout);
    const names = ["anna", "ANNA", " anna", "anna ", "Anna"];
    const outcomes = await Promise.allSettled(names.map((name) => approve(id, name)));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect((await world.read(view)).order.status).toBe("in_review");
    expect((await findOperatorPayout(world.database, id))?.approvedBy).toEqual(["anna"]);
    await unlimit();
  });

  test("has signed approvals that the signer can read, however many one person stores", async () => {
    await limit({ approvalAboveCents: 0n });
    const { id } = found((await world.untilStatus(await paid(), "in_review")).payout);
    const signatureOf = (number: number): string => `${String(number).padStart(86, "A")}==`;
    const prod = { ...world.deps, environment: "prod" } as const;
    const sign = (number: number, by: Operator, name: string) =>
      approvePayout(prod, { intentId: id, by, signed: { name, signature: signatureOf(number) } });
    const [anna, carla] = [operatorNamed("anna"), operatorNamed("carla")];
    for (let number = 0; number < 12; number += 1) await sign(number, anna, "anna");
    await sign(12, anna, "a".repeat(65));
    await expect(sign(13, operatorNamed("eve", "anna"), "ben")).rejects.toThrow("Another person");
    await sign(14, carla, "carla");
    const approvals = await listSignedApprovals(world.database, id);
    expect(approvals.slice(0, 2)).toEqual([
      { name: "anna", signature: signatureOf(11) },
      { name: "carla", signature: signatureOf(14) },
    ]);
    expect(approvals.map(({ name }) => name)).not.toContain("ben");
    const request = {
      id: 0,
      op: "check",
      release: { text: "", signature: signatureOf(0), approvals },
    };
    expect(() => parseRequest(JSON.stringify(request))).not.toThrow();
    await unlimit();
  });

  test("goes on when an approver calls again after a crash between the last approval and the release", async () => {
    await limit({ approvalAboveCents: 0n });
    const view = await paid();
    const { id } = found((await world.untilStatus(view, "in_review")).payout);
    for (const person of ["anna", "ben"]) {
      await world.database.transaction((tx) => insertPayoutApproval(tx, id, operatorNamed(person)));
    }
    expect(await approve(id, "ben")).toMatchObject({ approvedBy: ["anna", "ben"], released: true });
    await world.untilStatus(view, "completed");
    await unlimit();
  });

  test("does not release an order that waits for something else by then", async () => {
    await limit({ approvalAboveCents: 0n });
    const view = await paid();
    const { id } = found((await world.untilStatus(view, "in_review")).payout);
    const seen = { ...key(view), statusReason: "underpaid" } as const;
    await expect(releaseOrder(world.deps, seen)).rejects.toThrow(
      "The order is in_review for limit_exceeded now.",
    );
    await approve(id, "anna");
    await world.database.transaction((tx) => insertPayoutApproval(tx, id, operatorNamed("ben")));
    await world.database.query(HOLD_FOR_SCREENING, [view.order.id]);
    await expect(approve(id, "ben")).rejects.toThrow("already approved");
    expect((await world.read(view)).order.status).toBe("in_review");
    await releaseOrder(world.deps, key(view));
    await world.untilStatus(view, "completed");
    await unlimit();
  });

  test("approved by two at the same moment goes once", async () => {
    await limit({ approvalAboveCents: 0n });
    const view = await paid();
    const held = await world.untilStatus(view, "in_review");
    const { id } = found(held.payout);
    const outcomes = await Promise.all([approve(id, "anna"), approve(id, "ben")]);
    expect(outcomes.filter(({ released }) => released)).toHaveLength(1);
    await world.untilStatus(view, "completed");
    await unlimit();
  });
});

const HOLD_FOR_SCREENING = statement(
  "test_hold_for_screening",
  "update orders set status_reason = 'screening_hit', version = version + 1 where id = $1",
);

/** Postpones the job of an order's payout, once no worker holds it. */
const REST_A_DAY = statement(
  "test_rest_a_day",
  `update jobs set run_at = business_now() + interval '1 day'
   where order_id = $1 and kind = 'send_payout' and lease_token is null returning id`,
);

/** Leases the job of an order's payout for a worker that is still deciding about it. */
const LEASE = statement(
  "test_lease_payout",
  `update jobs set lease_token = gen_random_uuid(), leased_until = clock_timestamp() + interval '1 hour'
   where order_id = $1 and kind = 'send_payout' and lease_token is null
   returning id, lease_token as "leaseToken"`,
);
const FORGET_WAIT = statement("test_forget_wait", "delete from payout_waits where intent_id = $1");
const DAY_MS = 86_400_000;

describe("a stop", () => {
  test("of a rail leaves the order sending, and the order continues at once when it is lifted", async () => {
    const rail = { kind: "rail", subject: "chain:bitcoin", by: operatorNamed("anna") } as const;
    expect(await stopPayouts(world.deps, { ...rail, reason: "a test" })).toBe(true);
    const view = await paid();
    const waiting = await world.until(view, ({ payout }) => payout !== undefined);
    const { id } = found(waiting.payout);
    await expect
      .poll(async () =>
        (await listOperatorPayouts(world.database, { which: "waiting", limit: 5 })).map(
          (one) => one.intent.id,
        ),
      )
      .toContain(id);
    expect((await world.read(view)).order.status).toBe("sending");
    // By itself the payout would be decided on again after this day.
    await expect.poll(() => world.database.query(REST_A_DAY, [view.order.id])).toHaveLength(1);
    expect(await resumePayouts(world.deps, rail)).toEqual({ resumed: false, peopleMissing: 1 });
    await expect(resumePayouts(world.deps, rail)).rejects.toThrow("already agreed");
    const second = { ...rail, by: operatorNamed("ben") };
    expect(await resumePayouts(world.deps, second)).toEqual({ resumed: true, peopleMissing: 0 });
    await world.untilStatus(view, "completed");
  });

  test("that ends while a worker postpones the payout makes it due at once", async () => {
    const rail = { kind: "rail", subject: "chain:bitcoin", by: operatorNamed("anna") } as const;
    await stopPayouts(world.deps, { ...rail, reason: "a test" });
    const view = await paid();
    const { payout } = await world.until(view, (read) => read.payout !== undefined);
    const { id } = found(payout);
    const waitsFor = async () => (await findOperatorPayout(world.database, id))?.waitsFor;
    await expect.poll(waitsFor).toContain("stopped");
    let leased: LeasedJob[] = [];
    await expect
      .poll(async () => {
        leased = await world.database.query<LeasedJob>(LEASE, [view.order.id]);
        return leased.length;
      })
      .toBe(1);
    // The worker has read the stop, and its note is not committed.
    await world.database.query(FORGET_WAIT, [id]);
    await resumePayouts(world.deps, rail);
    await resumePayouts(world.deps, { ...rail, by: operatorNamed("ben") });
    await postponeJob(world.database, found(leased[0]), DAY_MS);
    await world.untilStatus(view, "completed");
  });

  test.each([
    ["pair", "eur-btc", ORDERS.swap],
    ["merchant", MERCHANT_ID, undefined],
    ["currency", "eur", ORDERS.swap],
    ["currency", "btc", ORDERS.transfer],
    ["network", "bitcoin", ORDERS.transfer],
    ["method", "sepa", ORDERS.swap],
    ["method", "crypto", ORDERS.transfer],
  ] as const)(
    "of %s %s refuses quotes and orders of it, and no others",
    async (kind, subject, other) => {
      const stop = { kind, subject, by: operatorNamed("anna") };
      await stopPayouts(world.deps, { ...stop, reason: "secret worries" });
      await refresh();
      const refused = await world.order(ORDERS.buyByBank).catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: "LIQUIDITY_UNAVAILABLE" });
      expect((refused as Error).message).toMatch(/paused/);
      expect((refused as Error).message).not.toContain("secret");
      if (other) await world.order(other);
      await resumePayouts(world.deps, stop);
      await refresh();
      await world.order(ORDERS.buyByBank);
    },
  );

  test.each([
    ["currency", "btc"],
    ["network", "bitcoin"],
    ["method", "crypto"],
  ] as const)(
    "of %s %s holds its payouts, and a refund in another currency goes on",
    async (kind, subject) => {
      const stop = { kind, subject, by: operatorNamed("anna") };
      await stopPayouts(world.deps, { ...stop, reason: "a test" });
      const view = await paid();
      const { payout } = await world.until(view, (read) => read.payout !== undefined);
      const waiting = async () =>
        listOperatorPayouts(world.database, { which: "waiting", limit: 5 });
      await expect
        .poll(async () => (await waiting()).map((one) => one.intent.id))
        .toContain(payout?.id);
      const other = await world.order(ORDERS.buyByBank);
      await world.pay(other, { units: 5_000n });
      await world.untilStatus(other, "in_review");
      await refundOrder(world.deps, { ...key(other), by: "operator" });
      await world.untilStatus(other, "refunded");
      expect((await world.read(view)).order.status).toBe("sending");
      await resumePayouts(world.deps, stop);
      await world.untilStatus(view, "completed");
    },
  );

  test("set after the quote refuses the order", async () => {
    const { sessionId, tokenJti } = await world.openSession();
    const quote = await world.quote(sessionId);
    const pair = { kind: "pair", subject: "eur-btc", by: operatorNamed("anna") } as const;
    await stopPayouts(world.deps, { ...pair, reason: "a test" });
    await refresh();
    const request = { ...ORDERS.buyByBank.request, quoteId: quote.id };
    const command = { merchantId: MERCHANT_ID, sessionId, tokenJti, request };
    await expect(placeOrder(world.deps, command)).rejects.toMatchObject({
      code: "LIQUIDITY_UNAVAILABLE",
    });
    await resumePayouts(world.deps, pair);
    await refresh();
    await placeOrder(world.deps, command);
  });

  test("that the auditor set ends when two different people agreed, and not before", async () => {
    const all = { kind: "all", subject: "" } as const;
    const found = { ...all, reason: "books differ", setBy: "auditor", peopleToResume: 2 } as const;
    // The audit's reason replaces that of a person.
    await stopPayouts(world.deps, { ...all, reason: "weak", by: operatorNamed("anna") });
    expect(await putStop(world.database, found)).toBe(true);
    expect(await putStop(world.database, found)).toBe(false);
    await stopPayouts(world.deps, { ...all, reason: "weaker", by: operatorNamed("anna") });
    expect(await listStops(world.database)).toMatchObject([
      { reason: "books differ", setBy: "auditor", peopleToResume: 2 },
    ]);
    const agree = (person: string) =>
      resumePayouts(world.deps, { ...all, by: operatorNamed(person) });
    expect(await agree("anna")).toEqual({ resumed: false, peopleMissing: 1 });
    // Another reason of a person is logged and does not replace the audit's, and people have to agree again.
    await stopPayouts(world.deps, { ...all, reason: "a theft", by: operatorNamed("ben") });
    expect(await listStops(world.database)).toMatchObject([{ reason: "books differ", agreed: [] }]);
    const [logged] = await listControlChanges(world.database, { limit: 1, subject: "all payouts" });
    expect(logged).toMatchObject({ person: "ben", details: { reason: "a theft" } });
    expect(await agree("anna")).toEqual({ resumed: false, peopleMissing: 1 });
    await expect(agree("Anna")).rejects.toThrow("already agreed");
    await expect(agree("auditor")).rejects.toThrow("neither auditor nor system");
    await expect(raw("delete from stops")).rejects.toThrow("when 2 agreed");
    await expect(raw("update stops set people_to_resume = 1")).rejects.toThrow("fewer people");
    // A new break: the people that agreed before did not know of it.
    expect(await putStop(world.database, { ...found, reason: "worse" })).toBe(true);
    expect(await agree("ben")).toEqual({ resumed: false, peopleMissing: 1 });
    expect(await agree("anna")).toEqual({ resumed: true, peopleMissing: 0 });
    await expect(agree("anna")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("ends once when two people agree at the same moment", async () => {
    const all = { kind: "all", subject: "" } as const;
    for (let round = 0; round < 10; round += 1) {
      await putStop(world.database, { ...all, reason: "r", setBy: "auditor", peopleToResume: 2 });
      const agreed = await Promise.all(
        ["anna", "ben"].map((person) =>
          resumePayouts(world.deps, { ...all, by: operatorNamed(person) }),
        ),
      );
      expect(agreed.filter(({ resumed }) => resumed)).toHaveLength(1);
    }
  });

  test.each([
    ["rail", "chain:dogechain"],
    ["rail", "bank:"],
    ["rail", "card:visa"],
    ["rail", "chain:bitcoin:x"],
    ["pair", "eur-"],
    ["pair", "EUR-BTC"],
    ["pair", "eurbtc"],
    ["currency", "BTC"],
    ["network", "dogechain"],
    ["method", "visa"],
    ["merchant", "client_dev_NOBODY"],
    ["all", "x"],
  ] as const)("of %s %s is refused: there is no such thing", async (kind, subject) => {
    const command = { kind, subject, reason: "a test", by: operatorNamed("anna") };
    await expect(stopPayouts(world.deps, command)).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(STOP_KINDS).toContain(kind);
  });
});

describe("a refund", () => {
  const eur = { kind: "currency", subject: "eur" } as const;
  const refunded = async () => {
    const view = await world.order(ORDERS.buyByBank);
    await world.pay(view, { units: 5_000n });
    await world.untilStatus(view, "in_review");
    await refundOrder(world.deps, { ...key(view), by: "operator" });
    return view;
  };
  const waiting = async (view: OrderView) => {
    await expect
      .poll(async () => {
        const [refund] = (await world.read(view)).refunds;
        return refund && (await findOperatorPayout(world.database, refund.id))?.waitsFor;
      })
      .toEqual(expect.any(String));
    return found((await world.read(view)).refunds[0]);
  };

  test("above the amount waits where it is until two people approved it", async () => {
    const changes = { approvalAboveCents: 4_999n };
    await setPayoutLimits(world.deps, { ...eur, changes, by: operatorNamed("anna") });
    const view = await refunded();
    const { id } = await waiting(view);
    expect((await world.read(view)).order.status).toBe("refund_pending");
    await approve(id, "anna");
    expect(await approve(id, "ben")).toMatchObject({ approvalsMissing: 0, released: false });
    await world.untilStatus(view, "refunded");
    await unsetPayoutLimits(world.deps, { ...eur, by: operatorNamed("anna") });
  });

  test("is stopped with the rail the money came by", async () => {
    const rail = { kind: "rail", subject: "bank:sepa", by: operatorNamed("anna") } as const;
    await stopPayouts(world.deps, { ...rail, reason: "a test" });
    const view = await refunded();
    expect(await waiting(view)).toMatchObject({ purpose: "refund", releasedAt: null });
    for (const person of ["anna", "ben"]) {
      await resumePayouts(world.deps, { ...rail, by: operatorNamed(person) });
    }
    await world.untilStatus(view, "refunded");
  });
});

describe("liquidity", () => {
  const btc = () => found(world.deps.catalogue().currencyByCodeOrReference("btc")).id;
  const setRoom = async (coins: bigint) => {
    const debt = await readDebt(world.database, btc());
    const units = debt + coins;
    await setLiquidityLimit(world.deps, {
      currency: "btc",
      debt: { units, scale: 8 },
      by: operatorNamed("anna"),
    });
  };
  const unset = () =>
    setLiquidityLimit(world.deps, { currency: "btc", debt: null, by: operatorNamed("anna") });

  test("beyond its limit an order is held, and with more room it continues when released", async () => {
    await setRoom(1n);
    const view = await paid();
    const held = await world.untilStatus(view, "in_review");
    expect(held.order.statusReason).toBe("no_liquidity");
    await unset();
    await releaseOrder(world.deps, key(view));
    await world.untilStatus(view, "completed");
  });

  const neededFor = ({ quote }: OrderView): bigint => given(quote).units;

  test("an exchange may use the last unit of the room, and not one more", async () => {
    const before = await readDebt(world.database, btc());
    const [first, second, third] = await Promise.all(
      [1, 2, 3].map(() => world.order(ORDERS.buyByBank)),
    );
    await world.pay(found(first));
    await world.untilStatus(found(first), "completed");
    expect((await readDebt(world.database, btc())) - before).toBe(neededFor(found(first)));
    await setRoom(neededFor(found(second)));
    await world.pay(found(second));
    await world.untilStatus(found(second), "completed");
    await setRoom(neededFor(found(third)) - 1n);
    await world.pay(found(third));
    await world.untilStatus(found(third), "in_review");
    await unset();
  });

  test("orders that need the same room at the same time: one gets it", async () => {
    for (let round = 0; round < 2; round += 1) {
      const views = await Promise.all([1, 2, 3, 4].map(() => world.order(ORDERS.buyByBank)));
      const most = views.map(({ quote }) => quote.receive.units).reduce((a, b) => (a > b ? a : b));
      await setRoom((most * 15n) / 10n);
      await Promise.all(views.map((view) => world.pay(view)));
      const ends = await Promise.all(
        views.map((view) =>
          world.until(view, ({ order }) => ["in_review", "completed"].includes(order.status)),
        ),
      );
      const statuses = ends.map(({ order }) => order.status);
      expect(statuses.toSorted(), `round ${round}`).toEqual([
        "completed",
        ...Array.from({ length: 3 }, () => "in_review"),
      ]);
    }
    await unset();
  });

  test("quotes beyond what is left are refused, smaller ones are not", async () => {
    await setRoom(1_000n);
    await refresh();
    await expect(world.order(ORDERS.buyByBank)).rejects.toMatchObject({
      code: "LIQUIDITY_UNAVAILABLE",
    });
    await world.order(ORDERS.sell);
    await unset();
    await refresh();
    await world.order(ORDERS.buyByBank);
  });
});

test("every change is logged with its person, newest first, and can neither be changed nor removed", async () => {
  await limit({ hourCents: 5_000n });
  await unlimit();
  const [removed, set] = await listControlChanges(world.database, { limit: 2 });
  expect(set).toMatchObject({
    person: "anna",
    systemUser: "anna",
    action: "set_payout_limits",
    subject: "btc",
    before: null,
    after: { hour: "50.00 EUR", day: null },
  });
  expect(removed).toMatchObject({
    action: "remove_payout_limits",
    subject: "btc",
    before: { hour: "50.00 EUR" },
    after: null,
  });
  for (const text of ["update control_log set person = 'x'", "delete from control_log"]) {
    await expect(raw(text)).rejects.toThrow("insert-only");
  }
  await expect(raw("truncate control_log")).rejects.toThrow("insert-only");
});

test("an approval in the database alone is not enough without the order's release", async () => {
  await limit({ approvalAboveCents: 0n });
  const view = await paid();
  const held = await world.untilStatus(view, "in_review");
  const { id } = found(held.payout);
  for (const person of ["anna", "ben"]) {
    await world.database.transaction((tx) => insertPayoutApproval(tx, id, operatorNamed(person)));
  }
  expect((await world.read(view)).order.status).toBe("in_review");
  await releaseOrder(world.deps, key(view));
  await world.untilStatus(view, "completed");
  await unlimit();
});

const raw = (text: string) => world.database.query(statement(text, text));
