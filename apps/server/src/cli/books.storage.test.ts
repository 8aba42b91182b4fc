import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { foldBalances } from "../storage/ledger/fold.ts";
import { statement } from "../storage/postgres/database.ts";
import { MERCHANT_ID, makeWorld, type World } from "../testing/world.ts";
import { runCommand } from "./main.ts";

const BOOKS = new URL("../../../../bench/scale/books.sql", import.meta.url);
const ORDERS = 80;

/** The books are older than the evidence of prices. Purchases get one here. */
const EVIDENCE = `update quotes set evidence = '{
  "spend": {"code": "EUR", "dollars": "1.16", "at": "2026-11-22T08:00:00Z", "sources": ["ecb"],
            "apartBasisPoints": 0, "kind": "reference", "costBasisPoints": 0},
  "receive": {"code": "BTC", "dollars": "96000", "at": "2026-11-22T08:00:00Z",
              "sources": ["kraken", "bitstamp"], "apartBasisPoints": 2, "kind": "market", "costBasisPoints": 4}
}' where operation = 'buy'`;

let world: World;
let variables: NodeJS.ProcessEnv;
const dataDir = mkdtempSync(join(tmpdir(), "exchange-books-"));
let count = 0;

beforeAll(async () => {
  world = await makeWorld();
  const script = readFileSync(BOOKS, "utf8")
    .replaceAll("__FIRST__", "1")
    .replaceAll("__LAST__", String(ORDERS))
    .replaceAll("__AT__", "business_now() - interval '1 hour' + n * interval '1 second'")
    .replaceAll("__MERCHANT__", MERCHANT_ID);
  await world.database.transaction(async (tx) => {
    await tx.runScript("set local session_replication_role = replica");
    await tx.runScript(script);
    await tx.runScript(EVIDENCE);
  });
  await foldBalances(world.database);
  const [row] = await run<{ name: string }>("select current_database() as name");
  const { host } = inject("storageServer");
  variables = {
    DATABASE_URL: `postgres://postgres@localhost/${row?.name}?host=${encodeURIComponent(host ?? "")}`,
    EXCHANGE_DATA_DIR: dataDir,
  };
});
afterAll(async () => {
  rmSync(dataDir, { recursive: true, force: true });
  await world.close();
});

const run = <Row>(text: string) => {
  count += 1;
  return world.database.query<Row>(statement(`books_${count}`, text));
};

async function command(...words: string[]) {
  const written: string[] = [];
  const errors: string[] = [];
  const status = await runCommand(words, {
    variables,
    print: (text) => written.push(`${text}\n`),
    printError: (text) => errors.push(text),
    write: async (text) => void written.push(text),
  });
  return { status, out: written.join(""), writes: written.length, errors: errors.join("\n") };
}

const YEAR = ["--from", "2020-01-01", "--to", "2100-01-01"];
const today = new Date().toISOString().slice(0, 10);
const rowsOf = (csv: string): string[][] =>
  csv
    .split("\r\n")
    .filter((line) => line !== "")
    .map((line) => line.split(","));

/** A column of a report, added up exactly in hundred millionths. */
const sumOf = (rows: readonly string[][], column: string): bigint => {
  const [head = [], ...body] = rows;
  const at = head.indexOf(column);
  return body.reduce((total, row) => {
    const [whole = "0", fraction = ""] = (row[at] ?? "0").split(".");
    const digits = BigInt(`${whole.replace("-", "")}${fraction.padEnd(18, "0").slice(0, 18)}`);
    return total + (whole.startsWith("-") ? -digits : digits);
  }, 0n);
};

test("a day's balances of each currency add up to nothing, and so do its debits and credits", async () => {
  const { status, out } = await command("reports", "balances", "--from", today, "--to", today);
  expect(status).toBe(0);
  const [head, ...rows] = rowsOf(out);
  expect(head).toEqual(["day", "merchant", "account", "currency", "debits", "credits", "balance"]);
  for (const currency of ["eur", "btc", "eth"]) {
    const own = rows.filter((row) => row[3] === currency);
    expect(own.length).toBeGreaterThan(2);
    expect(sumOf([head ?? [], ...own], "balance")).toBe(0n);
  }
  expect(new Set(rows.map(([day]) => day))).toEqual(new Set([today]));
  const liquidity = rows.find((row) => row[2] === "liquidity" && row[3] === "eur");
  const [booked] = await run<{ units: string }>(
    `select trim_scale(sum(p.units) / 100.0)::text as units from ledger_postings p
     join ledger_accounts a on a.id = p.account_id join currencies c on c.id = a.asset_id
     where a.purpose = 'liquidity' and c.reference = 'eur'`,
  );
  expect(liquidity?.[6]).toBe(booked?.units);
});

