import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import type { OrderView } from "../domain/orders/view.ts";
import { resumePayouts } from "../flows/payouts/resume.ts";
import { listBreaks } from "../storage/audit/breaks.ts";
import { listStops } from "../storage/payouts/stops.ts";
import { statement } from "../storage/postgres/database.ts";
import { operatorNamed } from "../testing/operators.ts";
import { makeOrderWorld, ORDERS, type OrderWorld } from "../testing/orders.ts";
import { startAuditor } from "./auditor.ts";
import { auditOnce } from "./pass.ts";
import { newAuditor } from "./state.ts";

let world: OrderWorld;
/** One completed order of each kind. */
let done: Record<keyof typeof ORDERS, OrderView>;
let count = 0;

beforeAll(async () => {
  world = await makeOrderWorld();
});
afterAll(() => world.close());

const run = <Row>(text: string) => {
  count += 1;
  return world.database.query<Row>(statement(`auditor_${count}`, text));
};
/** Bypasses every trigger and foreign key, as a fault or a manual change of the database may. */
const plant = (script: string) =>
  world.database.transaction(async (tx) => {
    await tx.runScript(`set local session_replication_role = replica; ${script}`);
  });
const lift = () => plant("delete from stops; update audit_progress set lease_token = null");

/** A pass that compares everything with the rails, as if all of it were new. */
const look = async (): Promise<boolean> => {
  const state = newAuditor("6f1c2a34-0000-4000-8000-000000000001");
  await run("update audit_progress set rails_watermark = '0'");
  const isAuditor = await auditOnce(world.deps, state);
  await state.ledgerCheck;
  return isAuditor;
};

/** A transaction in another database of the cluster holds an audit back. */
async function eventuallyStopped() {
  for (;;) {
    await look();
    const stops = await listStops(world.database);
    if (stops.length > 0) return stops;
  }
}

async function complete(name: keyof typeof ORDERS): Promise<OrderView> {
  const placed = await world.order(ORDERS[name]);
  await world.pay(placed);
  return world.untilStatus(placed, "completed");
}

test("while orders of every kind run to their end, nothing is ever stopped", async () => {
  const auditors = [startAuditor(world.deps), startAuditor(world.deps)];
  const looking = (async () => {
    for (let round = 0; round < 30; round++) await look();
  })();
  const names = Object.keys(ORDERS) as (keyof typeof ORDERS)[];
  const orders = await Promise.all([...names, ...names, ...names].map(complete));
  await looking;
  await Promise.all(auditors.map((auditor) => auditor.stop()));
  expect(await look()).toBe(true);
  expect(await listStops(world.database)).toEqual([]);
  expect(await listBreaks(world.database, "all")).toEqual([]);
  done = Object.fromEntries(names.map((name, at) => [name, orders[at]])) as typeof done;
});

// This test runs before the breaks are planted. One of them changes a balance, and a new order, which folds balances, would then cause
// a second break.
test("the running auditor finds what was booked a moment ago, and stops the payouts", async () => {
  await lift();
  const auditor = startAuditor(world.deps);
  await expect.poll(() => auditor.isAuditor()).toBe(true);
  const { order } = await complete("buyByBank");
  // It leaves the balances as they are, so that only the audit of the order can find it.
  await plant(
    `update ledger_entries set key = key || '?' where key = 'exchange:${order.id}:spend'`,
  );
  await expect.poll(() => listStops(world.database)).not.toEqual([]);
  await auditor.stop();
  const [stop] = await listStops(world.database);
  expect(stop?.reason).toContain(`order ${order.id}`);
});

const intentOf = (name: keyof typeof ORDERS): string => done[name].payout?.id ?? "";

/** The planted break, and the finding that reports it. */
const PLANTED: readonly (readonly [string, () => string, string])[] = [
  [
    "a payout of another amount",
    () =>
      `update sandbox.bank_payouts set units = units + 1 where intent_id = '${intentOf("sell")}'`,
    "the rail moves what we say",
  ],
  [
    "a payout the bank does not know",
    () => `delete from sandbox.bank_payouts where intent_id = '${intentOf("transfer")}'`,
    "what we booked the rail knows",
  ],
  [
    "a payout that the bank rejected",
    () =>
      `update sandbox.bank_payouts set outcome = 'rejected' where intent_id = '${intentOf("sell")}'`,
    "what is settled here is settled there",
  ],
  [
    "an entry that does not balance",
    () =>
      `update ledger_postings set units = units + 1 where line = 1 and entry_id = (select id from ledger_entries where key = 'payout:${intentOf("swap")}')`,
    "every entry balances",
  ],
  [
    "a payout that is not booked",
    () => `delete from ledger_entries where key = 'payout:${intentOf("buyByBank")}'`,
    "everything that happened is booked",
  ],
  [
    "an order that was moved by hand",
    () => `update orders set status = 'sending' where id = ${done.transfer.order.id}`,
    "a timeline tells every move",
  ],
  [
    "a session that is open again",
    () =>
      `update sessions set status = 'active', order_id = null where order_id = ${done.sell.order.id}`,
    "a session has one order",
  ],
  [
    "a balance that drifted",
    () => "update ledger_balances set units = units + 1",
    "a balance is the sum of its postings",
  ],
];

