import { brotliDecompressSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Catalogue } from "../domain/catalogue/catalogue.ts";
import { type HttpWorld, makeHttpWorld } from "../testing/http-world.ts";

const CURRENCIES = "/v1/exchange/currencies?operationType=B&countryCode=CA";

let world: HttpWorld;
/** Counts how often a handler read the catalogue's currencies. */
let reads = 0;
let symbol = "€";

beforeAll(async () => {
  const shipped = await makeHttpWorld();
  const catalogue = shipped.deps.catalogue();
  await shipped.close();
  let current = withSymbol(catalogue, symbol);
  world = await makeHttpWorld({
    deps: {
      catalogue: () => {
        if (current.symbol !== symbol) current = withSymbol(catalogue, symbol);
        return current.catalogue;
      },
    },
  });
});
afterAll(() => world.close());

/** A snapshot of the catalogue in which the euro has the symbol. */
function withSymbol(catalogue: Catalogue, euro: string) {
  const currencies = catalogue.currencies.map((currency) =>
    currency.code === "EUR" ? { ...currency, symbol: euro } : currency,
  );
  const counted: Catalogue = {
    ...catalogue,
    get currencies() {
      reads += 1;
      return currencies;
    },
  };
  return { symbol: euro, catalogue: counted };
}

/** Sends a request and returns its reply and whether a handler read the catalogue for it. */
async function call(
  headers: Readonly<Record<string, string>> = world.shop.headers,
  url = CURRENCIES,
) {
  const before = reads;
  const reply = await world.call({ url, headers });
  return { ...reply, isRead: reads > before };
}

test("an answer is made once for a merchant and an address", async () => {
  const first = await call();
  const second = await call();
  expect([first.isRead, second.isRead]).toEqual([true, false]);
  expect([second.status, second.text]).toEqual([200, first.text]);
  expect(second.headers["content-type"]).toBe(first.headers["content-type"]);
  expect((await call(world.shop.headers, CURRENCIES.replace("CA", "DE"))).isRead).toBe(true);
  expect((await call((await world.addShop()).headers)).isRead).toBe(true);
});

test("a cached answer has a request id of its own and counts against the rate limit", async () => {
  const [first, second] = [await call(), await call()];
  expect(second.isRead).toBe(false);
  expect(second.headers["x-request-id"]).not.toBe(first.headers["x-request-id"]);
  const left = (reply: typeof first) => Number(reply.headers["ratelimit-remaining"]);
  expect(left(second)).toBe(left(first) - 1);
});

test("a cached answer is not for a caller without credentials", async () => {
  await call();
  expect((await call({ ...world.shop.headers, "x-api-key": "exk_dev_nobody" })).status).toBe(401);
});

test("a new catalogue is answered at once", async () => {
  expect((await call()).text).toContain('"symbol":"€"');
  symbol = "EURO";
  expect((await call()).text).toContain('"symbol":"EURO"');
});

test("a change of any merchant discards the cached answers", async () => {
  await call();
  await world.refresh();
  expect((await call()).isRead).toBe(true);
});

test("a cached script keeps its headers, its encoding and its validator", async () => {
  const url = `/v1/sdk/exchange.js?clientId=${world.shop.clientId}&env=dev`;
  const get = (headers: Readonly<Record<string, string>>) => world.call({ url, headers });
  for (const encoding of ["br", "gzip", "identity"]) {
    const [first, second] = [
      await get({ "accept-encoding": encoding }),
      await get({ "accept-encoding": encoding }),
    ];
    const ownHeaders = ({ headers }: typeof first) =>
      Object.fromEntries(
        Object.entries(headers).filter(
          ([name]) => !/^(x-request-id|date|ratelimit-.*)$/.test(name),
        ),
      );
    expect(ownHeaders(second)).toEqual(ownHeaders(first));
    expect(second.text).toBe(first.text);
    const again = await get({
      "accept-encoding": encoding,
      "if-none-match": String(first.headers["etag"]),
    });
    expect([again.status, again.text]).toEqual([304, ""]);
  }
});

test("parameters that the script does not use make no other script", async () => {
  let renders = 0;
  const directory = world.deps.directory();
  const counted = {
    ...directory,
    merchant: (id: string) => {
      renders += 1;
      return directory.merchant(id);
    },
  };
  const other = await makeHttpWorld({ deps: { directory: () => counted } });
  const script = (query: string) =>
    other.call({
      url: `/v1/sdk/exchange.js?${query}`,
      headers: { "accept-encoding": "br" },
    });
  const { clientId } = world.shop;
  const first = await script(`clientId=${clientId}&env=dev&baseAmount=1`);
  expect(first.status).toBe(200);
  const before = renders;
  const same = [
    await script(`env=dev&baseAmount=1&clientId=${clientId}`),
    await script(`baseAmount=1&clientId=${clientId}&env=dev&targetAmount=`),
  ];
  expect(same.map(({ text }) => text === first.text)).toEqual([true, true]);
  const unknown = await script(`n=1&env=dev&baseAmount=1&clientId=${clientId}`);
  expect([unknown.status, renders]).toEqual([500, before]);
  const changed = await script(`clientId=${clientId}&env=dev&baseAmount=2`);
  expect(changed.text).not.toBe(first.text);
  await other.close();
});

test("an answer is compressed for a client that accepts it, and cached so", async () => {
  const { text } = await call();
  const headers = { ...world.shop.headers, "accept-encoding": "gzip, br" };
  for (const _ of ["made", "cached"]) {
    const reply = await world.app.inject({ url: CURRENCIES, headers });
    expect(reply.headers).toMatchObject({ "content-encoding": "br", vary: "accept-encoding" });
    expect(brotliDecompressSync(reply.rawPayload).toString()).toBe(text);
    expect(reply.rawPayload.length).toBeLessThan(text.length / 4);
  }
  const before = reads;
  await world.app.inject({ url: CURRENCIES, headers });
  expect(reads).toBe(before);
});