test("the day of a balance is written as a day, in CSV and in JSON", async () => {
  const span = ["reports", "balances", "--from", today, "--to", today];
  const csv = rowsOf((await command(...span)).out).slice(1);
  const json = JSON.parse((await command(...span, "--format", "json")).out) as { day: string }[];
  expect(csv.length).toBeGreaterThan(0);
  expect(new Set(csv.map(([day]) => day))).toEqual(new Set([today]));
  expect(json.map(({ day }) => day)).toEqual(csv.map(([day]) => day));
});

test("balances tell also what is booked and not folded yet", async () => {
  const before = rowsOf((await command("reports", "balances", "--from", today, "--to", today)).out);
  const [account] = await run<{ id: string }>(
    `select a.id from ledger_accounts a join currencies c on c.id = a.asset_id
     where purpose = 'fee_revenue' and c.reference = 'btc'`,
  );
  await world.database.transaction(async (tx) => {
    // Recorded by a transaction that still runs when the report folds: it stays in the tail.
    await tx.runScript("select pg_current_xact_id()");
    await tx.runScript("set local session_replication_role = replica");
    await world.database.transaction(async (other) => {
      await other.runScript(`set local session_replication_role = replica;
        with entry as (insert into ledger_entries (merchant_id, key, kind, asset_id, effective_at)
          select '${MERCHANT_ID}', 'tail', 'test', asset_id, business_now() from ledger_accounts
          where id = ${account?.id} returning id, asset_id)
        insert into ledger_postings select id, 1, ${account?.id}, asset_id, 100000000 from entry`);
    });
    const after = rowsOf(
      (await command("reports", "balances", "--from", today, "--to", today)).out,
    );
    expect(sumOf(after, "balance") - sumOf(before, "balance")).toBe(10n ** 18n);
  });
  await run("select 1");
  await world.database.transaction((tx) =>
    tx.runScript(`set local session_replication_role = replica;
      delete from ledger_postings where entry_id = (select id from ledger_entries where key = 'tail');
      delete from ledger_entries where key = 'tail'; delete from ledger_fold`),
  );
});

test("fees tell each exchange, and one that was taken back counts below zero", async () => {
  const { out } = await command("reports", "fees", ...YEAR);
  const rows = rowsOf(out);
  const reversals = rows.filter((row) => row.at(-1) === "reversal");
  expect(reversals).toHaveLength(2);
  expect(reversals[0]?.[5]).toMatch(/^-0\.0000/);
  const exchanged =
    "status = 'completed' or exists (select from ledger_entries e where e.order_id = o.id and e.kind = 'reversal')";
  const [orders] = await run<{ count: number }>(
    `select count(*)::int as count from orders o where ${exchanged}`,
  );
  expect(rows.length - 1 - reversals.length).toBe(orders?.count);
});

test("payouts tell every payout and refund with its exact amount", async () => {
  const { out } = await command("reports", "payouts", ...YEAR);
  const rows = rowsOf(out);
  const [intents] = await run<{ count: number }>(
    "select count(*)::int as count from payout_intents",
  );
  expect(rows.length - 1).toBe(intents?.count);
  expect(rows[1]?.[8]).toMatch(/^0?\.?\d+(\.\d+)?$/);
  expect(new Set(rows.map((row) => row[1])).size).toBe(rows.length);
});

test("a report of another merchant or another time has its head alone", async () => {
  const other = await command("reports", "payouts", ...YEAR, "--merchant", "client_dev_NOBODY");
  expect(rowsOf(other.out)).toHaveLength(1);
  const before = await command("reports", "fees", "--from", "2001-01-01", "--to", "2001-12-31");
  expect(rowsOf(before.out)).toHaveLength(1);
  const json = await command(
    "reports",
    "fees",
    "--from",
    "2001-01-01",
    "--to",
    "2001-01-01",
    "--json",
  );
  expect(JSON.parse(json.out)).toEqual([]);
});

test("as JSON a report is one array of the same rows", async () => {
  const csv = rowsOf((await command("reports", "fees", ...YEAR)).out);
  const json = await command("reports", "fees", ...YEAR, "--format", "json");
  const rows = JSON.parse(json.out) as Record<string, string>[];
  expect(rows.map((row) => Object.values(row))).toEqual(csv.slice(1));
});

test("a day that is none, a span that ends before it begins, and a strange format are refused", async () => {
  for (const words of [
    ["--from", "2026-02-30", "--to", "2026-03-01"],
    ["--from", "yesterday", "--to", "2026-03-01"],
    ["--from", "2026-03-02", "--to", "2026-03-01"],
    ["--from", "2026-03-01", "--to", "2026-03-01", "--format", "xml"],
  ]) {
    const { status, out } = await command("reports", "fees", ...words);
    expect({ words, status, out }).toEqual({ words, status: 2, out: "" });
  }
});

const idWhere = async (condition: string): Promise<string> => {
  const [row] = await run<{ id: string }>(
    `select id::text as id from orders where ${condition} limit 1`,
  );
  return row?.id ?? "";
};
const explain = async (condition: string) =>
  command("orders", "explain", "--order", await idWhere(condition));