/** The planted break of one network. */
const PLANTED_ON_CHAINS: typeof PLANTED = [
  [
    "a network fee that is not booked",
    () =>
      `update chain_sends set updated_at = business_now() - interval '11 minutes' where id in (select send_id from chain_send_outputs where intent_id = '${intentOf("swap")}'); update ledger_entries set key = key || '?' where key = (select 'fee:' || network_code || ':' || settled_hash from payout_intents where id = '${intentOf("swap")}')`,
    "a final transaction of ours has its network fee",
  ],
  [
    "a coin transfer that nobody asked for",
    () =>
      `insert into sandbox.chain_transactions (network_code, transaction_hash, intent_id, asset_reference, address, units, nonce, mined_at) values ('bitcoin', 'stolen', gen_random_uuid(), 'btc', 'thief', 5, 999, clock_timestamp())`,
    "what the rail did we asked for",
  ],
  [
    "a payout that was sent twice",
    () =>
      `insert into sandbox.chain_transactions (network_code, transaction_hash, intent_id, asset_reference, address, units, nonce, mined_at) select network_code, 'again', intent_id, asset_reference, address, units, 998, clock_timestamp() from sandbox.chain_transactions where intent_id = '${intentOf("swap")}'`,
    "the rail moves money once",
  ],
  [
    "a deposit whose block was dropped after it was booked",
    () => "update sandbox.chain_deposits set orphaned = true, confirmations = 0",
    "what is settled here is settled there",
  ],
  [
    "a paid payout that no job follows",
    () => `update payout_intents set awaits_finality = true where id = '${intentOf("swap")}'`,
    "a paid payout is followed until it is final",
  ],
];

test.each(PLANTED_ON_CHAINS)(
  "%s stops the payouts of its network alone",
  async (_what, script, check) => {
    await lift();
    await plant(script());
    const stops = await eventuallyStopped();
    expect(stops.length).toBeGreaterThan(0);
    for (const stop of stops) {
      expect(stop).toMatchObject({ kind: "rail", setBy: "auditor", peopleToResume: 2 });
      expect(stop.subject).toMatch(/^chain:[a-z]+$/);
    }
    const breaks = await listBreaks(world.database, "standing");
    const found = breaks.filter((one) => one.check === check).map(({ subject }) => subject);
    expect(found.toSorted()).toEqual(expect.arrayContaining(stops.map(({ subject }) => subject)));
  },
);

test.each(PLANTED)("%s stops every payout", async (_what, script, check) => {
  await lift();
  await plant(script());
  const [stop] = await eventuallyStopped();
  expect(stop).toMatchObject({ kind: "all", setBy: "auditor", peopleToResume: 2 });
  expect(stop?.reason).toContain("the audit found a break: ");
  const breaks = await listBreaks(world.database, "standing");
  expect(breaks.map((one) => one.check)).toContain(check);
});

test("an explained break does not stop payouts again, and a repaired one is gone", async () => {
  await lift();
  await look();
  expect(await listStops(world.database)).toEqual([]);
  const subject = `order:${done.sell.order.id}`;
  const standing = await listBreaks(world.database, "standing");
  expect(standing.map((one) => one.subject)).toContain(subject);
  await plant(
    `update sessions set status = 'expired', order_id = ${done.sell.order.id} where session_id = '${done.sell.order.sessionId}'`,
  );
  await look();
  const later = await listBreaks(world.database, "standing");
  expect(later.map((one) => one.subject)).not.toContain(subject);
  const all = await listBreaks(world.database, "all");
  expect(all.find((one) => one.subject === subject)?.goneAt).toBeInstanceOf(Date);
});

test("two people who resume all payouts end the breaks of bank and cards, and the same one does not stop again", async () => {
  const foreign = (id: string) =>
    plant(
      `insert into sandbox.bank_payouts (intent_id, reference, method, currency, units, beneficiary_digest, outcome, decided_at, created_at)
       values ('6f1c2a34-0000-4000-8000-${id}', '${id}', 'sepa', 'EUR', 7, 'd', 'settled', business_now(), clock_timestamp())`,
    );
  const standing = async () =>
    (await listBreaks(world.database, "standing"))
      .filter(({ subject }) => subject === "rails")
      .map(({ problem }) => problem)
      .join();
  await lift();
  await foreign("0000000000aa");
  await eventuallyStopped();
  expect(await standing()).toContain("0000000000aa");
  for (const name of ["anna", "bela"]) {
    await resumePayouts(world.deps, { kind: "all", subject: "", by: operatorNamed(name) });
  }
  expect(await standing()).toBe("");
  // The statement still has the line, because statements overlap.
  await look();
  expect(await listStops(world.database)).toEqual([]);
  expect(await standing()).toBe("");
  await foreign("0000000000ab");
  await eventuallyStopped();
  expect(await standing()).toContain("0000000000ab");
});

