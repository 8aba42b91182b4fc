import { formatDecimal } from "@exchange/money";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createQuote } from "../../flows/quotes/create.ts";
import { Refusal } from "../../flows/refusal.ts";
import { found } from "../../testing/catalogue.ts";
import { type CommandLine, openCommandLine } from "../../testing/command-line.ts";
import { ORDERS, placeAndAsk } from "../../testing/orders.ts";
import { startWithRails } from "../../testing/rails-service.ts";
import {
  type StandInVenue,
  startStandInVenue,
  type VenueKind,
} from "../../testing/stand-in-venue.ts";
import { MERCHANT_ID, makeWorld, openSession, type World } from "../../testing/world.ts";
import type { RunningService } from "../running-service.ts";

// The whole service with prices of stand-in venues, over real sockets.

const KINDS: readonly VenueKind[] = ["kraken", "coinbase", "bitstamp"];
const DOLLARS: Readonly<Record<string, number>> = { BTC: 64_000, EUR: 1.25, USDT: 1 };

const standIns: StandInVenue[] = [];
let world: World;
let line: CommandLine;
let service: RunningService;

beforeAll(async () => {
  world = await makeWorld();
  line = await openCommandLine(world.database);
  for (const kind of KINDS) {
    const dollars = (code: string): number | undefined =>
      kind === "coinbase" && code === "EUR" ? undefined : DOLLARS[code];
    standIns.push(await startStandInVenue({ kind, dollars, now: Date.now, size: 1e6 }));
  }
  const venues = KINDS.map((kind, index) => ({
    kind,
    url: found(standIns[index]).url,
    markets: kind === "coinbase" ? ["BTC/USD"] : ["BTC/USD", "EUR/USD"],
    bestMilliseconds: 50,
    bookMilliseconds: 50,
  }));
  service = await startWithRails(line, { prices: { kind: "market", venues, freshSeconds: 2 } });
});
afterAll(async () => {
  await service.stop();
  await Promise.all(standIns.map((one) => one.close()));
  await line.close();
  await world.close();
});

const dollarsOf = (code: string): string | undefined => {
  const price = service.deps.rates?.prices(new Date())?.price(code);
  return price && formatDecimal(price);
};

const isDeep = (): boolean => {
  const table = service.deps.rates?.prices(new Date());
  const thousand = { units: 1_000n, scale: 0 };
  return ["EUR", "BTC"].every(
    (code) => table?.costBasisPoints(code, "buy", thousand) !== undefined,
  );
};

test("an order is priced by the venues, and its story says by which", async () => {
  await expect.poll(isDeep).toBe(true);
  const { deps } = service;
  const placing = { deps, openSession: (id?: string) => openSession(deps, id) };
  const view = await placeAndAsk(placing, ORDERS.buyByBank);
  expect(view.quote.rateSource).toBe("market");
  // 1.25 dollars for a euro and 64,000 for a bitcoin.
  expect(formatDecimal(view.quote.midRate)).toMatch(/^0\.0000195/);
  const { status, out } = await line.run("orders", "explain", String(view.order.id));
  expect(status).toBe(0);
  expect(out).toMatch(/One EUR was 1\.2\d* USD from kraken, bitstamp \(agreed by venues/);
  expect(out).toMatch(/One BTC was 6\d{4}\S* USD from kraken, coinbase, bitstamp \(agreed/);
});

test("the rates command asks the venues itself, and names the currencies without a price", async () => {
  const { status, out } = await line.run("rates", "--json");
  expect(status).toBe(1);
  const shown = JSON.parse(out) as {
    readonly sources: readonly { readonly source: string; readonly state: string }[];
    readonly currencies: readonly { readonly code: string; readonly note: string | null }[];
  };
  expect(shown.sources.map(({ source, state }) => [source, state])).toEqual(
    KINDS.map((kind) => [kind, "sound"]),
  );
  const of = (code: string) => found(shown.currencies.find((one) => one.code === code));
  expect(of("BTC")).toMatchObject({ kind: "market", sources: KINDS, note: null });
  expect(of("NGN")).toMatchObject({ dollars: null, note: "no configured source prices it" });
});

test("doctor names the rails file", async () => {
  const { out } = await line.run("doctor");
  expect(out).toMatch(/ok {3}prices: from market, by .*rails\.json/);
});

test("quotes end when the venues are not believed, and begin again when they are", async () => {
  await expect.poll(() => dollarsOf("BTC")).toBeDefined();
  for (const one of standIns) one.mood = "lies";
  await expect.poll(() => dollarsOf("BTC")).toBeUndefined();
  const { deps } = service;
  const idOf = (code: string) => found(deps.catalogue().currencyByCodeOrReference(code)).id;
  const quote = createQuote(deps, {
    merchantId: MERCHANT_ID,
    operation: "buy",
    spendCurrencyId: idOf("eur"),
    receiveCurrencyId: idOf("btc"),
    spendAmount: { units: 100n, scale: 0 },
    paymentMethodId: found(deps.catalogue().paymentMethodByReference("card")).id,
  });
  const refusal = await quote.catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(Refusal);
  expect(refusal).toMatchObject({ code: "LIQUIDITY_UNAVAILABLE" });
  for (const one of standIns) one.mood = "sound";
  await expect.poll(() => dollarsOf("BTC")).toBeDefined();
});
