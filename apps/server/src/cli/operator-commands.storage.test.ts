import { afterAll, beforeAll, expect, test } from "vitest";
import { recordCauses } from "../storage/alerts/alerts.ts";
import { unnamedStatement } from "../storage/postgres/database.ts";
import { found } from "../testing/catalogue.ts";
import { type CommandLine, openCommandLine } from "../testing/command-line.ts";
import { makeOrderWorld, ORDERS, type OrderWorld } from "../testing/orders.ts";
import { MERCHANT_ID } from "../testing/world.ts";

let world: OrderWorld;
let line: CommandLine;
let run: CommandLine["run"];
let runJson: CommandLine["runJson"];

beforeAll(async () => {
  world = await makeOrderWorld();
  line = await openCommandLine(world.database);
  ({ run, runJson } = line);
});
afterAll(async () => {
  await line.close();
  await world.close();
});

interface ShownOrder {
  readonly orderId: number;
  readonly status: string;
  readonly statusReason: string | null;
}
interface ShownPayout {
  readonly payoutId: string;
  readonly orderId: number;
  readonly waitsFor: string | null;
}

const idOf = (view: { order: { id: bigint } }): string => String(view.order.id);
const paid = async () => {
  const view = await world.order(ORDERS.buyByBank);
  await world.pay(view);
  return view;
};

test("a large payout is found, approved by two people, and arrives", async () => {
  const limits = ["payouts", "limits", "--currency", "btc", "--as", "anna"];
  await runJson(...limits, "--approval-above", "10", "--hour", "1000.50");
  const view = await paid();
  await world.untilStatus(view, "in_review");
  const reviewed = await runJson<ShownOrder[]>("orders", "list", "--status", "in_review");
  expect(reviewed).toMatchObject([{ orderId: Number(idOf(view)), statusReason: "limit_exceeded" }]);
  const [waiting] = await runJson<ShownPayout[]>("payouts", "list", "--waiting");
  expect(waiting).toMatchObject({
    orderId: Number(idOf(view)),
    rail: "chain:bitcoin",
    waitsFor: expect.stringContaining("2 approvals"),
  });
  const approve = ["payouts", "approve", "--payout", found(waiting).payoutId, "--as"];
  expect((await run(...approve, "anna")).out).toContain("1 more person has to approve it");
  const again = await run(...approve, "Anna", "--json");
  expect(again.status).toBe(1);
  expect(again.errors).toContain("Another person must approve it");
  expect(JSON.parse(again.out)).toMatchObject({ error: { code: "INVALID_INPUT" } });
  expect((await run(...approve, "ben")).out).toContain("Its order goes on");
  await world.untilStatus(view, "completed");
  const shown = await runJson("payouts", "show", "--payout", found(waiting).payoutId);
  expect(shown).toMatchObject({
    state: "confirmed",
    orderStatus: "completed",
    approvedBy: ["anna", "ben"],
    waitsFor: null,
  });
  await runJson(...limits, "--remove");
});

test("limits are shown with what is built in, changed one by one, and taken away", async () => {
  const limits = (...words: string[]) =>
    runJson<Record<string, unknown>[]>("payouts", "limits", ...words);
  expect(await limits()).toMatchObject([
    { kind: "default", payout: null, isSet: false },
    { kind: "total", hour: null, isSet: false },
  ]);
  await limits("--payout", "5000", "--day", "90000", "--as", "anna");
  await limits("--currency", "eth", "--payout", "100.01", "--as", "anna");
  expect(await limits("--total", "--hour", "7", "--as", "anna")).toMatchObject([
    { kind: "default", payout: "5000.00 EUR", hour: null, day: "90000.00 EUR", isSet: true },
    { kind: "total", hour: "7.00 EUR" },
    { currency: "eth", payout: "100.01 EUR", day: "90000.00 EUR" },
  ]);
  expect(await limits("--payout", "none", "--as", "anna")).toMatchObject([
    { payout: null },
    {},
    {},
  ]);
  const table = (await run("payouts", "limits")).out;
  expect(table).toMatch(/^FOR .* APPROVAL ABOVE {2}SOURCE\n.*set\n.*set\n.*set$/);
  await limits("--currency", "eth", "--remove", "--as", "anna");
  await limits("--total", "--remove", "--as", "anna");
  await limits("--remove", "--as", "anna");
  expect((await run("payouts", "limits", "--remove", "--as", "anna")).status).toBe(1);
  const log = await runJson<{ person: string; action: string }[]>("payouts", "log", "--limit", "2");
  expect(log).toMatchObject([
    { person: "anna", action: "remove_payout_limits", subject: "default" },
    { person: "anna", action: "remove_payout_limits", subject: "total" },
  ]);
});

