import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OrderView } from "../domain/orders/view.ts";
import { recordCauses } from "../storage/alerts/alerts.ts";
import { found as required } from "../testing/catalogue.ts";
import { type CommandLine, openCommandLine } from "../testing/command-line.ts";
import { makeOrderWorld, ORDERS, type OrderWorld } from "../testing/orders.ts";
import { sandboxAddress } from "../testing/sandbox-addresses.ts";

let world: OrderWorld;
let line: CommandLine;
let bought: OrderView;
let sold: OrderView;

beforeAll(async () => {
  world = await makeOrderWorld();
  line = await openCommandLine(world.database);
  [bought, sold] = [await world.order(ORDERS.buyByBank), await world.order(ORDERS.sell)];
  await world.pay(bought);
  await world.pay(sold);
  bought = await world.untilStatus(bought, "completed");
  sold = await world.untilStatus(sold, "completed");
});
afterAll(async () => {
  await line.close();
  await world.close();
});

/** A fixture that a test needs. */
const found = <Value>(value: Value | null | undefined): Value => required(value ?? undefined);

interface Match {
  readonly orderId: number;
  readonly foundBy: readonly string[];
}
const find = async (text: string): Promise<Match[]> => {
  const { out } = await line.run("orders", "find", text, "--json");
  return (JSON.parse(out) as Match[]).map(({ orderId, foundBy }) => ({ orderId, foundBy }));
};
const only = ({ order }: OrderView, ...foundBy: string[]): Match[] => [
  { orderId: Number(order.id), foundBy },
];

describe("orders find leads to the one order", () => {
  test("by its own id, its session and its quote", async () => {
    const { order } = bought;
    expect(await find(String(order.id))).toEqual(only(bought, "order id", "payment reference"));
    expect(await find(order.sessionId)).toEqual(only(bought, "session id"));
    expect(await find(order.quoteId)).toEqual(only(bought, "quote id"));
  });

  test("by the reference of a bank transfer and the address of a deposit", async () => {
    const { reference } = found(bought.instruction);
    expect(await find(reference)).toEqual(only(bought, "order id", "payment reference"));
    const address = found(found(sold.instruction).address);
    expect(await find(address)).toEqual(only(sold, "deposit address"));
    expect(await find(address.toLowerCase())).toEqual(only(sold, "deposit address"));
  });

  test("by the transaction that paid it, without the number of its output", async () => {
    const [deposit] = sold.deposits;
    const [hash = ""] = found(deposit).externalId.split(":");
    expect(await find(hash)).toEqual(only(sold, "transaction received"));
    expect(await find(found(deposit).id)).toEqual(only(sold, "deposit id"));
  });

  test("by its payout, on a chain and at a bank", async () => {
    const [coins, euros] = [found(bought.payout), found(sold.payout)];
    expect(await find(coins.id)).toEqual(only(bought, "payout id"));
    expect(await find(found(coins.transactionHash))).toEqual(only(bought, "transaction sent"));
    expect(await find(found(euros.transactionHash))).toEqual(only(sold, "payout reference"));
  });

  test("by the addresses that coins go to, in any letter case", async () => {
    const destination = found(bought.order.walletAddress);
    expect(await find(destination.toUpperCase())).toEqual(only(bought, "destination address"));
    expect(await find(found(sold.order.refundAddress).toLowerCase())).toEqual(
      only(sold, "refund address"),
    );
  });

  test("and says what can be searched when nothing has the text", async () => {
    for (const text of ["nobody", "0", "' or 1=1 --", "%", "9".repeat(40)]) {
      const { status, out } = await line.run("orders", "find", text);
      expect({ text, status, out }).toMatchObject({
        status: 1,
        out: expect.stringMatching(
          /^No order has .*\n.*a session; .*e-mail.*a transaction.*\n.*orders list --from/,
        ),
      });
    }
    expect((await line.run("orders", "find")).errors).toContain("--text is missing");
  });
});

