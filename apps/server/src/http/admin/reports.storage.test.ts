import { readFileSync } from "node:fs";
import { ADMIN_ENDPOINTS, EXPORT_ROWS_MAX } from "@exchange/contract/admin";
import { afterAll, beforeAll, expect, test } from "vitest";
import { insertMerchant } from "../../storage/merchants/merchants.ts";
import { statement } from "../../storage/postgres/database.ts";
import { reportFees } from "../../storage/reports/reports.ts";
import {
  type ConsoleBrowser,
  type ConsoleWorld,
  csvRows,
  makeConsoleWorld,
  pagesOf,
} from "../../testing/console-world.ts";
import { MERCHANT_ID, makeWorld, type World } from "../../testing/world.ts";
import { exportList } from "./export-list.ts";

const BOOKS = new URL("../../../../../bench/scale/books.sql", import.meta.url);
const OTHER = "client_dev_OTHERMERCHANT";
const today = new Date().toISOString().slice(0, 10);
const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
const SPAN = { from: yesterday, to: today };

let world: World;
let desk: ConsoleWorld;
let treasurer: ConsoleBrowser;
let finance: ConsoleBrowser;
let stranger: ConsoleBrowser;

beforeAll(async () => {
  world = await makeWorld();
  const defaults = { baseCurrency: "eur", targetCurrency: "btc" };
  const settings = { allowedOrigins: [], countryCode: "DE", defaults };
  await insertMerchant(world.database, { id: OTHER, name: "Other Shop", settings });
  const books = readFileSync(BOOKS, "utf8").replaceAll(
    "__AT__",
    // On both sides of midnight, at whatever time of the day the test runs.
    "date_trunc('day', business_now(), 'UTC') - interval '13 hours' + n * interval '15 minutes'",
  );
  await world.database.transaction(async (tx) => {
    await tx.runScript("set local session_replication_role = replica");
    for (const [first, last, merchant] of [
      ["1", "60", MERCHANT_ID],
      ["61", "80", OTHER],
    ] as const) {
      await tx.runScript(
        books
          .replaceAll("__FIRST__", first)
          .replaceAll("__LAST__", last)
          .replaceAll("__MERCHANT__", merchant),
      );
    }
  });
  desk = makeConsoleWorld(world.deps);
  treasurer = await desk.person(["treasury"]);
  finance = await desk.person(["merchant_finance"], MERCHANT_ID);
  stranger = await desk.person(["merchant_owner"], OTHER);
});
afterAll(async () => {
  await desk.close();
  await world.close();
});

let count = 0;
const run = <Row>(text: string): Promise<Row[]> => {
  count += 1;
  return world.database.query<Row>(statement(`money_${count}`, text));
};

type Row = Readonly<Record<string, string>>;

const SCALE = 18;
/** An exact amount in units of 10^-18. */
function unitsOf(text: string): bigint {
  const [whole = "0", fraction = ""] = text.replace("-", "").split(".");
  const units = BigInt(`${whole}${fraction.padEnd(SCALE, "0")}`);
  return text.startsWith("-") ? -units : units;
}
const sumOf = (rows: readonly Row[], column: string): bigint =>
  rows.reduce((sum, row) => sum + unitsOf(row[column] ?? "0"), 0n);

async function download(
  person: ConsoleBrowser,
  report: string,
  query: Readonly<Record<string, string>> = {},
): Promise<Row[]> {
  const options = { params: { report }, query: { ...SPAN, ...query } };
  const reply = await person.call(ADMIN_ENDPOINTS.downloadReport, options);
  expect(reply.status, reply.text).toBe(200);
  return csvRows(reply.text);
}

/** The ledger's own sum of an account's postings, in units of 10^-18. */
async function booked(purpose: string, currency: string, merchant?: string): Promise<bigint> {
  const [row] = await run<{ sum: string }>(
    `select coalesce(sum(p.units) * power(10::numeric, ${SCALE} - max(c.decimals)), 0)::numeric(60)::text as sum
     from ledger_postings p join ledger_accounts a on a.id = p.account_id join currencies c on c.id = a.asset_id
     where a.purpose = '${purpose}' and c.reference = '${currency}'
       ${merchant ? `and a.merchant_id = '${merchant}'` : ""}`,
  );
  return BigInt(row?.sum ?? "0");
}

const REVENUE = { spread: "spread_revenue", transactionFee: "fee_revenue" } as const;

