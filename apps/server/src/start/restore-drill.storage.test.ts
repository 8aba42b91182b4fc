import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, inject, test } from "vitest";
import { runCommand } from "../cli/main.ts";
import { readConfig } from "../config.ts";
import type { OrderView } from "../domain/orders/view.ts";
import { makeReadinessCheck } from "../flows/check-readiness.ts";
import { payOrder } from "../flows/orders/pay.ts";
import { refundOrder } from "../flows/orders/refund.ts";
import { resumePayouts } from "../flows/payouts/resume.ts";
import { stopPayouts } from "../flows/payouts/stop.ts";
import { addWebhookEndpoint } from "../flows/webhooks/add-endpoint.ts";
import { startService } from "../main.ts";
import { readHistory } from "../storage/history.ts";
import { hurryJobs } from "../storage/jobs/jobs.ts";
import { insertMerchant } from "../storage/merchants/merchants.ts";
import { listStops } from "../storage/payouts/stops.ts";
import { type Database, openDatabase, statement } from "../storage/postgres/database.ts";
import { found } from "../testing/catalogue.ts";
import { makeDatabase } from "../testing/database.ts";
import { operatorNamed } from "../testing/operators.ts";
import {
  cardPayment,
  ORDERS,
  payInstruction,
  placeAndAsk,
  type WantedOrder,
} from "../testing/orders.ts";
import { TEMPLATE_DATABASE } from "../testing/storage-server.ts";
import { startReceiver } from "../testing/webhooks/receiver.ts";
import { MERCHANT_ID, openSession } from "../testing/world.ts";
import type { RunningService } from "./running-service.ts";

const server = inject("storageServer");
const DRILL = "restore_drill";
const BACKUP = "restore_drill_backup";
const ALL = { kind: "all", subject: "" } as const;
const BUY_BY_CARD = { ...ORDERS.buyByBank, method: "card" } as const satisfies WantedOrder;
const OPERATIONS = [...Object.values(ORDERS), BUY_BY_CARD] as readonly WantedOrder[];
/** Orders that are placed, paid and completed after the backup. The restore loses them. */
const LOST_ORDERS = 100;

let books: Database;
let dataDir: string;
/** The database that the service uses. */
let database = DRILL;
let service: RunningService | undefined;
const { received, url, close: closeReceiver } = await startReceiver();