test("a stop is set, listed and resumed", async () => {
  const pair = ["--pair", "eur-btc", "--as", "anna"];
  const stop = ["payouts", "stop", ...pair, "--reason", "rates are odd"];
  expect((await run(...stop)).out).toBe("Stopped: pair eur-btc.");
  expect((await run(...stop)).out).toContain("already");
  expect(await runJson("payouts", "stops")).toMatchObject([
    { kind: "pair", subject: "eur-btc", reason: "rates are odd", setBy: "anna", peopleToResume: 1 },
  ]);
  expect((await run("doctor")).out).toMatch(
    /BAD +payouts: pair eur-btc stopped by anna: rates are odd\n +Find the cause/,
  );
  expect((await run("payouts", "resume", ...pair)).out).toContain("Resumed: pair eur-btc");
  expect((await run("doctor")).out).toMatch(/ok +payouts: nothing is stopped/);
  expect((await run("payouts", "stops")).out).toBe("Nothing is stopped.");
  expect((await run("payouts", "resume", ...pair)).status).toBe(1);
});

test("doctor names an open alert once, and leaves a stop to the check of payouts", async () => {
  const { database, deps } = world;
  const id = deps.ids.orderedUuid();
  const cause = { id, cause: "payouts_held", summary: "Payouts wait for a decision: 1." };
  const stop = { id: deps.ids.orderedUuid(), cause: "stop:all payouts", summary: "Stopped." };
  await recordCauses(database, [cause, stop], { channels: [] });
  expect((await run("doctor")).out).toMatch(/BAD +people: Payouts wait for a decision: 1\.\n/);
  await database.write(unnamedStatement("delete from operator_alerts"));
  expect((await run("doctor")).out).toMatch(/ok +people: nothing waits for a person/);
});

test("an order is held, shown, released and told by whom", async () => {
  const view = await world.order(ORDERS.buyByBank);
  const order = ["--order", idOf(view), "--as", "anna"];
  expect(await runJson("orders", "hold", ...order, "--reason", "screening_hit")).toMatchObject({
    status: "in_review",
    statusReason: "screening_hit",
    heldFrom: "awaiting_payment",
  });
  expect((await run("orders", "hold", ...order, "--reason", "screening_hit")).status).toBe(1);
  expect(await runJson("orders", "release", ...order)).toMatchObject({
    status: "awaiting_payment",
  });
  const story = await runJson("orders", "show", "--order", idOf(view));
  expect(story).toMatchObject({
    clientId: MERCHANT_ID,
    paymentMethod: "sepa",
    spend: { amount: "100", currency: "eur" },
    timeline: [
      { status: "awaiting_payment", actor: "customer" },
      { status: "in_review", actor: "operator" },
      { status: "awaiting_payment", actor: "operator" },
    ],
  });
  const { out } = await run("orders", "show", "--order", idOf(view));
  expect(out).toContain("100 eur by sepa");
  expect(await runJson("orders", "cancel", ...order)).toMatchObject({
    status: "cancelled",
    statusReason: "operator_cancelled",
  });
  expect((await run("orders", "cancel", ...order)).errors).toContain("cannot be cancelled");
  const log = await runJson<{ action: string }[]>("payouts", "log", "--limit", "3");
  expect(log.map(({ action }) => action)).toEqual(["cancel_order", "release_order", "hold_order"]);
});

test("an order that was underpaid is refunded in part, then in full", async () => {
  const view = await world.order(ORDERS.buyByBank);
  await world.pay(view, { units: 5_000n });
  await world.untilStatus(view, "in_review");
  const refund = ["orders", "refund", "--order", idOf(view), "--as", "anna"];
  const tooMuch = await run(...refund, "--amount", "50.01");
  expect(tooMuch).toMatchObject({ status: 1, errors: expect.stringContaining("No more than 50") });
  expect((await run(...refund, "--amount", "20.005")).errors).toContain("decimals");
  expect(await runJson(...refund, "--amount", "20")).toMatchObject({ status: "refund_pending" });
  await world.untilStatus(view, "in_review");
  await runJson(...refund);
  await world.untilStatus(view, "refunded");
  const listed = await runJson<ShownOrder[]>("orders", "list", "--status", "refunded");
  expect(listed.map(({ orderId }) => orderId)).toContain(Number(idOf(view)));
});