test("days, their totals, both files and the report of fees have the ledger's sums", async () => {
  const { body } = await treasurer.call(ADMIN_ENDPOINTS.readDays, { query: SPAN });
  const { days, totals } = body.data;
  expect(totals.length).toBeGreaterThan(2);
  const csv = await download(treasurer, "days");
  expect(csv).toEqual(days.map((day) => ({ ...day, orders: String(day.orders) })));
  const json = await treasurer.call(ADMIN_ENDPOINTS.downloadReport, {
    params: { report: "days" },
    query: { ...SPAN, format: "json" },
  });
  expect(json.headers["content-type"]).toContain("application/json");
  expect(JSON.parse(json.text)).toEqual(csv);
  const fees = await download(treasurer, "fees");
  for (const { operation, currency, ...total } of totals) {
    const own = csv.filter((row) => row["operation"] === operation && row["currency"] === currency);
    for (const name of ["volume", "delivered", "spread", "fees"] as const) {
      expect(sumOf(own, name), `${operation} ${currency} ${name}`).toBe(unitsOf(total[name]));
    }
    const lines = fees.filter(
      (row) => row["operation"] === operation && row["currency"] === currency,
    );
    expect(sumOf(lines, "total")).toBe(unitsOf(total.fees));
  }
  for (const currency of ["btc", "eur"]) {
    const own = csv.filter((row) => row["currency"] === currency);
    for (const [name, purpose] of Object.entries(REVENUE)) {
      expect(sumOf(own, name), name).toBe(-(await booked(purpose, currency)));
    }
  }
});

test("volume is the money of exchanged orders, and a reversed one counts against it", async () => {
  const { body } = await treasurer.call(ADMIN_ENDPOINTS.readDays, { query: SPAN });
  const [orders] = await run<{ count: number; units: string }>(
    `select count(*)::int as count, sum(o.spend_units * power(10::numeric, ${SCALE} - c.decimals))::numeric(60)::text as units
     from orders o join currencies c on c.id = o.spend_asset_id
     where o.operation = 'buy' and o.status = 'completed' and c.reference = 'eur'`,
  );
  const buys = body.data.totals.find(
    ({ operation, currency }) => operation === "buy" && currency === "eur",
  );
  expect(buys?.orders).toBe(orders?.count);
  expect(unitsOf(buys?.volume ?? "")).toBe(BigInt(orders?.units ?? "0"));
});

test("a statement's opening sums and postings add up to its closing sums, which are the ledger's", async () => {
  const rows = await download(finance, "statement", { from: today });
  const { body } = await finance.call(ADMIN_ENDPOINTS.readStatement, {
    query: { ...SPAN, from: today },
  });
  const { sums, merchantId } = body.data;
  expect(merchantId).toBe(MERCHANT_ID);
  expect(sums.length).toBeGreaterThan(4);
  expect(sums.some(({ opening }) => unitsOf(opening) !== 0n)).toBe(true);
  for (const { account, currency, opening, closing, debits, credits } of sums) {
    const own = rows.filter((row) => row["account"] === account && row["currency"] === currency);
    const moved = own.filter(({ kind }) => kind !== "closing");
    expect(sumOf(moved, "amount"), `${account} ${currency}`).toBe(unitsOf(closing));
    expect(own.find(({ kind }) => kind === "opening")?.["amount"]).toBe(opening);
    expect(own.find(({ kind }) => kind === "closing")?.["amount"]).toBe(closing);
    expect(unitsOf(opening) + unitsOf(debits) - unitsOf(credits)).toBe(unitsOf(closing));
    expect(unitsOf(closing)).toBe(await booked(account, currency, MERCHANT_ID));
  }
  const balances = await download(finance, "balances", { from: today });
  expect(
    new Set(balances.map((row) => `${row["account"]} ${row["currency"]} ${row["balance"]}`)),
  ).toEqual(
    new Set(sums.map(({ account, currency, closing }) => `${account} ${currency} ${closing}`)),
  );
});

