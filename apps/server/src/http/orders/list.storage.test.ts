import { randomUUID } from "node:crypto";
import { ENDPOINTS, type OrderData } from "@exchange/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { statement } from "../../storage/postgres/database.ts";
import { browserWith, placeOrder } from "../../testing/checkout-browser.ts";
import {
  type ErrorReply,
  faultsOf,
  type HttpWorld,
  makeHttpWorld,
} from "../../testing/http-world.ts";

interface ListReply {
  readonly data: readonly OrderData[];
  readonly nextCursor: string | null;
}

let world: HttpWorld;
/** Six orders of the shop, in the order in which they were placed. */
const placed: OrderData[] = [];

beforeAll(async () => {
  world = await makeHttpWorld();
  for (let number = 0; number < 6; number += 1) placed.push(await place());
});
afterAll(() => world.close());

const place = async (sessionId: string = randomUUID()): Promise<OrderData> =>
  placeOrder(world, browserWith(world, await world.token({ sessionId })));

const list = <Body = ListReply>(query: string, headers = world.shop.headers) =>
  world.call<Body>({ url: `/v1/orders?${query}`, headers });

const idsOf = (orders: readonly OrderData[]): number[] => orders.map(({ orderId }) => orderId);

/** The rows of these orders, in the order that the database defines. */
const CREATED_AT = statement(
  "test_created_at",
  "update orders set created_at = $2, version = version + 1 where id = $1",
);

async function walk(query: string, between: () => Promise<unknown> = async () => {}) {
  const pages: number[][] = [];
  for (let cursor = ""; ; ) {
    const { body } = await list(cursor ? `${query}&cursor=${cursor}` : query);
    expect(faultsOf(ENDPOINTS.listOrders, body)).toEqual([]);
    pages.push(idsOf(body.data));
    if (body.nextCursor === null) return pages;
    cursor = body.nextCursor;
    await between();
  }
}

test("the newest comes first, each as it is read alone", async () => {
  const { body } = await list("");
  expect(idsOf(body.data)).toEqual(idsOf(placed).reverse());
  expect(body.nextCursor).toBeNull();
  const newest = body.data[0];
  const alone = await world.call<{ data: OrderData }>({
    url: `/v1/orders/${newest?.orderId}`,
    headers: world.shop.headers,
  });
  expect(newest).toEqual(alone.body.data);
});

test("pages neither skip nor repeat an order, on ties to the microsecond and under inserts", async () => {
  const times = ["00.000001", "00.000002", "00.000002", "00.000002", "00.000002", "00.000003"];
  for (const [at, { orderId }] of placed.entries()) {
    await world.database.query(CREATED_AT, [orderId, `2026-01-01T00:00:${times[at]}Z`]);
  }
  const tied = idsOf(placed.slice(1, 5)).sort((a, b) => b - a);
  const expected = [placed[5]?.orderId, ...tied, placed[0]?.orderId];
  const pages = await walk("limit=1&createdTo=1767225601", () => place());
  expect(pages.flat()).toEqual(expected);
  expect(pages.every((page) => page.length === 1)).toBe(true);
  expect((await walk("limit=4&createdTo=1767225601")).map((page) => page.length)).toEqual([4, 2]);
});

test("createdFrom is inclusive, createdTo exclusive", async () => {
  const moment = Date.UTC(2026, 1, 1) / 1000;
  const { orderId } = await place();
  await world.database.query(CREATED_AT, [orderId, "2026-02-01T00:00:00Z"]);
  const within = async (from: number, to: number) =>
    idsOf((await list(`createdFrom=${from}&createdTo=${to}`)).body.data);
  expect(await within(moment, moment + 1)).toEqual([orderId]);
  expect(await within(moment - 10, moment)).toEqual([]);
  expect(await within(moment + 1, moment + 10)).toEqual([]);
});

test("status, operation type and session are filters, alone and together", async () => {
  const sessionId = randomUUID();
  const browser = browserWith(world, await world.token({ sessionId }));
  const { orderId } = await placeOrder(world, browser);
  await browser(`/orders/${orderId}/cancel`, { method: "POST" });
  const ids = async (query: string) => idsOf((await list(query)).body.data);
  expect(await ids("status=cancelled")).toEqual([orderId]);
  expect(await ids("status=completed")).toEqual([]);
  expect(await ids("operationType=B&status=cancelled")).toEqual([orderId]);
  expect(await ids("operationType=S")).toEqual([]);
  expect(await ids(`sessionId=${sessionId}`)).toEqual([orderId]);
  expect(await ids(`sessionId=${sessionId}&status=awaiting_payment`)).toEqual([]);
});

test("another merchant sees none of them, not even with a cursor of theirs", async () => {
  const { headers } = await world.addShop();
  const { nextCursor } = (await list("limit=1")).body;
  for (const query of ["", `cursor=${nextCursor}`]) {
    const { body } = await list(query, headers);
    expect(body).toMatchObject({ data: [], nextCursor: null });
  }
});

test.each([
  ["limit=0", "query.limit"],
  ["limit=101", "query.limit"],
  ["status=lost", "query.status"],
  ["createdFrom=yesterday", "query.createdFrom"],
  ["cursor=", "query.cursor"],
  ["cursor=bm9uc2Vuc2U", "query.cursor"],
  [`cursor=${Buffer.from("wallets.1.2").toString("base64url")}`, "query.cursor"],
  [`cursor=${Buffer.from("orders.1.-2").toString("base64url")}`, "query.cursor"],
])("%s is refused", async (query, path) => {
  const reply = await list<ErrorReply>(query);
  expect(reply.status).toBe(400);
  expect(reply.body).toMatchObject({ code: "INVALID_INPUT", details: [{ path }] });
});
