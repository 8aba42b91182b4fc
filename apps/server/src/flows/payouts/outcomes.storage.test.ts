import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { OrderView } from "../../domain/orders/view.ts";
import type { AddressBehaviour } from "../../sandbox/chains/magic-addresses.ts";
import { listBreaks } from "../../storage/audit/breaks.ts";
import { checkLedger } from "../../storage/ledger/checks.ts";
import { checkFees } from "../../storage/ledger/fee-checks.ts";
import { listStops } from "../../storage/payouts/stops.ts";
import { statement } from "../../storage/postgres/database.ts";
import { found } from "../../testing/catalogue.ts";
import { operatorNamed } from "../../testing/operators.ts";
import { makeOrderWorld, ORDERS, type OrderWorld } from "../../testing/orders.ts";
import { sandboxAddress } from "../../testing/sandbox-addresses.ts";
import { MERCHANT_ID } from "../../testing/world.ts";
import { refundOrder } from "../orders/refund.ts";
import { resumePayouts } from "./resume.ts";

let world: OrderWorld;
beforeAll(async () => {
  world = await makeOrderWorld();
});
afterAll(async () => {
  expect(await checkLedger(world.database)).toMatchObject({ problems: [] });
  await world.close();
});

type Form = Parameters<typeof sandboxAddress>[0];

/** Buys coins by bank transfer for an address of the sandbox, and pays. */
async function buy(receive: string, form: Form, behaviour: AddressBehaviour): Promise<OrderView> {
  const request = { walletAddress: sandboxAddress(form, behaviour) };
  const placed = await world.order({ ...ORDERS.buyByBank, receive, request });
  await world.pay(placed);
  return placed;
}

const stopOf = async (subject: string) =>
  (await listStops(world.database)).find((stop) => stop.subject === subject);
const breaksOf = async (subject: string) =>
  (await listBreaks(world.database, "standing")).filter((one) => one.subject === subject);
async function resume(subject: string): Promise<void> {
  for (const person of ["anna", "ben"]) {
    await resumePayouts(world.deps, { kind: "rail", subject, by: operatorNamed(person) });
  }
}

test("a transaction that was mined and moved nothing ends in review, and its refund works", async () => {
  const held = await world.untilStatus(await buy("btc", "bitcoin", "reverted"), "in_review");
  expect(held.order.statusReason).toBe("delivery_rejected");
  expect(found(held.payout)).toMatchObject({ state: "void", voidReason: "failed" });
  expect(await stopOf("chain:bitcoin")).toBeUndefined();
  const key = { merchantId: MERCHANT_ID, orderId: held.order.id };
  await refundOrder(world.deps, { ...key, by: "operator" });
  await world.untilStatus(held, "refunded");
});

test("a transaction that moved less than owed is not settled: its network stops once", async () => {
  const placed = await buy("ltc", "litecoin", "fee_taken");
  await expect.poll(() => stopOf("chain:litecoin")).toBeDefined();
  expect(await stopOf("chain:litecoin")).toMatchObject({ setBy: "auditor", peopleToResume: 2 });
  expect(await breaksOf("chain:litecoin")).toMatchObject([
    { check: "a payout moves what is owed", problem: expect.stringContaining("units moved") },
  ]);
  const sending = await world.read(placed);
  expect(sending.order.status).toBe("sending");
  expect(found(sending.payout).state).not.toBe("confirmed");
  await resume("chain:litecoin");
  expect(await breaksOf("chain:litecoin")).toEqual([]);
  await world.hurry(placed);
  await world.untilTried(placed);
  expect(await stopOf("chain:litecoin")).toBeUndefined();
  expect((await world.read(placed)).order.status).toBe("sending");
});

test("a foreign transaction at a payout's place ends the payout and stops its network alone", async () => {
  const held = await world.untilStatus(await buy("doge", "dogecoin", "foreign"), "in_review");
  expect(held.order.statusReason).toBe("delivery_rejected");
  expect(found(held.payout)).toMatchObject({ state: "void", voidReason: "dead" });
  expect(await stopOf("chain:dogecoin")).toMatchObject({ peopleToResume: 2 });
  expect(await breaksOf("chain:dogecoin")).toMatchObject([
    { check: "only we spend from our wallets" },
  ]);
  const other = await world.order(ORDERS.buyByBank);
  await world.pay(other);
  await world.untilStatus(other, "completed");
});