test("two merchants never meet, whatever merchant they name", async () => {
  const query = { merchantId: OTHER };
  for (const report of ["fees", "payouts", "balances", "statement"]) {
    const merchants = (rows: Row[]) => [...new Set(rows.map((row) => row["merchant"]))];
    expect(merchants(await download(finance, report, query)), report).toEqual([MERCHANT_ID]);
    expect(merchants(await download(stranger, report)), report).toEqual([OTHER]);
  }
  expect(await download(finance, "days", query)).toEqual(
    await download(treasurer, "days", { merchantId: MERCHANT_ID }),
  );
  const statementOf = async (person: ConsoleBrowser, options: object) =>
    (await person.call(ADMIN_ENDPOINTS.readStatement, { query: { ...SPAN, ...options } })).body;
  expect((await statementOf(finance, query)).data.merchantId).toBe(MERCHANT_ID);
  const [order] = await run<{ id: string }>(
    `select order_id::text as id from ledger_entries where merchant_id = '${OTHER}' limit 1`,
  );
  const orderId = Number(order?.id);
  const foreign = await finance.call(ADMIN_ENDPOINTS.listEntries, { query: { orderId, ...query } });
  expect(foreign.body.data).toEqual([]);
  const own = await stranger.call(ADMIN_ENDPOINTS.listEntries, { query: { orderId } });
  expect(own.body.data.length).toBeGreaterThan(0);
  const listed = await finance.call(ADMIN_ENDPOINTS.listEntries, { query: { ...SPAN, ...query } });
  expect(new Set(listed.body.data.map(({ merchantId }) => merchantId))).toEqual(
    new Set([MERCHANT_ID]),
  );
  const orders = csvRows((await finance.call(ADMIN_ENDPOINTS.exportOrders, { query })).text);
  expect(new Set(orders.map((row) => row["merchant"]))).toEqual(new Set([MERCHANT_ID]));
  const shops = await Promise.all(
    [finance, stranger].map((person) => person.call(ADMIN_ENDPOINTS.readMerchantOverview)),
  );
  expect(shops.map(({ body }) => body.data.sessions)).toEqual([60, 20]);
});

test("entries are searched by account and currency, page after page, and each balances", async () => {
  const query = { ...SPAN, account: "liquidity", currency: "btc", limit: 7 };
  const entryPages = await pagesOf((page) =>
    treasurer.call(ADMIN_ENDPOINTS.listEntries, { query: { ...query, ...page } }),
  );
  const entries = entryPages.flat();
  for (const { postings } of entries) {
    expect(postings.some(({ account }) => account === "liquidity")).toBe(true);
    expect(postings.reduce((sum, { amount }) => sum + unitsOf(amount.amount), 0n)).toBe(0n);
  }
  const rows = await run<{ id: number }>(
    `select distinct p.entry_id::int as id from ledger_postings p join ledger_accounts a on a.id = p.account_id
     join currencies c on c.id = a.asset_id where a.purpose = 'liquidity' and c.reference = 'btc' order by 1 desc`,
  );
  expect(entries.map(({ entryId }) => entryId)).toEqual(rows.map(({ id }) => id));
});

test("the treasury has the books of every asset, as the ledger has them", async () => {
  const { body } = await treasurer.call(ADMIN_ENDPOINTS.readTreasury);
  const places = { wallets: "chain_wallet", banks: "bank_account", processors: "card_processor" };
  expect(body.data.assets.length).toBeGreaterThan(2);
  for (const asset of body.data.assets) {
    for (const [name, purpose] of Object.entries(places)) {
      const amount = asset[name as keyof typeof places];
      expect(unitsOf(amount ?? "0")).toBe(await booked(purpose, asset.currency));
    }
  }
});

test("the shop's figures are those of the report, and its conversion is counted", async () => {
  const { body } = await finance.call(ADMIN_ENDPOINTS.readMerchantOverview);
  const { report, sessions, placed, fulfilled, endpoints } = body.data;
  const { from, to } = report;
  const days = await finance.call(ADMIN_ENDPOINTS.readDays, { query: { from, to } });
  expect(days.body.data).toEqual(report);
  const [completed] = await run<{ count: number }>(
    `select count(*)::int as count from orders where merchant_id = '${MERCHANT_ID}' and status = 'completed'`,
  );
  expect({ sessions, placed, fulfilled }).toEqual({
    sessions: 60,
    placed: 60,
    fulfilled: completed?.count,
  });
  expect(endpoints).toEqual([]);
});

