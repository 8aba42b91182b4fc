import { afterAll, beforeAll, expect, test } from "vitest";
import { createExchange, type Exchange } from "./exchange.ts";
import {
  page,
  refusal,
  type ScriptedServer,
  startScriptedServer,
} from "./testing/scripted-server.ts";

let server: ScriptedServer;
let exchange: Exchange;
beforeAll(async () => {
  server = await startScriptedServer();
  exchange = createExchange({ baseUrl: server.url, apiKey: "key", clientId: "client" });
});
afterAll(() => server.close());

const targets = () => server.seen.map(({ target }) => target);
const three = () => server.answer(page([1, 2], "c 1"), page([], "c2"), page([3], null));

test("a list is read to its end, whatever the pages hold, with its filters on every page", async () => {
  three();
  const read: unknown[] = [];
  for await (const order of exchange.orders.list({ status: "completed", limit: 2 })) {
    read.push(order);
  }
  expect(read).toEqual([1, 2, 3]);
  expect(targets()).toEqual([
    "/v1/orders?status=completed&limit=2",
    "/v1/orders?status=completed&limit=2&cursor=c+1",
    "/v1/orders?status=completed&limit=2&cursor=c2",
  ]);
});

test("no page is requested before it is read", async () => {
  three();
  const list = exchange.orders.list();
  expect(server.seen).toHaveLength(0);
  for await (const order of list) if (Number(order) === 2) break;
  expect(server.seen).toHaveLength(1);
});

test("a list can be read page by page, from a cursor that was kept", async () => {
  three();
  const pages = [];
  for await (const one of exchange.wallets.list({ cursor: "kept" }).pages()) pages.push(one);
  expect(pages.map(({ nextCursor }) => nextCursor)).toEqual(["c 1", "c2", null]);
  expect(targets()[0]).toBe("/v1/wallets?cursor=kept");
});

test("the first page and the first items can be had alone", async () => {
  three();
  const list = exchange.orders.list();
  expect(await list.firstPage()).toEqual({ data: [1, 2], nextCursor: "c 1" });
  three();
  expect(await list.toArray(2)).toEqual([1, 2]);
  expect(server.seen).toHaveLength(1);
  expect(await list.toArray(0)).toEqual([]);
});

test("events are read on by their sequence", async () => {
  server.answer(page([{ sequence: 1 }], "1"), page([{ sequence: 2 }], null));
  const sequences = [];
  for await (const { sequence } of exchange.events.list({ after: 0 })) sequences.push(sequence);
  expect(sequences).toEqual([1, 2]);
  expect(targets()).toEqual(["/v1/events?after=0", "/v1/events?after=1"]);
});

test("the nextCursor of events is the next after, as it is", async () => {
  server.answer(page([], "7"), page([{ sequence: 8 }], null));
  const { nextCursor } = await exchange.events.list({ after: "now" }).firstPage();
  const news = exchange.events.list({ after: nextCursor ?? 0 });
  expect(await news.toArray(10)).toEqual([{ sequence: 8 }]);
  expect(targets()).toEqual(["/v1/events?after=now", "/v1/events?after=7"]);
});

test("a list of one page takes options alone", async () => {
  server.answer(page([{ id: "e" }], null));
  const signal = AbortSignal.abort(new Error("stopped"));
  await expect(exchange.webhookEndpoints.list({ signal }).firstPage()).rejects.toThrow("stopped");
  expect(await exchange.webhookEndpoints.list().toArray(10)).toEqual([{ id: "e" }]);
});

test("a page that names itself as the next one ends in an error, not never", async () => {
  server.answer(page([1], "same"));
  const read = async () => {
    for await (const _ of exchange.orders.list()) if (server.seen.length > 5) break;
  };
  await expect(read()).rejects.toMatchObject({ code: "UNEXPECTED_ANSWER" });
});

test("an error in the middle comes where the page was asked for", async () => {
  server.answer(page([1], "next"), refusal(400, "INVALID_INPUT"));
  const items = exchange.orders.list()[Symbol.asyncIterator]();
  expect(await items.next()).toEqual({ done: false, value: 1 });
  await expect(items.next()).rejects.toMatchObject({ code: "INVALID_INPUT" });
});
