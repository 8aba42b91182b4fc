import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type Database,
  openDatabase,
  statement,
} from "../../apps/server/src/storage/postgres/database.ts";
import { createMerchant } from "../support/orders/merchant.ts";
import { type BuyChoice, buyChoice, startSession, takeQuote } from "../support/orders/purchase.ts";
import { type DatabaseServer, startDatabaseServer } from "../support/postgres/database-server.ts";
import { exchangeHere } from "../support/service/command-line.ts";
import { type StartedService, startService } from "../support/service/service.ts";

const HOUR_MS = 3_600_000;
/** Quotes are taken from before the change until after it. The command that moves the clock takes a part. */
const BEFORE_MS = 4_000;
const AFTER_MS = 1_500;
/** The quotes that each customer takes on either side, however slow the machine is. */
const QUOTES_A_SIDE = 4;

let server: DatabaseServer;
let database: Database;
/** Two processes that quote, each with the rules in its own memory. */
let services: readonly StartedService[] = [];

async function startBoth(dataDir?: string): Promise<void> {
  const env = { DATABASE_URL: server.url, SHOP_PORT: "0" };
  const all = await startService({ env, ...(dataDir && { dataDir }) });
  const api = { ...env, EXCHANGE_ROLE: "api" };
  services = [all, await startService({ dataDir: all.dataDir, env: api })];
}

beforeAll(async () => {
  server = await startDatabaseServer();
  database = openDatabase({ connectionString: server.url });
  await startBoth();
});
afterAll(async () => {
  await database?.close();
  for (const service of services.toReversed()) await service.stop();
  await services[0]?.discard();
  await server?.stop();
});

const businessNow = async (): Promise<number> => {
  const read = statement("test_now", "select extract(epoch from business_now()) * 1000 as ms");
  const [row] = await database.query<{ ms: string }>(read);
  return Number(row?.ms);
};

const SELECT_AFTER = statement(
  "test_quotes_after",
  "select from quotes where session_id = $1 and created_at >= $2::timestamptz limit 1",
);

/** Counts the quotes of some sessions by the time and by the fee, which the database computes again. */
const COUNT = statement(
  "test_quotes_by_time",
  `select created_at >= $2::timestamptz as "isAfter", evidence->'rule'->>'changeId' as "changeId",
     round((receive_units + transaction_fee_units + delivery_fee_units)
       * case when created_at >= $2::timestamptz then 150 else 290 end / 10000)
       = (fees->0->>'units')::numeric as "isRight", count(*)::int
   from quotes where session_id = any ($1::text[]) group by 1, 2, 3 order by 1`,
);

test("an approved price survives kill -9, and two processes switch at the same time of the clock", async () => {
  const [service] = services;
  if (!service) throw new Error("no service was started");
  const merchant = await createMerchant(service);
  const choice: BuyChoice = await buyChoice(service, merchant);
  const effective = new Date(Math.ceil((Date.now() + HOUR_MS) / 1_000) * 1_000);
  const from = effective.toISOString().replace(".000Z", "Z");
  const why = ["--reason", "a cheaper acquirer"];
  const figures = ["--fee", "150", "--from", from, ...why];
  const { id } = await exchangeHere<{ id: number }>(
    ...([service, "prices", "propose", "card-buy", ...figures, "--as", "ada"] as const),
  );
  await exchangeHere(service, "prices", "approve", String(id), "--as", "ben");
  for (const one of services) one.process.signalGroup("SIGKILL");
  await Promise.all(services.map(({ process }) => process.exited));
  await startBoth(service.dataDir);

  const [running = service] = services;
  const customers = await Promise.all(services.map((one) => startSession(one, merchant)));
  const takeSome = async () => {
    for (const customer of customers)
      for (let taken = 0; taken < QUOTES_A_SIDE; taken += 1) await takeQuote(customer, choice);
  };
  await takeSome();
  const leftMs = effective.getTime() - (await businessNow()) - BEFORE_MS;
  const seconds = String(Math.floor(leftMs / 1_000));
  await exchangeHere(running, "clock", "advance", seconds, "--as", "ada");
  // A busy process learns late that the clock was moved.
  const isOver = async (sessionId: string) =>
    (await businessNow()) > effective.getTime() + AFTER_MS &&
    (await database.query(SELECT_AFTER, [sessionId, effective])).length > 0;
  await Promise.all(
    customers.map(async (customer) => {
      while (!(await isOver(customer.sessionId))) await takeQuote(customer, choice);
    }),
  );
  await takeSome();
  for (const { sessionId } of customers) {
    const counts = await database.query<{ count: number }>(COUNT, [[sessionId], effective]);
    expect(counts).toMatchObject([
      { isAfter: false, changeId: null, isRight: true },
      { isAfter: true, changeId: String(id), isRight: true },
    ]);
    for (const { count } of counts) expect(count).toBeGreaterThanOrEqual(QUOTES_A_SIDE);
  }
});