test("a list's file has the rows of the list by the same filters, with every page", async () => {
  const query = { status: "completed", operation: "buy" };
  const orderPages = await pagesOf((page) =>
    treasurer.call(ADMIN_ENDPOINTS.listAllOrders, { query: { ...query, limit: 5, ...page } }),
  );
  const orders = orderPages.flat();
  expect(orders.length).toBeGreaterThan(5);
  const file = await treasurer.call(ADMIN_ENDPOINTS.exportOrders, { query });
  expect(file.headers["content-disposition"]).toBe('attachment; filename="orders.csv"');
  expect(csvRows(file.text).map((row) => Number(row["order"]))).toEqual(
    orders.map(({ orderId }) => orderId),
  );
  const changes = await treasurer.call(ADMIN_ENDPOINTS.exportChanges, {
    query: { action: "invite_person" },
  });
  expect(csvRows(changes.text)).toHaveLength(3);
  const payouts = await treasurer.call(ADMIN_ENDPOINTS.exportPayouts, {
    query: { which: "under_way" },
  });
  const listed = await treasurer.call(ADMIN_ENDPOINTS.listPayouts, {
    query: { which: "under_way" },
  });
  expect(csvRows(payouts.text).map((row) => row["payout"])).toEqual(
    listed.body.data.map(({ payoutId }) => payoutId),
  );
});

test("a list that is too long for a file is refused, and never cut", async () => {
  const data = Array.from({ length: 500 }, () => ({}));
  const endless = exportList("orders", { a: () => "=1" }, async () => ({ data, nextCursor: "x" }));
  await expect(endless).rejects.toThrow(`more than ${EXPORT_ROWS_MAX} rows`);
  const one = await exportList("orders", { a: () => "=1" }, async () => ({
    data: [{}],
    nextCursor: null,
  }));
  expect(one.parts.join("")).toBe("a\r\n'=1\r\n");
});

test("five searches of the ledger wait for each other, and the next is refused", async () => {
  const search = async () =>
    (await finance.call(ADMIN_ENDPOINTS.listEntries, { query: SPAN })).status;
  const searches = await world.database.transaction(async (tx) => {
    await tx.runScript("lock table ledger_entries in access exclusive mode");
    const all = Array.from({ length: 6 }, search);
    expect(await Promise.race(all)).toBe(503);
    return all;
  });
  expect((await Promise.all(searches)).toSorted((a, b) => a - b)).toEqual([
    200, 200, 200, 200, 200, 503,
  ]);
});

test("the file of payouts has more rows than the screen", async () => {
  await world.database.transaction(async (tx) => {
    await tx.runScript(`set local session_replication_role = replica;
      insert into payout_intents (id, order_id, merchant_id, asset_id, units, network_code, address, state, purpose, rail, created_at, updated_at)
      select gen_random_uuid(), 900000000 + n, merchant_id, asset_id, units, network_code, address, 'created', 'payout', rail, created_at, updated_at
      from (select * from payout_intents where purpose = 'payout' limit 1) one, generate_series(1, 210) n`);
  });
  const query = { which: "under_way" } as const;
  const file = await treasurer.call(ADMIN_ENDPOINTS.exportPayouts, { query });
  await run("delete from payout_intents where order_id > 900000000");
  expect(csvRows(file.text).length).toBeGreaterThanOrEqual(210);
});

test("a merchant's people get two files at once, and the next one when those were sent", async () => {
  const fetchFile = async (person: ConsoleBrowser) =>
    (await person.call(ADMIN_ENDPOINTS.downloadReport, { params: { report: "fees" }, query: SPAN }))
      .status;
  const files = await world.database.transaction(async (tx) => {
    await tx.runScript("lock table ledger_entries in access exclusive mode");
    const own = [finance, finance, finance].map(fetchFile);
    expect(await Promise.race(own)).toBe(503);
    return [...own, fetchFile(stranger)];
  });
  expect((await Promise.all(files)).toSorted((a, b) => a - b)).toEqual([200, 200, 200, 503]);
  expect(await fetchFile(finance)).toBe(200);
});

test.each([
  { from: "2026-02-30", to: "2026-03-01" },
  { from: "2026-03-02", to: "2026-03-01" },
  { from: "2020-01-01", to: "2026-03-01" },
])("the span %j is refused in words", async (query) => {
  const reply = await treasurer.call(ADMIN_ENDPOINTS.readDays, { query });
  expect([reply.status, reply.text]).toEqual([400, expect.stringContaining("span of days")]);
});

test("the file of fees has the rows of the command line", async () => {
  const rows: object[] = [];
  const span = { fromDay: yesterday, toDay: today, merchantId: MERCHANT_ID };
  await reportFees(world.database, span, async (page) => {
    rows.push(...page.map(({ id: _id, ...row }) => row));
  });
  expect(await download(finance, "fees")).toEqual(rows);
});
