import { randomUUID } from "node:crypto";
import { type Asset, money } from "@exchange/money";
import { pino } from "pino";
import type { Catalogue } from "../domain/catalogue/catalogue.ts";
import { capsOfEuro } from "../domain/orders/open-orders.ts";
import { FLAT_FEES } from "../domain/ports/network-fees.ts";
import type { Quote } from "../domain/quotes/quote.ts";
import type { Deps } from "../flows/deps.ts";
import { makeOrderIds } from "../flows/orders/order-ids.ts";
import { makeMetrics } from "../metrics/metrics.ts";
import { withSandboxExplorer } from "../sandbox/routes/explorer.ts";
import { makeSandbox, type Sandbox } from "../sandbox/sandbox.ts";
import { createDataKeyBox } from "../secrets/data-keys.ts";
import { makeKeyLine, parseKeyRing } from "../secrets/key-ring.ts";
import { createOrderPages } from "../secrets/order-pages.ts";
import { randomIds } from "../secrets/random-ids.ts";
import { createSecretBox } from "../secrets/secret-box.ts";
import { createTokenSigner } from "../secrets/tokens.ts";
import { makeBatchedWrites } from "../storage/batched-writes.ts";
import { loadCatalogue, readCatalogue } from "../storage/catalogue/catalogue.ts";
import { ensureInstallation } from "../storage/installation.ts";
import { makeRateCounters } from "../storage/limits/rate-windows.ts";
import { readMerchantDirectory } from "../storage/merchants/directory.ts";
import { insertMerchant } from "../storage/merchants/merchants.ts";
import type { Database } from "../storage/postgres/database.ts";
import { makeDatabase } from "./database.ts";
import { NO_CONTROLS } from "./exchanges.ts";
import { plainSession } from "./sessions.ts";

const CATALOGUE_FILES = new URL("../../catalogue/", import.meta.url).pathname;
/** The secret key of every world of one test file, and of its command line. */
export const KEY_LINE = makeKeyLine("k1");
export const MERCHANT_ID = "client_dev_TESTMERCHANT";

/** The test's world: a real database with the catalogue, one merchant and the sandbox's rails. */
export interface World {
  readonly deps: Deps;
  readonly sandbox: Sandbox;
  readonly database: Database;
  /** A new session with its token's id. */
  openSession(sessionId?: string): Promise<{ sessionId: string; tokenJti: string }>;
  /** Stores a quote of the session: €100 for 0.0011 BTC, by card. */
  quote(sessionId: string, overrides?: Partial<Quote>): Promise<Quote>;
  close(): Promise<void>;
}

export async function makeWorld(
  overrides: Partial<Deps> = {},
  existing?: Database,
): Promise<World> {
  const database = existing ?? (await makeDatabase());
  await ensureInstallation(database, { environment: "dev", orderIdKey: randomIds.bytes(32) });
  await loadCatalogue(database, CATALOGUE_FILES);
  await insertMerchant(database, {
    id: MERCHANT_ID,
    name: "Test Shop",
    settings: {
      allowedOrigins: ["https://shop.example"],
      countryCode: "DE",
      defaults: { baseCurrency: "eur", targetCurrency: "btc" },
    },
  });
  const { deps: built, sandbox } = await makeDeps(database);
  const deps: Deps = { ...built, ...overrides };
  return {
    deps,
    sandbox,
    database,
    openSession: (sessionId) => openSession(deps, sessionId),
    quote: (sessionId, changes) => storeQuote(deps, sessionId, changes),
    close: () => database.close(),
  };
}

async function makeDeps(database: Database): Promise<{ deps: Deps; sandbox: Sandbox }> {
  const [read, directory] = await Promise.all([
    readCatalogue(database),
    readMerchantDirectory(database),
  ]);
  const ring = parseKeyRing(KEY_LINE);
  const publicUrl = "http://localhost:8080";
  const catalogue = withSandboxExplorer(read, publicUrl);
  const ids = randomIds;
  const sandbox = makeSandbox({
    database,
    books: database,
    ids,
    publicUrl,
    clockMover: "merchants",
    network: (networkCode) => catalogue.network(networkCode),
  });
  const secrets = createSecretBox(ring, "dev");
  const deps: Deps = {
    environment: "dev",
    database,
    ...makeBatchedWrites(database),
    clock: { now: () => new Date() },
    syncClock: async () => {},
    lookUp: async () => {},
    ids,
    orderIds: makeOrderIds(database, "dev"),
    catalogue: () => catalogue,
    directory: () => directory,
    controls: () => NO_CONTROLS,
    ...sandbox.rails,
    rates: undefined,
    networkFees: FLAT_FEES,
    priceBandPercent: 50,
    slippageBasisPoints: 25,
    openOrderCaps: capsOfEuro({ pair: 0, merchant: 0, customer: 0 }),
    secrets,
    dataKeys: createDataKeyBox(secrets, ring, "dev"),
    orderPages: createOrderPages(ring, "dev"),
    tokens: createTokenSigner({ ring, environment: "dev", now: () => new Date() }),
    webhookTargets: { allowSandboxTargets: true },
    publicUrl,
    rateCounters: makeRateCounters(database),
    jobTaker: () => undefined,
    metrics: makeMetrics().metrics,
    log: pino({ level: "silent" }),
  };
  return { deps, sandbox };
}

/** Opens a session with a token. */
export async function openSession(deps: Deps, sessionId: string = randomUUID()) {
  const session = plainSession(MERCHANT_ID, sessionId);
  await deps.openSession(session);
  return { sessionId, tokenJti: session.tokenJti };
}

async function storeQuote(
  deps: Deps,
  sessionId: string,
  changes: Partial<Quote> = {},
): Promise<Quote> {
  const quote: Quote = { ...plainQuote(deps.catalogue()), ...changes };
  await deps.insertQuote({ quote, merchantId: MERCHANT_ID, sessionId });
  return quote;
}

/**
 * Prices without a rate source: the identity holds and every part is there. The sandbox's market is better at
 * every moment, so an order of this quote is never held for its price.
 */
function plainQuote(catalogue: Catalogue): Quote {
  const [eur, btc] = [currency(catalogue, "eur"), currency(catalogue, "btc")];
  const fee = money(btc, 3_000n);
  return {
    id: `quo_${randomUUID().replaceAll("-", "")}`,
    operation: "buy",
    spend: money(eur, 10_000n),
    receive: money(btc, 110_000n),
    askedReceive: null,
    rate: { units: 113n, scale: 7 },
    midRate: { units: 115n, scale: 7 },
    fees: [{ type: "percentage", amount: fee }],
    transactionFee: fee,
    deliveryFee: money(btc, 0n),
    spread: money(btc, 2_000n),
    paymentMethodId: idOf(catalogue.paymentMethodByReference("card")),
    deliveryMethodId: idOf(catalogue.deliveryMethodByReference("blockchain_transfer")),
    deliveryDays: { min: 0, max: 0 },
    limits: { min: money(eur, 1_000n), max: money(eur, 500_000n) },
    rateSource: "test",
    createdAt: new Date(),
    // However slow the machine is, a test places its order in time.
    expiresAt: new Date(Date.now() + 600_000),
  };
}

function currency(catalogue: Catalogue, reference: string): Asset {
  const found = catalogue.currencyByCodeOrReference(reference);
  if (!found) throw new Error(`the catalogue has no ${reference}`);
  return found;
}

function idOf(item: { readonly id: number } | undefined): number {
  if (!item) throw new Error("the catalogue lacks what buying by card needs");
  return item.id;
}