test("the story of a purchase tells its price, each amount in coins, and what comes next", async () => {
  const { status, out } = await explain("operation = 'buy' and status = 'completed'");
  expect(status).toBe(0);
  for (const words of [
    /Order \d+ is completed: a customer gives 1\d\d\.?\d* EUR and buys 0\.0015\d* BTC/,
    /Mid rate 16 \(volume\): .* EUR would be 0\.0015\d* BTC\./,
    /One BTC was 96000 USD from kraken, bitstamp \(agreed by venues, at most 2 basis points apart\), 2026-11-22 08:00:00 UTC; 4 basis points for the amount are in the spread\./,
    /One EUR was 1\.16 USD from ecb \(a daily reference rate\), 2026-11-22 08:00:00 UTC\./,
    /Less 0\.00003 BTC for the transaction fee\./,
    /Visa ending in 2701, 1\d\d\.?\d* EUR: captured/,
    /The card payment was taken \(capture:[0-9a-f-]+\):/,
    /1\d\d\.?\d* EUR more: what the card processor owes us/,
    /0\.0015\d* BTC less: our wallets/,
    /Payout of 0\.0015\d* BTC by chain/,
    /OrderFulfillment: no endpoint subscribed to it/,
    /It is done: what was promised was delivered\./,
  ]) {
    expect(out).toMatch(words);
  }
});

test("a held order's story says who must decide and with which command", async () => {
  const { out } = await explain("status = 'in_review'");
  expect(out).toContain("in_review (overpaid), held from payment_pending");
  expect(out).toContain("A person must decide. More arrived than the order is for.");
  expect(out).toMatch(/exchange orders release --order \d+/);
});

test("a refund after the exchange is told with every reversal", async () => {
  const { out } = await explain(
    "status = 'refunded' and exists (select from ledger_entries e where e.order_id = orders.id and e.kind = 'reversal')",
  );
  expect(out).toMatch(
    /An entry was undone \(exchange:\d+:spend:reversed, undoing exchange:\d+:spend\)/,
  );
  expect(out).toContain("void (withdrawn)");
  expect(out).toContain("It has ended: all that was received was returned.");
});

test("a story has no secret: no card token, no sealed field, no path of a webhook's URL", async () => {
  const id = await idWhere("operation = 'buy' and status = 'completed'");
  await world.database.transaction(async (tx) => {
    await tx.runScript(`set local session_replication_role = replica;
      insert into webhook_endpoints (merchant_id, id, url, event_types, secret_sealed)
        values ('${MERCHANT_ID}', '6f1c2a34-0000-4000-8000-00000000000c',
          'https://shop.example/hooks/SECRETPATH?key=SECRETKEY', array['OrderCreated'], '\\x5ec2e7');
      insert into deliveries (merchant_id, event_id, endpoint_id, order_id, sequence)
        select merchant_id, id, '6f1c2a34-0000-4000-8000-00000000000c', order_id, sequence from events
        where order_id = ${id} and event_type = 'OrderCreated';
      update payment_attempts set card_token = 'SECRETTOKEN' where order_id = ${id};
      update orders set personal = null, payout_shown = '{"iban": "•••• 3000"}' where id = ${id}`);
  });
  for (const words of [[], ["--json"]]) {
    const { out } = await command("orders", "explain", "--order", id, ...words);
    expect(out).toContain("https://shop.example");
    expect(out).toContain("•••• 3000");
    expect(out).not.toMatch(/SECRET|5ec2e7/);
  }
});

test("a program gets the same story as JSON, each amount exact and in coins", async () => {
  const id = await idWhere("status = 'in_review'");
  const { out } = await command("orders", "explain", "--order", id, "--json");
  const story = JSON.parse(out) as { order: { id: string; spend: object }; deposits: object[] };
  expect(story.order.id).toBe(id);
  expect(story.order.spend).toMatchObject({
    units: expect.any(String),
    amount: expect.stringMatching(/ EUR$/),
  });
  expect(story.deposits).toMatchObject([
    { state: "final", amount: expect.stringMatching(/ EUR$/) },
  ]);
});

test("an order nobody has is refused in words", async () => {
  const { status, errors } = await command("orders", "explain", "--order", "1");
  expect(status).toBe(1);
  expect(errors).toContain("There is no order 1.");
});

test("the check shows its progress, and names what is wrong", async () => {
  const right = await command("ledger", "check");
  expect(right.out).toContain(`The ledger is right: ${ORDERS} orders`);
  expect(right.errors).toMatch(/checking orders: 80 of \d+ \(100 %\)/);
  const id = await idWhere("status = 'expired'");
  await world.database.transaction((tx) =>
    tx.runScript(`set local session_replication_role = replica;
      delete from order_events where order_id = ${id}`),
  );
  const wrong = await command("ledger", "check");
  expect(wrong.status).toBe(1);
  expect(wrong.out).toContain(`order ${id} is expired and its timeline ends with nothing`);
  expect((await command("ledger", "breaks")).out).toContain("The audit found nothing wrong.");
});