test("a refund of coins without an address says which options give one", async () => {
  const { payout } = ORDERS.sell.request;
  const view = await world.order({ ...ORDERS.sell, request: { payout } });
  await world.pay(view, { units: 1n });
  await world.untilStatus(view, "in_review");
  const { status, errors } = await run("orders", "refund", idOf(view), "--as", "anna");
  expect({ status, errors }).toEqual({
    status: 1,
    errors:
      "This order has no refund address. Give one: --address ADDRESS, with --memo or --without-memo where the network has memos.",
  });
});

test("a position is limited, shown and let go", async () => {
  const set = ["liquidity", "set", "--currency", "btc", "--as", "anna", "--debt"];
  const shown = await runJson<Record<string, unknown>[]>(...set, "2.5");
  expect(shown.find(({ currency }) => currency === "btc")).toMatchObject({
    limit: { amount: "2.5" },
    setBy: "anna",
  });
  expect((await run("liquidity", "show")).out).toMatch(/^btc .* 2\.5 /m);
  expect((await run("liquidity", "show")).out).not.toMatch(/No limit bounds the debt in .*btc/);
  await runJson(...set, "none");
  // Books that go below zero without a limit are named.
  expect((await run("liquidity", "show")).out).toMatch(
    /^No limit bounds the debt in .*btc.*\.$[\s\S]*liquidity set --currency/m,
  );
  expect((await run(...set, "none")).errors).toContain("has no liquidity limit");
  expect((await run(...set, "0.000000001")).errors).toContain("8 decimals");
});

test("rules are explained as a table and as JSON, with what a stop set just now refuses", async () => {
  const ask = [
    ...["rules", "explain", "--client", MERCHANT_ID, "--operation", "buy", "--spend", "EUR"],
    ...["--receive", "btc", "--amount", "250", "--method", "card", "--country", "de"],
  ];
  const offered = await run(...ask);
  expect(offered.out).toMatch(/^PASSES +payment method +card /m);
  expect(offered.out).toMatch(/^APPLIES +pricing rule +card-buy /m);
  expect(offered.out).toMatch(/^Offered: 250 EUR for 0\.00\d+ BTC at /m);
  expect(await runJson(...ask, "--receiving")).toMatchObject({
    offered: false,
    code: "AMOUNT_ABOVE_MAXIMUM",
    limits: { max: "5000 EUR", boundBy: "payment_method" },
  });
  const pair = ["--pair", "eur-btc", "--as", "anna"];
  await runJson("payouts", "stop", ...pair, "--reason", "a test");
  const stopped = await run(...ask);
  expect(stopped.out).toMatch(/^REFUSES +stop +pair eur-btc/m);
  expect(stopped.out).toContain("Refused: LIQUIDITY_UNAVAILABLE.");
  await runJson("payouts", "resume", ...pair);
});

const EXPLAIN = ["rules", "explain", "--client", MERCHANT_ID, "--spend", "eur", "--receive", "btc"];

