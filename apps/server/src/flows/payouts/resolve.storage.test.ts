import { money, toDecimal } from "@exchange/money";
import { afterAll, beforeAll, expect, test } from "vitest";
import { auditRails } from "../../auditor/rails.ts";
import type { OrderView } from "../../domain/orders/view.ts";
import { listControlChanges } from "../../storage/audit/control-log.ts";
import { checkLedger } from "../../storage/ledger/checks.ts";
import { checkFees } from "../../storage/ledger/fee-checks.ts";
import { statement } from "../../storage/postgres/database.ts";
import { found } from "../../testing/catalogue.ts";
import { operatorNamed } from "../../testing/operators.ts";
import { makeOrderWorld, ORDERS, type OrderWorld } from "../../testing/orders.ts";
import { sandboxAddress } from "../../testing/sandbox-addresses.ts";
import { MERCHANT_ID } from "../../testing/world.ts";
import { refundOrder } from "../orders/refund.ts";
import { listPayoutsForConsole } from "./list-for-console.ts";
import { type ResolvePayout, resolvePayout } from "./resolve.ts";
import { resumePayouts } from "./resume.ts";
import { setPayoutLimits } from "./set-limits.ts";

let world: OrderWorld;
beforeAll(async () => {
  world = await makeOrderWorld();
});
afterAll(async () => {
  expect(await checkLedger(world.database)).toMatchObject({ problems: [] });
  expect(await checkFees(world.database)).toEqual([]);
  await world.close();
});

const POSTINGS = statement(
  "test_mismatch_postings",
  `select account.purpose, account.merchant_id as owner, posting.units::text as units
   from ledger_entries entry join ledger_postings posting on posting.entry_id = entry.id
     join ledger_accounts account on account.id = posting.account_id
   where entry.key = 'mismatch:litecoin:' || $1 order by posting.line`,
);
const FOUND = statement(
  "test_mismatch_found",
  "select 1 as one from payout_mismatches where intent_id = $1",
);

/** Buys litecoin for an address whose token, so to say, takes a fee, and waits until the service has found out. */
async function mismatched(): Promise<OrderView> {
  const request = { walletAddress: sandboxAddress("litecoin", "fee_taken") };
  const placed = await world.order({ ...ORDERS.buyByBank, receive: "ltc", request });
  await world.pay(placed);
  const isFound = async (): Promise<boolean> => {
    const { payout } = await world.read(placed);
    return payout !== null && (await world.database.query(FOUND, [payout?.id])).length === 1;
  };
  await expect.poll(isFound).toBe(true);
  for (const person of ["anna", "ben"]) {
    const stop = { kind: "rail", subject: "chain:litecoin", by: operatorNamed(person) } as const;
    await resumePayouts(world.deps, stop).catch(() => {});
  }
  return world.read(placed);
}

const resolve = (
  view: OrderView,
  changes: Partial<ResolvePayout> & { readonly units?: bigint } = {},
) => {
  const payout = found(view.payout);
  const { units = payout.units, ...others } = changes;
  const currency = world.deps.catalogue().requireCurrency(payout.assetId);
  const left = toDecimal(money(currency, units));
  const by = operatorNamed("anna");
  return resolvePayout(world.deps, { intentId: payout.id, outcome: "paid", left, by, ...others });
};

/** Set after a payout was made, so that the payout itself needed no approval. */
const requireApprovals = (approvalAboveCents: bigint | null) => {
  const ltc = { kind: "currency", subject: "ltc" } as const;
  const changes = { approvalAboveCents };
  return setPayoutLimits(world.deps, { ...ltc, changes, by: operatorNamed("anna") });
};

test("a payout that counts as paid completes its order, and the house bears what left beside", async () => {
  const view = await mismatched();
  const { id, units } = found(view.payout);
  expect(await resolve(view, { units: units - 7n })).toEqual({
    agreedBy: ["anna"],
    peopleMissing: 0,
  });
  const [logged] = await listControlChanges(world.database, { limit: 1, subject: id });
  expect(logged).toMatchObject({
    person: "anna",
    action: "resolve_payout",
    after: { outcome: "paid", leftUnits: String(units - 7n), agreedBy: ["anna"] },
  });
  const ended = await world.untilStatus(view, "completed");
  expect(found(ended.payout)).toMatchObject({ id, state: "confirmed" });
  const hash = found(ended.payout).settledHash;
  expect(await world.database.query(POSTINGS, [hash])).toEqual([
    { purpose: "house_capital", owner: "house", units: "-7" },
    { purpose: "chain_wallet", owner: "house", units: "7" },
  ]);
  await expect(resolve(view)).rejects.toMatchObject({ code: "INVALID_ORDER_STATE" });
});

test("a payout is in the list of those that wait for a person until its mismatch is decided", async () => {
  const [first, second] = [await mismatched(), await mismatched()];
  const waiting = async () => {
    const reader = operatorNamed("ben");
    const listed = await listPayoutsForConsole(world.deps, { which: "waiting", reader, limit: 9 });
    return listed.map(({ intent, wait }) => [intent.id, wait?.code]);
  };
  const [one, other] = [first, second].map(({ payout }) => [found(payout).id, "decision"]);
  expect(await waiting()).toEqual([one, other]);
  await resolve(first);
  expect(await waiting()).toEqual([other]);
  await resolve(second);
  expect(await waiting()).toEqual([]);
});