test("of several processes one is the auditor, and another takes over when it stops", async () => {
  const first = newAuditor("6f1c2a34-0000-4000-8000-00000000000a");
  const second = newAuditor("6f1c2a34-0000-4000-8000-00000000000b");
  await lift();
  expect(await auditOnce(world.deps, first)).toBe(true);
  expect(await auditOnce(world.deps, second)).toBe(false);
  await run("update audit_progress set leased_until = clock_timestamp() - interval '1 second'");
  expect(await auditOnce(world.deps, second)).toBe(true);
  expect(await auditOnce(world.deps, first)).toBe(false);
});

test("a rail that gives no statement stops nothing and is asked again", async () => {
  await lift();
  const state = newAuditor("6f1c2a34-0000-4000-8000-00000000000b");
  const silent = {
    ...world.deps,
    bank: { ...world.deps.bank, statement: () => Promise.reject(new Error("no answer")) },
  } as typeof world.deps;
  expect(await auditOnce(silent, state)).toBe(true);
  expect(await listStops(world.database)).toEqual([]);
});

test("after any downtime the audit asks the rails from where it last was", async () => {
  await lift();
  const sinceTimes: Date[] = [];
  const spying = {
    ...world.deps,
    bank: {
      ...world.deps.bank,
      statement: (since: Date) => {
        sinceTimes.push(since);
        return world.deps.bank?.statement?.(since) ?? Promise.resolve([]);
      },
    },
  } as typeof world.deps;
  await run("update audit_progress set rails_compared_at = clock_timestamp() - interval '3 days'");
  expect(await auditOnce(spying, newAuditor("6f1c2a34-0000-4000-8000-00000000000c"))).toBe(true);
  expect(Date.now() - Number(sinceTimes[0])).toBeGreaterThan(3 * 24 * 3_600_000);
  // The next process continues where this one ended, with the overlap.
  await lift();
  expect(await auditOnce(spying, newAuditor("6f1c2a34-0000-4000-8000-00000000000d"))).toBe(true);
  expect(Date.now() - Number(sinceTimes.at(-1))).toBeLessThan(15 * 60_000);
});

test("a payout that was made days before the start is a break", async () => {
  await lift();
  await run("update audit_progress set rails_compared_at = clock_timestamp() - interval '3 days'");
  await plant(
    `insert into sandbox.bank_payouts (intent_id, reference, method, currency, units, beneficiary_digest, outcome, decided_at, created_at)
     values ('6f1c2a34-0000-4000-8000-0000000000ff', 'long ago', 'sepa', 'EUR', 7, 'd', 'settled', business_now() - interval '2 days', clock_timestamp() - interval '2 days')`,
  );
  await auditOnce(world.deps, newAuditor("6f1c2a34-0000-4000-8000-00000000000e"));
  const breaks = await listBreaks(world.database, "standing");
  expect(breaks.map(({ problem }) => problem).join()).toContain("0000000000ff");
});

test("a time of the last comparison that is still to come hides no line of a rail", async () => {
  await lift();
  await run("update audit_progress set rails_compared_at = clock_timestamp() + interval '5 hours'");
  await plant(
    `insert into sandbox.bank_payouts (intent_id, reference, method, currency, units, beneficiary_digest, outcome, decided_at, created_at)
     values ('6f1c2a34-0000-4000-8000-0000000000ac', 'an hour ago', 'sepa', 'EUR', 7, 'd', 'settled', business_now() - interval '1 hour', clock_timestamp() - interval '1 hour');
     update installation set created_at = clock_timestamp() - interval '1 day'`,
  );
  await auditOnce(world.deps, newAuditor("6f1c2a34-0000-4000-8000-00000000000f"));
  const breaks = await listBreaks(world.database, "standing");
  expect(breaks.map(({ problem }) => problem).join()).toContain("0000000000ac");
});

test("the time of a comparison is the database's, so the clock of the auditor may run ahead", async () => {
  await lift();
  vi.useFakeTimers({ now: Date.now() + 5 * 3_600_000, toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  await auditOnce(world.deps, newAuditor("6f1c2a34-0000-4000-8000-000000000010"));
  const [progress] = await run<{ seconds: number }>(
    "select extract(epoch from clock_timestamp() - rails_compared_at)::float8 as seconds from audit_progress",
  );
  expect(progress?.seconds).toBeGreaterThan(0);
  expect(progress?.seconds).toBeLessThan(60);
});
