import { existsSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Deps } from "../flows/deps.ts";
import { readOrder } from "../flows/orders/read.ts";
import { refundOrder } from "../flows/orders/refund.ts";
import { addWebhookEndpoint } from "../flows/webhooks/add-endpoint.ts";
import { startJobs } from "../jobs/worker.ts";
import { sandboxRates } from "../sandbox/rates/rate-source.ts";
import { takeKeyIndex } from "../storage/chains/addresses.ts";
import { readHistory } from "../storage/history.ts";
import { hurryJobs } from "../storage/jobs/jobs.ts";
import { listStops } from "../storage/payouts/stops.ts";
import { statement } from "../storage/postgres/database.ts";
import { claimDeliveries } from "../storage/webhooks/claims.ts";
import { readLastPosition } from "../storage/webhooks/event-feed.ts";
import { ORDERS, payInstruction, placeAndAsk, untilTried } from "../testing/orders.ts";
import { MERCHANT_ID, makeWorld, type World } from "../testing/world.ts";
import { compareFirstStatement } from "./first-statement.ts";
import { followHistory, type HistoryOptions } from "./follow-history.ts";
import { HISTORY_FILE, openHistoryFile } from "./history-file.ts";

let world: World;
let dataDir: string;
let count = 0;
beforeEach(async () => {
  world = await makeWorld({ rates: sandboxRates({ seed: "history" }) });
  dataDir = await mkdtemp(join(tmpdir(), "exchange-history-"));
});
afterEach(async () => {
  await world.close();
  await rm(dataDir, { recursive: true, force: true });
});

const run = <Row>(text: string) => {
  count += 1;
  return world.database.query<Row>(statement(`history_${count}`, text));
};
const follow = (options: Partial<HistoryOptions> = {}) =>
  followHistory(world.deps, {
    file: openHistoryFile(dataDir),
    isEmbedded: false,
    runsWorkers: true,
    ...options,
  });
const restoredWhy = async () => (await readHistory(world.database)).restoredWhy;
const lastNumber = async () =>
  Number((await run<{ last: string }>("select last_value as last from order_numbers"))[0]?.last);

async function expectRestored(why: string): Promise<void> {
  expect(await restoredWhy()).toContain(why);
  expect(await listStops(world.database)).toMatchObject([
    { kind: "all", setBy: "auditor", peopleToResume: 2 },
  ]);
}

test("a start finds that the database is older than its file says", async () => {
  await (await follow())();
  await (await follow())();
  expect(await restoredWhy()).toBeNull();
  const before = await lastNumber();
  await run("update history set mark = 1");
  await (await follow())();
  await expectRestored("a process remembers a later state");
  expect(await lastNumber()).toBeGreaterThanOrEqual(before + 1_000_000);
  // The next start is not another restore.
  const jumped = await lastNumber();
  await (await follow())();
  expect(await lastNumber()).toBe(jumped);
  await expectRestored("a process remembers a later state");
});

test("a restored database gives no deposit address of a lost order again", async () => {
  await (await follow())();
  await takeKeyIndex(world.database);
  const before = await takeKeyIndex(world.database);
  await run("update history set mark = 1");
  await (await follow())();
  await expectRestored("a process remembers a later state");
  expect(await takeKeyIndex(world.database)).toBeGreaterThan(before + 1_000_000);
});

test("a restored database gives no position of the event feed again, read before the backup or not", async () => {
  await run("insert into merchants (id, name) values ('other', 'other')");
  await run("insert into event_feeds (merchant_id, last_position) values ('other', 450)");
  await (await follow())();
  await run("update history set mark = 1");
  await (await follow())();
  await expectRestored("a process remembers a later state");
  expect(await readLastPosition(world.database, MERCHANT_ID)).toBe(1_000_000);
  expect(await readLastPosition(world.database, "other")).toBe(1_000_450);
});

test("a running process finds that the database lost commits", async () => {
  const stop = await follow();
  await sleep(1_200);
  await run("update history set mark = 0");
  await expect.poll(restoredWhy).toContain("a process remembers a later state");
  await stop();
});

test("a start finds that the database was copied to another cluster", async () => {
  await run("update history set cluster = 1");
  await (await follow())();
  await expectRestored("another PostgreSQL cluster");
});

test("an embedded database without its file was restored; a new one was not", async () => {
  await (await follow({ isEmbedded: true }))();
  expect(await restoredWhy()).toBeNull();
  await rm(join(dataDir, HISTORY_FILE));
  await (await follow({ isEmbedded: true }))();
  await expectRestored("no file that says how old");
});

test("a new machine without a file trusts the database of DATABASE_URL", async () => {
  await (await follow())();
  await rm(join(dataDir, HISTORY_FILE));
  await (await follow())();
  expect(await restoredWhy()).toBeNull();
  expect(existsSync(join(dataDir, HISTORY_FILE))).toBe(true);
});

test("a new machine that answers requests does not hide a restore from the workers' machine", async () => {
  const stop = await follow();
  await expect.poll(async () => (await readHistory(world.database)).mark).toBeGreaterThan(2n);
  await stop();
  await run("update history set mark = mark - 1");
  const elsewhere = await mkdtemp(join(tmpdir(), "exchange-history-"));
  const file = openHistoryFile(elsewhere);
  // Each start and end of the new machine's process compares the mark.
  for (const _start of [1, 2, 3]) {
    await rm(join(elsewhere, HISTORY_FILE), { force: true });
    await (await follow({ file, runsWorkers: false }))();
  }
  await rm(elsewhere, { recursive: true });
  expect(await restoredWhy()).toBeNull();
  await (await follow())();
  await expectRestored("a process remembers a later state");
});