test("an exact amount needs no entry beside", async () => {
  const view = await mismatched();
  await resolve(view);
  const ended = await world.untilStatus(view, "completed");
  expect(await world.database.query(POSTINGS, [found(ended.payout).settledHash])).toEqual([]);
});

test("an unpaid one goes to review, what left is booked, and its refund works", async () => {
  const view = await mismatched();
  const { transactionHash } = found(view.payout);
  await resolve(view, { outcome: "unpaid", units: 5n });
  const held = await world.untilStatus(view, "in_review");
  expect(held.order.statusReason).toBe("delivery_rejected");
  expect(found(held.payout)).toMatchObject({ state: "void", voidReason: "failed" });
  expect(await world.database.query(POSTINGS, [transactionHash])).toEqual([
    { purpose: "house_capital", owner: "house", units: "5" },
    { purpose: "chain_wallet", owner: "house", units: "-5" },
  ]);
  const key = { merchantId: MERCHANT_ID, orderId: held.order.id };
  await refundOrder(world.deps, { ...key, by: "operator" });
  await world.untilStatus(held, "refunded");
});

test.each([
  { outcome: "paid", status: "completed" },
  { outcome: "unpaid", status: "in_review" },
] as const)(
  "once people have said what left, the audit of rails compares that: $outcome",
  async (ended) => {
    const view = await mismatched();
    const { id, units } = found(view.payout);
    const problems = async (): Promise<readonly string[]> => {
      const span = { watermark: "0", horizon: "9999999999", since: new Date(0) };
      const breaks = await auditRails(world.deps, span);
      return breaks.map(({ problem }) => problem).filter((problem) => problem.includes(id));
    };
    const moved = units - units / 100n - 1n;
    expect(await problems()).toEqual([
      `the rail says ${moved} units of ltc of payout ${id}, our books ${units} units of ltc`,
    ]);
    await resolve(view, { outcome: ended.outcome, units: moved });
    await world.untilStatus(view, ended.status);
    expect(await problems()).toEqual([]);
  },
);

test("above the limit of approvals two people must say the same", async () => {
  const view = await mismatched();
  await requireApprovals(1n);
  const { units } = found(view.payout);
  expect(await resolve(view, { units: units - 1n })).toMatchObject({ peopleMissing: 1 });
  const ben = operatorNamed("ben");
  // Ben says something else, so nobody agrees with anybody.
  expect(await resolve(view, { by: ben })).toEqual({ agreedBy: ["ben"], peopleMissing: 1 });
  expect((await world.read(view)).order.status).toBe("sending");
  // Anna changes her mind.
  expect(await resolve(view)).toEqual({ agreedBy: ["ben", "anna"], peopleMissing: 0 });
  await world.untilStatus(view, "completed");
  await requireApprovals(null);
});

test("coins above the limit of approvals that left with a small payout need two people", async () => {
  const view = await mismatched();
  const { units, euroCents } = found(view.payout);
  await requireApprovals(euroCents);
  expect(await resolve(view, { units: 2n * units })).toMatchObject({ peopleMissing: 1 });
  expect(await resolve(view)).toMatchObject({ peopleMissing: 0 });
  await world.untilStatus(view, "completed");
  await requireApprovals(null);
});

test("in prod two people are two accounts", async () => {
  const view = await mismatched();
  await requireApprovals(1n);
  const { id, units, assetId } = found(view.payout);
  const left = toDecimal(money(world.deps.catalogue().requireCurrency(assetId), units));
  const deps = { ...world.deps, environment: "prod" as const };
  const say = (person: string, account: string) =>
    resolvePayout(deps, {
      intentId: id,
      outcome: "paid",
      left,
      by: operatorNamed(person, account),
    });
  expect(await say("anna", "root")).toMatchObject({ peopleMissing: 1 });
  await expect(say("ben", "root")).rejects.toMatchObject({
    code: "INVALID_INPUT",
    message: expect.stringContaining(
      "anna, from the account root that ben uses too, has already answered. A second person must answer from their own account",
    ),
  });
  expect(await say("ben", "ben")).toEqual({ agreedBy: ["anna", "ben"], peopleMissing: 0 });
  await world.untilStatus(view, "completed");
  await requireApprovals(null);
});

test("other payouts are refused in a sentence", async () => {
  const view = await world.order(ORDERS.buyByBank);
  await world.pay(view);
  const done = await world.untilStatus(view, "completed");
  await expect(resolve(done)).rejects.toMatchObject({
    code: "INVALID_ORDER_STATE",
    message: expect.stringContaining("there is nothing to resolve"),
  });
  const intentId = "6f1c2a34-0000-4000-8000-0000000000aa";
  await expect(resolve(done, { intentId })).rejects.toMatchObject({ code: "NOT_FOUND" });
});