describe("orders list filters", () => {
  const idsOf = async (...words: string[]): Promise<number[]> =>
    (await line.runJson<Match[]>("orders", "list", ...words)).map(({ orderId }) => orderId);
  const today = () => new Date().toISOString().slice(0, 10);

  test("by operation, day and age", async () => {
    expect(await idsOf("--operation", "sell")).toEqual([Number(sold.order.id)]);
    expect(await idsOf("--operation", "S")).toEqual([Number(sold.order.id)]);
    expect(await idsOf("--from", today(), "--to", today())).toHaveLength(2);
    expect(await idsOf("--to", "2020-01-01")).toEqual([]);
    expect(await idsOf("--older-than", "1h")).toEqual([]);
    expect((await line.run("orders", "list", "--older-than", "1h")).out).toBe("No order matches.");
    expect((await line.run("orders", "list", "--status", "completed")).out).toMatch(/UNCHANGED/);
  });

  test("and refuses what is not an operation, a day or a time", async () => {
    const refusals = [
      [["--operation", "b"], "Use one of buy (B), sell (S)"],
      [["--from", "2026-02-30"], "must be a day such as"],
      [["--from", "2026-02-02", "--to", "2026-02-01"], "--from is after --to"],
      [["--older-than", "soon"], "must be a time such as 30m"],
    ] as const;
    for (const [words, why] of refusals) {
      const { status, errors } = await line.run("orders", "list", ...words);
      expect({ words, status, errors }).toMatchObject({
        status: 2,
        errors: expect.stringContaining(why),
      });
    }
  });
});

test("status exits with 1 while an alert is open, because an alert needs a person", async () => {
  const alert = { id: randomUUID(), cause: "workers_late", summary: "Work on orders is late." };
  await recordCauses(world.database, [alert], { channels: [] });
  const alarmed = await line.run("status");
  expect(alarmed).toMatchObject({ status: 1, out: expect.stringContaining(alert.summary) });
  await recordCauses(world.database, [], { channels: [], goneSeconds: 0 });
  expect((await line.run("status")).status).toBe(0);
});

test("status shows what waits, what is stopped and the last day", async () => {
  const quiet = await line.run("status");
  expect(quiet).toMatchObject({ status: 0, out: expect.stringContaining("In review:      none") });
  expect(quiet.out).toMatch(/Audit: +not passed yet, compared with the rails (\d+m )?\d+s ago/);
  expect(quiet.out).toMatch(
    /2 orders placed, 2 of them completed, 0 refunded; 2 payouts released, worth \d+\.\d\d EUR/,
  );
  const price = "\\w+ \\d+[smhd][^;]* old \\([a-z, ]+\\)";
  const prices = found(/Prices quoted: +(.*)/.exec(quiet.out)?.[1]).split("; ");
  expect(new Set(prices.map((words) => words.split(" ")[0]))).toEqual(
    new Set(["BTC", "ETH", "EUR"]),
  );
  for (const words of prices) expect(words).toMatch(new RegExp(`^${price}$`));
  const view = await world.order(ORDERS.buyByBank);
  await world.pay(view, { units: found(view.instruction).units / 2n });
  await world.untilStatus(view, "in_review");
  await line.runJson(
    "payouts",
    "stop",
    "--rail",
    "bank",
    "--reason",
    "the bank is late",
    "--as",
    "anna",
  );
  expect((await line.run("doctor")).out).toMatch(/BAD +people: in review: 1 underpaid \(oldest/);
  const { status, out } = await line.run("status");
  expect(status).toBe(1);
  expect(out).toMatch(/In review: +1 underpaid \(oldest (\d+m )?\d+s\)/);
  expect(out).toMatch(/Stopped: +rail bank by anna: the bank is late/);
  expect(JSON.parse((await line.run("status", "--json")).out)).toMatchObject({
    orders: [{ status: "in_review", reason: "underpaid", count: 1 }],
    lastDay: { placed: 3, completed: 2, paidOut: 2 },
  });
  expect((await line.run("status", "--watch", "--json")).status).toBe(2);
});

test("a hit's story names what was hit, who decided and why", async () => {
  const walletAddress = sandboxAddress("bitcoin", "sanctioned");
  const { order } = await world.order({ ...ORDERS.buyByBank, request: { walletAddress } });
  const named = ["--order", String(order.id)];
  const held = await line.run("orders", "explain", ...named);
  expect(held.out).toContain("A person must decide. The screening found a match.");
  expect(held.out).toContain(`the screener hit address ${walletAddress}`);
  const why = "the list names another owner of this address";
  await line.runJson("orders", "note", ...named, "--text", why, "--as", "anna");
  await line.runJson("orders", "release", ...named, "--as", "bea");
  const { out } = await line.run("orders", "explain", ...named);
  expect(out).toContain(`anna: ${why}`);
  expect((await line.run("payouts", "log")).out).toMatch(new RegExp(`bea.*${order.id}`));
});