test("a process without workers finds that the database lost commits", async () => {
  await (await follow())();
  const file = openHistoryFile(dataDir);
  await (await follow({ file, runsWorkers: false }))();
  expect(await restoredWhy()).toBeNull();
  await run("update history set mark = 0");
  await (await follow({ file, runsWorkers: false }))();
  await expectRestored("a process remembers a later state");
});

test("a mark that cannot be stored is a warning at once, and one more in each hour", async () => {
  const warnings: string[] = [];
  const log = { ...world.deps.log, warn: (_found: unknown, text: string) => warnings.push(text) };
  const write = vi.fn(() => {
    throw new Error("ENOSPC: no space left on device");
  });
  const file = { ...openHistoryFile(dataDir), write };
  const now = vi.spyOn(performance, "now").mockReturnValue(1_000);
  const deps = { ...world.deps, log } as unknown as Deps;
  const stop = await followHistory(deps, { file, isEmbedded: false, runsWorkers: true });
  const untilTried = async () => {
    const { length } = write.mock.calls;
    await expect.poll(() => write.mock.calls.length).toBeGreaterThan(length + 1);
  };
  try {
    await untilTried();
    expect(warnings).toEqual(["the history mark was not stored, retrying"]);
    now.mockReturnValue(3_602_000);
    await untilTried();
    expect(warnings).toHaveLength(2);
  } finally {
    now.mockRestore();
    await stop();
  }
});

test("marks of several installations share a file, and a damaged file is replaced", () => {
  const file = openHistoryFile(dataDir);
  file.write("a", 7n);
  file.write("b", 3n);
  file.write("a", 5n);
  expect([file.read("a"), file.read("b"), file.read("c")]).toEqual([7n, 3n, undefined]);
  for (const text of ["", "{", "null", "[]", '{"a":7}', '{"a":"-7"}', '{"a":"seven"}']) {
    writeFileSync(join(dataDir, HISTORY_FILE), text);
    expect([text, file.read("a")]).toEqual([text, undefined]);
  }
  file.write("a", 8n);
  expect(file.read("a")).toBe(8n);
});

const STOLEN = `insert into sandbox.bank_payouts (intent_id, reference, method, currency, units, beneficiary_digest,
    outcome, decided_at)
  values ('01a2050e-88d3-80f9-a785-50e5d460b2c1', 'r', 'sepa', 'EUR', 7, 'd', 'settled', business_now())`;

test("the rails' first statement shows a payment that the books do not have", async () => {
  await run(STOLEN);
  const first = await compareFirstStatement(world.deps);
  expect(first.isCompared()).toBe(true);
  await first.stop();
  await expectRestored("payout 01a2050e-88d3-80f9-a785-50e5d460b2c1");
});

test("while a rail gives no statement, nothing is compared", async () => {
  await run(STOLEN);
  let isSilent = true;
  const { bank } = world.deps;
  const statementOf = (since: Date) =>
    isSilent ? Promise.reject(new Error("no answer")) : bank?.statement?.(since);
  const deps = { ...world.deps, bank: { ...bank, statement: statementOf } } as Deps;
  const first = await compareFirstStatement(deps);
  expect(first.isCompared()).toBe(false);
  expect(await restoredWhy()).toBeNull();
  isSilent = false;
  await expect.poll(first.isCompared).toBe(true);
  await expectRestored("payout 01a2050e");
  await first.stop();
});

test("webhooks are held and a merchant's refunds refused until the database is reconciled", async () => {
  await addWebhookEndpoint(world.deps, { merchantId: MERCHANT_ID, url: "http://127.0.0.1:9/" });
  const { order } = await placeAndAsk(world, ORDERS.sell);
  await run("update history set cluster = 1");
  await (await follow())();
  const claim = { worker: order.sessionId, deliveriesMax: 5, leaseMs: 1_000 };
  expect(await claimDeliveries(world.database, claim)).toEqual([]);
  const refund = { merchantId: MERCHANT_ID, orderId: order.id, by: "merchant" } as const;
  await expect(refundOrder(world.deps, refund)).rejects.toThrow("Refunds are paused");
  await run("update history set restored_at = null, restored_why = null, compared_until = null");
  expect(await claimDeliveries(world.database, claim)).toHaveLength(1);
});

test("no payout is released while the rails' statements are not compared", async () => {
  let mayRelease = false;
  const worker = startJobs(
    { ...world.deps, jobTaker: () => worker },
    { mayRelease: () => mayRelease },
  );
  const placed = await placeAndAsk(world, ORDERS.buyByBank);
  await payInstruction({ ...world.deps, books: world.database }, placed);
  await world.database.transaction((tx) => hurryJobs(tx, placed.order.id));
  const read = () => readOrder(world.deps, { merchantId: MERCHANT_ID, orderId: placed.order.id });
  await expect.poll(async () => (await read()).payout?.state).toBe("created");
  await untilTried(world.database, placed.order.id);
  expect((await read()).payout).toMatchObject({ state: "created", releasedAt: null });
  mayRelease = true;
  await expect.poll(async () => (await read()).order.status).toBe("completed");
  await worker.stop();
});
