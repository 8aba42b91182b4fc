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
  service = await startWithRails(line, { prices: { kind: "market", venues, freshSeconds: 20 } });
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

const quote = () => {
  const { deps } = service;
  const idOf = (code: string) => found(deps.catalogue().currencyByCodeOrReference(code)).id;
  return createQuote(deps, {
    merchantId: MERCHANT_ID,
    operation: "buy",
    spendCurrencyId: idOf("eur"),
    receiveCurrencyId: idOf("btc"),
    spendAmount: { units: 100n, scale: 0 },
    paymentMethodId: found(deps.catalogue().paymentMethodByReference("card")).id,
  });
};

test("quotes end when the venues are not believed, and begin again when they are", async () => {
  await expect.poll(() => dollarsOf("BTC")).toBeDefined();
  for (const one of standIns) one.mood = "lies";
  await expect.poll(() => dollarsOf("BTC")).toBeUndefined();
  const refusal = await quote().catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(Refusal);
  expect(refusal).toMatchObject({ code: "LIQUIDITY_UNAVAILABLE" });
  for (const one of standIns) one.mood = "sound";
  await expect.poll(() => dollarsOf("BTC")).toBeDefined();
});

/** The least quotes in each mood, and the time after which a mood ends with an error. */
const QUOTES_OF_A_MOOD = 40;
const MOOD_MS = 90_000;
/** A venue that failed often rests for half a minute. On a busy machine another one may then begin to. */
const AFTER_REST = { timeout: 120_000 };
/** The pause of a customer between two quotes. */
const PAUSE_MS = 20;

/** Lets four customers ask for quotes until the condition holds. Returns the rates and the refusals that they got. */
async function quoteUntil(isOver: () => boolean): Promise<readonly string[]> {
  const endsAt = performance.now() + MOOD_MS;
  const answers = new Set<string>();
  let made = 0;
  const customer = async (): Promise<void> => {
    while (made < QUOTES_OF_A_MOOD || !isOver()) {
      if (performance.now() > endsAt) throw new Error("the venue did not change in time");
      made += 1;
      answers.add(
        await quote().then(
          ({ midRate }) => formatDecimal(midRate).slice(0, "0.0000195".length),
          (error: Refusal) => error.code,
        ),
      );
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  };
  await Promise.all([customer(), customer(), customer(), customer()]);
  return [...answers];
}

test("a venue that goes mad, sleeps and returns changes no quote that customers get meanwhile", async () => {
  await expect.poll(isDeep).toBe(true);
  const [kraken, coinbase] = [found(standIns[0]), found(standIns[1])];
  const isSound = (kind: VenueKind): boolean =>
    service.deps.rates?.health().find(({ source }) => source === kind)?.state === "sound";
  const areSound = (): boolean => KINDS.every(isSound);
  const isAskedBy = (venue: StandInVenue) => {
    const before = venue.requests();
    return () => venue.requests() >= before + 3;
  };
  await expect.poll(areSound, AFTER_REST).toBe(true);
  // Two of three agree on bitcoin. Coinbase does not have the euro.
  const right = ["0.0000195"];
  coinbase.mood = "mad";
  expect(await quoteUntil(isAskedBy(coinbase))).toEqual(right);
  // One of the two venues that have the euro: there is the right quote, or none.
  coinbase.mood = "sound";
  kraken.mood = "mad";
  const doubted = await quoteUntil(() => dollarsOf("EUR") === undefined);
  expect([...right, "LIQUIDITY_UNAVAILABLE"]).toEqual(expect.arrayContaining([...doubted]));
  expect(await quoteUntil(isAskedBy(kraken))).toEqual(["LIQUIDITY_UNAVAILABLE"]);
  kraken.mood = "sound";
  await expect.poll(isDeep).toBe(true);
  expect(await quoteUntil(isAskedBy(kraken))).toEqual(right);
  coinbase.mood = "sleeps";
  expect(await quoteUntil(() => !isSound("coinbase"))).toEqual(right);
  coinbase.mood = "sound";
  await expect.poll(areSound, AFTER_REST).toBe(true);
  expect(await quoteUntil(isAskedBy(coinbase))).toEqual(right);
}, 400_000);