const FEES = statement(
  "test_network_fees",
  `select entry.key, entry.merchant_id as owner, account.purpose, posting.units::int as units
   from ledger_entries entry join ledger_postings posting on posting.entry_id = entry.id
     join ledger_accounts account on account.id = posting.account_id
   where entry.key = 'fee:bitcoin:' || $1 order by posting.line`,
);
const FORGET_FEE = statement(
  "test_forget_fee",
  `update ledger_entries set key = key || '?' where key = 'fee:bitcoin:' || $1`,
);
const END_EARLIER = statement(
  "test_end_earlier",
  "update chain_sends set updated_at = business_now() - interval '11 minutes' where settled_hash = $1",
);
const DROP_FEE = statement(
  "test_drop_fee",
  `with dropped as (delete from ledger_entries where key = 'fee:bitcoin:' || $1 returning id)
   delete from ledger_postings where entry_id in (select id from dropped)`,
);

test.each([
  ["completed", ORDERS.buyByBank.request.walletAddress],
  ["in_review", sandboxAddress("bitcoin", "reverted")],
])(
  "the network fee of a payout that ends %s is in the house's books",
  async (status, walletAddress) => {
    const placed = await world.order({ ...ORDERS.buyByBank, request: { walletAddress } });
    await world.pay(placed);
    const { payout } = await world.untilStatus(placed, status);
    const hash = found(payout).transactionHash;
    const entry = { key: `fee:bitcoin:${hash}`, owner: "house" };
    expect(await world.database.query(FEES, [hash])).toEqual([
      { ...entry, purpose: "network_fees", units: 1_000 },
      { ...entry, purpose: "chain_wallet", units: -1_000 },
    ]);
    expect(await checkLedger(world.database)).toMatchObject({ problems: [] });
    const report = await world.database
      .transaction(async (tx) => {
        await tx.runScript("alter table ledger_entries disable trigger user");
        await tx.query(FORGET_FEE, [hash]);
        await tx.query(END_EARLIER, [hash]);
        const problems = await checkFees(tx);
        throw new Faults(problems);
      })
      .catch((error: Faults) => error.problems);
    expect(report.map(({ check }) => check)).toEqual([
      "a final transaction of ours has its network fee",
      "a network fee belongs to a final transaction of ours",
    ]);
  },
);

test("the fee of a failed payout may be booked some minutes after its end, and the check does not report it before", async () => {
  const walletAddress = sandboxAddress("bitcoin", "reverted");
  const placed = await world.order({ ...ORDERS.buyByBank, request: { walletAddress } });
  await world.pay(placed);
  const { payout } = await world.untilStatus(placed, "in_review");
  const hash = found(payout).transactionHash;
  const reports = world.database.transaction(async (tx) => {
    await tx.runScript("set local session_replication_role = replica");
    await tx.query(DROP_FEE, [hash]);
    const early = await checkFees(tx);
    await tx.query(END_EARLIER, [hash]);
    throw new Faults([...early, ...(await checkFees(tx))]);
  });
  const { problems } = await reports.catch((error: Faults) => error);
  expect(problems).toEqual([
    {
      check: "a final transaction of ours has its network fee",
      problem: `there is no entry fee:bitcoin:${hash}`,
    },
  ]);
});

/** Ends a database transaction and keeps what was found in it. */
class Faults extends Error {
  readonly problems: Awaited<ReturnType<typeof checkFees>>;

  constructor(problems: Awaited<ReturnType<typeof checkFees>>) {
    super("rolled back");
    this.problems = problems;
  }
}

test("a payout that waits asks its chain less and less often", async () => {
  const questions: { askedAtMs: number; askAgainMs: number }[] = [];
  const own = await makeOrderWorld();
  try {
    const chain = found(own.deps.chain);
    const { follow } = chain;
    vi.spyOn(chain, "follow").mockImplementation(async (...args) => {
      const askedAtMs = performance.now();
      const outcome = await follow(...args);
      if (outcome.state === "waiting")
        questions.push({ askedAtMs, askAgainMs: outcome.askAgainMs });
      return outcome;
    });
    // Its fee cannot be raised, so a stuck transaction waits.
    vi.spyOn(chain, "replace").mockResolvedValue(undefined);
    const request = { walletAddress: sandboxAddress("bitcoin", "stuck") };
    const placed = await own.order({ ...ORDERS.buyByBank, request });
    await own.pay(placed);
    await expect.poll(() => questions.length).toBeGreaterThan(9);
    // The first may have been hurried by the payment.
    const waits = questions.slice(1);
    for (const [index, { askedAtMs, askAgainMs }] of waits.slice(0, -1).entries()) {
      expect(found(waits[index + 1]).askedAtMs - askedAtMs).toBeGreaterThan(askAgainMs);
      expect(found(waits[index + 1]).askAgainMs).toBeGreaterThanOrEqual(askAgainMs);
    }
    expect(found(waits.at(-1)).askAgainMs).toBeGreaterThan(2 * found(waits[0]).askAgainMs);
  } finally {
    await own.close();
  }
});