test.each<[string, number, ...string[]]>([
  ["is not an operation", 2, ...EXPLAIN, "--operation", "X", "--method", "card", "--amount", "5"],
  ["above zero", 2, ...EXPLAIN, "--operation", "buy", "--method", "card", "--amount", "five"],
  ["no payment method", 1, ...EXPLAIN, "--operation", "buy", "--method", "gold", "--amount", "5"],
  ["is not an order id", 2, "orders", "show", "--order", "12x"],
  ["is not an order id", 2, "orders", "cancel", "--order", "0"],
  ["There is no order 99", 1, "orders", "show", "--order", "99"],
  ["is not an order status. Use one of awaiting_payment", 2, "orders", "list", "--status", "done"],
  ["a number from 1 to 1000", 2, "orders", "list", "--limit", "0"],
  ["is not a reason", 2, "orders", "hold", "--order", "99", "--reason", "because"],
  ["above zero", 2, "orders", "refund", "--order", "99", "--amount", "0"],
  ["There is no payout", 1, "payouts", "show", "--payout", "x'; drop table orders"],
  ["There is no payout", 1, "payouts", "approve", "--payout", "x", "--as", "anna"],
  ["An operator's name", 1, "payouts", "approve", "--payout", "x", "--as", "auditor"],
  ["Use exactly one of", 2, "payouts", "stop", "--reason", "x"],
  ["Use exactly one of", 2, "payouts", "stop", "--all", "--pair", "eur-btc", "--reason", "x"],
  ["Use exactly one of", 2, "payouts", "resume", "--rail", "card", "--client", "x"],
  ["There is no rail", 1, "payouts", "stop", "--rail", "bitcoin", "--reason", "x", "--as", "a"],
  ["Give a reason", 1, "payouts", "stop", "--all", "--reason", " ", "--as", "anna"],
  ["--since must be a time", 2, "payouts", "reconcile", "--since", "yesterday"],
  ["is not a line that can be booked", 2, "payouts", "reconcile", "--book", "x", "--as", "anna"],
  ["two decimals", 2, "payouts", "limits", "--hour", "1.001"],
  ["must be an amount", 2, "payouts", "limits", "--hour=-5"],
  ["must be an amount", 2, "payouts", "limits", "--hour", "1e300"],
  ["must be an amount", 2, "payouts", "limits", "--hour", "many"],
  ["two different limits", 2, "payouts", "limits", "--total", "--currency", "btc"],
  ["cannot be combined", 2, "payouts", "limits", "--remove", "--hour", "5"],
  ["hour and a day only", 1, "payouts", "limits", "--total", "--payout", "5", "--as", "anna"],
  ["There is no currency", 1, "payouts", "limits", "--currency", "BTC", "--hour", "5", "--as", "a"],
  ["There is no currency", 1, "liquidity", "set", "--currency", "x", "--debt", "5", "--as", "a"],
])("%s: exit status %i", async (words, status, ...call) => {
  const answer = await run(...call);
  expect({ call, status: answer.status }).toEqual({ call, status });
  expect(answer.errors).toContain(words);
});

test("a proposed price keeps what its rule has at that time, disabled rules included", async () => {
  interface Proposed {
    readonly id: number;
    readonly rule: { readonly feeBasisPoints: number; readonly enabled: boolean };
  }
  const propose = (day: string, ...figures: string[]) =>
    runJson<Proposed>(
      ...["prices", "propose", "card-buy", "--from", `2100-01-0${day}`, ...figures],
      ...["--reason", "a test", "--as", "anna"],
    );
  const { id } = await propose("1", "--fee", "111", "--disable");
  await runJson("prices", "approve", String(id), "--as", "ben");
  const later = await propose("2", "--spread", "61");
  expect(later.rule).toMatchObject({ feeBasisPoints: 111, enabled: false });
  await runJson("prices", "reject", String(later.id), "--reason", "a test", "--as", "ben");
  expect((await propose("2", "--enable")).rule).toMatchObject({
    feeBasisPoints: 111,
    enabled: true,
  });
});

test("the status counts payouts above one limit together, and those of two stops apart", async () => {
  const limits = ["payouts", "limits", "--currency", "btc", "--as", "anna"];
  await runJson(...limits, "--payout", "10");
  for (const view of [await paid(), await paid()]) await world.untilStatus(view, "in_review");
  // The sentences of two amounts differ.
  await world.database.query(unnamedStatement("update payout_waits set why = intent_id || why"));
  // The command has status 1, because people must decide.
  const groups = async () =>
    (JSON.parse((await run("status", "--json")).out) as { payouts: object[] }).payouts;
  expect(await groups()).toMatchObject([
    { count: 2, waitsFor: expect.any(String), wait: { code: "payout_limit", limitCents: "1000" } },
  ]);
  expect((await run("status")).out).toMatch(
    /Payouts: +2 payout limit, such as ".* is above the limit of one payout, .*" \(oldest/,
  );
  await world.database.query(
    unnamedStatement("update payout_waits set code = 'stop', limit_cents = null, limit_of = null"),
  );
  expect(await groups()).toHaveLength(2);
  await runJson(...limits, "--remove");
});