afterAll(async () => {
  await service?.stop();
  await closeReceiver();
  await books.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** Copies a database, as a backup does. */
async function copyDatabase(from: string, to: string): Promise<void> {
  const admin = openDatabase({ ...server, poolSize: 1 });
  await admin.query(statement(`copy_${to}`, `create database ${to} template ${from}`));
  await admin.close();
}

const urlOf = (database: string): string =>
  `postgresql://${server.user}@localhost/${database}?host=${server.host}&port=${server.port}`;

async function variables(): Promise<NodeJS.ProcessEnv> {
  const [row] = await books.query<{ name: string }>(
    statement("drill_name", "select current_database() as name"),
  );
  return {
    EXCHANGE_DATA_DIR: dataDir,
    DATABASE_URL: urlOf(database),
    EXCHANGE_SANDBOX_DATABASE_URL: urlOf(found(row).name),
    EXCHANGE_LOG_LEVEL: "silent",
    PORT: "0",
    SHOP_PORT: "0",
    EXCHANGE_CONSOLE_PORT: "0",
  };
}

async function start(): Promise<RunningService["deps"]> {
  service = await startService(readConfig(await variables()), { progress: () => {} });
  return service.deps;
}

async function exchange(...words: readonly string[]) {
  const printed: string[] = [];
  const print = (text: string): void => void printed.push(text);
  const status = await runCommand([...words, "--json"], {
    variables: await variables(),
    print,
    printError: () => {},
  });
  return { status, json: JSON.parse(printed.join("\n")) };
}

const deps = (): RunningService["deps"] => found(service).deps;

const place = (wanted: WantedOrder): Promise<OrderView> =>
  placeAndAsk({ deps: deps(), openSession: (id) => openSession(deps(), id) }, wanted);

async function pay(view: OrderView, units?: bigint): Promise<void> {
  const { id: orderId, sessionId } = view.order;
  if (view.instruction === undefined) {
    await payOrder(deps(), { merchantId: MERCHANT_ID, sessionId, orderId, payment: cardPayment() });
  } else {
    await payInstruction({ ...deps(), books }, view, units === undefined ? {} : { units });
    await hurry(view);
  }
}

const hurry = async ({ order }: OrderView): Promise<void> => {
  await deps().database.transaction((tx) => hurryJobs(tx, order.id));
};

const STATUSES = statement(
  "drill_statuses",
  "select distinct status from orders where id = any ($1::bigint[])",
);

const reaches = (views: readonly OrderView[], status: string): Promise<void> =>
  expect
    .poll(() => deps().database.query(STATUSES, [views.map(({ order }) => order.id)]), {
      timeout: 90_000,
      interval: 200,
    })
    .toEqual([{ status }]);

const MOVEMENTS = statement(
  "drill_movements",
  `select intent_id as id, count(*)::int as times from sandbox.chain_transactions
     where mined_at is not null group by intent_id
   union all select intent_id, count(*)::int from sandbox.bank_payouts
     where heard and outcome = 'settled' group by intent_id
   union all select reference, count(*)::int from sandbox.card_refunds
     where status = 'refunded' group by reference
   union all select reference, count(*)::int from sandbox.card_captures group by reference`,
);
/** Returns the movements in the rails' own books. */
const movements = () => books.query<{ id: string; times: number }>(MOVEMENTS);

/** The webhooks of a fact, by order and type, with the ids under which they came. */
function webhookIds(): Map<string, Set<string>> {
  const ids = new Map<string, Set<string>>();
  for (const { headers, body } of received) {
    const { eventType, details } = JSON.parse(body);
    const fact = `${eventType} ${details.orderId}`;
    ids.set(fact, (ids.get(fact) ?? new Set()).add(String(headers["x-webhook-id"])));
  }
  return ids;
}

test("after a restore no payout goes out twice, no order id comes twice, and the books agree again", async () => {
  books = await makeDatabase();
  dataDir = await mkdtemp(join(tmpdir(), "exchange-drill-"));
  await copyDatabase(TEMPLATE_DATABASE, DRILL);
  await start();
  await insertMerchant(deps().database, {
    id: MERCHANT_ID,
    name: "Test Shop",
    settings: {
      allowedOrigins: ["https://shop.example"],
      countryCode: "DE",
      defaults: { baseCurrency: "eur", targetCurrency: "btc" },
    },
  });
  await deps().syncClock();
  await addWebhookEndpoint(deps(), { merchantId: MERCHANT_ID, url });
  await deps().syncClock();

  // Orders of every operation on their way: some done, some to be sent, some not paid.
  const done = await Promise.all(OPERATIONS.map(place));
  await Promise.all(done.map((view) => pay(view)));
  await reaches(done, "completed");
  await stopPayouts(deps(), { ...ALL, reason: "the drill", by: operatorNamed("anna") });
  const sending = await Promise.all(OPERATIONS.map(place));
  await Promise.all(sending.map((view) => pay(view)));
  await reaches(sending, "sending");
  const unpaid = await Promise.all([...OPERATIONS, ...OPERATIONS].map(place));
  const refunded = await place(ORDERS.transfer);
  await found(service).stop();
  await copyDatabase(DRILL, BACKUP);

  // The world goes on.
  await start();
  for (const person of ["anna", "ben"]) {
    await resumePayouts(deps(), { ...ALL, by: operatorNamed(person) });
  }
  await Promise.all(unpaid.map((view) => pay(view)));
  await pay(refunded, found(refunded.instruction).units - 1n);
  await reaches([refunded], "in_review");
  const refund = { merchantId: MERCHANT_ID, orderId: refunded.order.id, by: "operator" } as const;
  await refundOrder(deps(), refund);
  const lost: OrderView[] = [];
  for (let from = 0; from < LOST_ORDERS; from += OPERATIONS.length) {
    const some = await Promise.all(OPERATIONS.map(place));
    await Promise.all(some.map((view) => pay(view)));
    lost.push(...some);
  }
  await reaches([...sending, ...unpaid, ...lost], "completed");
  await reaches([refunded], "refunded");
  await sleep(1_100);
  await found(service).stop();
  const before = await movements();
  const toldBefore = webhookIds();
  const webhooksBefore = received.length;

  // The restore: the service's database goes back, the rails do not.
  database = BACKUP;
  await start();
  expect(await listStops(deps().database)).toMatchObject([
    { ...ALL, setBy: "auditor", peopleToResume: 2 },
  ]);
  expect((await readHistory(deps().database)).restoredWhy).not.toBeNull();
  expect((await makeReadinessCheck(deps())()).checks.history).toBe("restored");
  const fresh = await Promise.all([...OPERATIONS, ...OPERATIONS].map(place));
  const lostIds = new Set(lost.map(({ order }) => order.id));
  expect(fresh.filter(({ order }) => lostIds.has(order.id))).toEqual([]);
  await Promise.all(fresh.map((view) => pay(view)));
  for (const person of ["anna", "ben"]) {
    await expect(resumePayouts(deps(), { ...ALL, by: operatorNamed(person) })).rejects.toThrow(
      "payouts reconcile",
    );
  }

  // Orders of the backup are driven again. Then the operator reconciles.
  await Promise.all([...unpaid, refunded].map(hurry));
  await reaches([refunded], "in_review");
  await refundOrder(deps(), refund);
  expect(received.length).toBe(webhooksBefore);
  const reconcile = async (): Promise<number> => {
    const words = ["payouts", "reconcile", "--adopt", "--book", "all", "--as", "anna"];
    return (await exchange(...words)).status;
  };
  await expect.poll(reconcile, { interval: 250 }).toBe(0);
  // The deposits of lost orders are booked by name, when every order has found its own.
  await reaches(fresh, "sending");
  const { left } = (await exchange("payouts", "reconcile")).json;
  expect(new Set(left.map(({ kind }: { kind: string }) => kind))).toEqual(new Set(["deposit"]));
  const references = left.flatMap(({ reference }: { reference: string }) => ["--book", reference]);
  await exchange("payouts", "reconcile", ...references, "--as", "anna");
  expect((await exchange("payouts", "reconcile")).json).toMatchObject({ restored: null, left: [] });
  for (const person of ["anna", "ben"])
    await resumePayouts(deps(), { ...ALL, by: operatorNamed(person) });
  await reaches([...sending, ...unpaid, ...fresh], "completed");
  await reaches([refunded], "refunded");

  // The judge is the rails' own books: only the new orders' movements were added, and each was made once.
  const after = await movements();
  expect(after.filter(({ times }) => times > 1)).toEqual([]);
  const added = fresh.length + fresh.filter(({ instruction }) => !instruction).length;
  expect(after.length - before.length).toBe(added);
  await expect.poll(() => received.length).toBeGreaterThan(webhooksBefore);
  for (const [fact, ids] of webhookIds()) {
    if (toldBefore.has(fact)) expect([fact, ids.size]).toEqual([fact, 1]);
  }
  expect((await exchange("ledger", "check")).json).toMatchObject({ ok: true, problems: [] });
  expect((await exchange("ledger", "breaks")).json).toEqual([]);
  expect(await listStops(deps().database)).toEqual([]);
});
