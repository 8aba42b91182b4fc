import { money } from "@exchange/money";
import { afterAll, beforeAll, expect, test } from "vitest";
import { credit, debit, makeEntry } from "../../domain/ledger/entry.ts";
import { recordEntry } from "../../testing/ledger.ts";
import { readAfterGrowth } from "../../testing/reading.ts";
import { stopClock } from "../../testing/stopped-clock.ts";
import { MERCHANT_ID, makeWorld, type World } from "../../testing/world.ts";
import { ADVISORY_LOCKS } from "../postgres/advisory-locks.ts";
import { statement } from "../postgres/database.ts";
import { reportStatementSums } from "../reports/balance-reports.ts";
import { readBalance } from "./balances.ts";
import { checkEntries } from "./entry-checks.ts";
import { foldBalances } from "./fold.ts";

let world: World;
let eurId: number;
let count = 0;
/** The day of every entry. */
let day: string;

beforeAll(async () => {
  world = await makeWorld();
  day = (await stopClock(world.database)).toISOString().slice(0, 10);
  eurId = world.deps.catalogue().currencyByCodeOrReference("eur")?.id ?? 0;
});
afterAll(() => world.close());

/** An entry without an order, because these tests are only about the books. */
const entryOf = (units: bigint) => {
  const eur = world.deps.catalogue().currencyById(eurId);
  if (!eur) throw new Error("the catalogue has no euro");
  count += 1;
  return makeEntry({
    key: `test:${count}`,
    kind: "exchange",
    asset: money(eur, units).asset,
    link: null,
    postings: [debit("liquidity", units), credit("fee_revenue", units)],
  });
};
const context = { merchantId: MERCHANT_ID, orderId: null as unknown as bigint };
const record = (units: bigint) =>
  world.database.transaction((tx) => recordEntry(tx, entryOf(units), context));
const liquidity = (merchantId = "all") =>
  readBalance(world.database, { merchantId, purpose: "liquidity", assetId: eurId });
const run = <Row>(text: string) => {
  count += 1;
  return world.database.query<Row>(statement(`balances_${count}`, text));
};
const problems = async () => (await checkEntries(world.database, () => {})).problems;

test("a balance is the same before, while and after entries are folded", async () => {
  expect(await liquidity()).toBe(0n);
  await record(100n);
  expect(await liquidity()).toBe(100n);
  expect(await foldBalances(world.database)).toMatchObject({ fromBeginning: true });
  expect(await liquidity()).toBe(100n);
  await record(30n);
  expect(await liquidity(MERCHANT_ID)).toBe(130n);
  // Running database transactions of other tests on the same server delay the fold.
  let folded = 0;
  const foldMore = async () => {
    folded += (await foldBalances(world.database)).postings;
    return folded;
  };
  await expect.poll(foldMore).toBe(2);
  expect(await foldBalances(world.database)).toEqual({ postings: 0, fromBeginning: false });
  expect(await liquidity()).toBe(130n);
  expect(await liquidity("client_dev_NOBODY")).toBe(0n);
  expect(await problems()).toEqual([]);
});

test("an entry that is recorded by a database transaction during a fold is never lost", async () => {
  const before = await liquidity();
  await world.database.transaction(async (tx) => {
    await recordEntry(tx, entryOf(7n), context);
    await record(1_000n);
    await foldBalances(world.database);
    expect(await liquidity()).toBe(before + 1_000n);
    const own = { merchantId: "all", purpose: "liquidity", assetId: eurId };
    expect(await readBalance(tx, own)).toBe(before + 1_007n);
  });
  await foldBalances(world.database);
  expect(await liquidity()).toBe(before + 1_007n);
  expect(await problems()).toEqual([]);
});

test("simultaneous writes, folds and reads count every entry exactly once", async () => {
  const before = await liquidity();
  const writes = Array.from({ length: 60 }, () => record(1n));
  const folds = Array.from({ length: 10 }, () => foldBalances(world.database));
  await Promise.all([...writes, ...folds]);
  await foldBalances(world.database);
  expect(await liquidity()).toBe(before + 60n);
  expect(await problems()).toEqual([]);
});

test("an entry is counted on the day when it took effect", async () => {
  const net = String(await liquidity());
  const folded = async () => {
    await foldBalances(world.database);
    return run<{ day: string; net: string }>(
      `select d.day::text as day, sum(d.debit_units - d.credit_units)::text as net
       from ledger_days d join ledger_accounts a on a.id = d.account_id
       where a.purpose = 'liquidity' group by d.day`,
    );
  };
  // Running transactions in other databases of the cluster delay the fold.
  await expect.poll(folded).toEqual([{ day, net }]);
});

test("a database that was restored into another cluster is counted from the beginning", async () => {
  const before = await liquidity();
  await run("update ledger_fold set cluster = 1, watermark = '999999999'");
  await run("update ledger_balances set units = units + 1");
  await record(5n);
  expect(await liquidity()).toBe(before + 5n);
  expect(await foldBalances(world.database)).toMatchObject({ fromBeginning: true });
  await record(5n);
  expect(await liquidity()).toBe(before + 10n);
  expect(await problems()).toEqual([]);
});

test("a report counts no entry twice while another process begins to count a restored database", async () => {
  const span = { fromDay: day, toDay: day, merchantId: null };
  const sums = async () => {
    const found: object[] = [];
    await reportStatementSums(world.database, span, async (rows) => void found.push(...rows));
    return found;
  };
  await foldBalances(world.database);
  const before = await sums();
  expect(before).not.toEqual([]);
  await run("update ledger_fold set cluster = 1");
  await world.database.transaction(async (tx) => {
    await tx.runScript(`select pg_advisory_xact_lock(${ADVISORY_LOCKS.fold})`);
    expect(await sums()).toEqual(before);
  });
  expect(await foldBalances(world.database)).toMatchObject({ fromBeginning: true });
  expect(await sums()).toEqual(before);
});

test("the check reports a balance that is not the sum of its postings", async () => {
  await foldBalances(world.database);
  await run("update ledger_balances set units = units + 1 where units > 0");
  expect(await problems()).toContainEqual({
    check: "a balance is the sum of its postings",
    problem: expect.stringMatching(/liquidity of asset \d+ is 1 off the sum of its postings/),
  });
});

test("a balance reads only the entries that are not folded, whatever the number of folded ones", async () => {
  const own = await makeWorld();
  const of = { merchantId: "all", purpose: "liquidity", assetId: eurId };
  const entries = Array.from({ length: 500 }, () => entryOf(1n));
  const read = await readAfterGrowth(own, {
    before: (database) => readBalance(database, of),
    fill: async () => {
      await foldBalances(own.database);
      await own.database.transaction(async (tx) => {
        for (const entry of entries) await recordEntry(tx, entry, context);
      });
      const fold = async () => (await foldBalances(own.database)).postings;
      await expect.poll(fold).toBe(entries.length * 2);
      return "select";
    },
    work: async (database) => expect(await readBalance(database, of)).toBe(500n),
  });
  await own.close();
  expect(read).toBeLessThan(100);
});
