import { randomUUID } from "node:crypto";
import { ENDPOINTS, type SandboxDeposit } from "@exchange/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type JobWorker, startJobs } from "../jobs/worker.ts";
import { statement, unnamedStatement } from "../storage/postgres/database.ts";
import { found } from "../testing/catalogue.ts";
import { type Ok, openBrowser, placeOrder } from "../testing/checkout-browser.ts";
import { type HttpWorld, makeHttpWorld, type Reply } from "../testing/http-world.ts";
import { playOrder } from "../testing/sandbox-play.ts";
import { sandboxRows } from "../testing/sandbox-table.ts";

let world: HttpWorld;
beforeAll(async () => {
  world = await makeHttpWorld();
  await world.database.transaction((tx) =>
    tx.runScript(`
      create function break_connection() returns trigger language plpgsql as
        $$ begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$;
      create trigger break_answers before update on idempotency_keys for each row
        when (old.status is null and new.status is not null) execute function break_connection();
      alter table idempotency_keys disable trigger break_answers;`),
  );
});
afterAll(() => world.close());

/** The connection that stores an answer breaks at that moment, as when its process is killed. */
const breakAnswers = (how: "enable" | "disable") =>
  world.database.write(
    unnamedStatement(`alter table idempotency_keys ${how} trigger break_answers`),
  );

/** Ends the leases of unanswered keys, as their time does. */
const endLeases = () =>
  world.database.write(
    statement(
      "test_end_leases",
      `update idempotency_keys set locked_until = clock_timestamp() - interval '1 second'
       where status is null`,
    ),
  );

/** The tables that merchants' requests write to, besides the keys themselves. */
const WRITTEN = [
  "sessions",
  "orders",
  "order_events",
  "payout_intents",
  "ledger_entries",
  "ledger_postings",
  "events",
  "deliveries",
  "pending_deliveries",
  "past_attempts",
  "wallets",
  "webhook_endpoints",
  "webhook_endpoint_log",
  "sandbox.webhook_faults",
  "installation",
  "revoked_order_pages",
];

async function readEffects(): Promise<string> {
  const digests = WRITTEN.map(
    (name) => `select md5(string_agg(t::text, ',' order by t::text)) as digest from ${name} t`,
  );
  const rows = await world.database.query<{ digest: string | null }>(
    unnamedStatement(digests.join(" union all ")),
  );
  return rows.map(({ digest }) => digest).join();
}

type Call = readonly [url: string, payload?: object];

const post = <Body = Ok<{ id: string }>>(
  [url, payload]: Call,
  key?: string,
): Promise<Reply<Body>> =>
  world.call<Body>({
    method: "POST",
    url: `/v1${url}`,
    headers: { ...world.shop.headers, ...(key !== undefined && { "idempotency-key": key }) },
    ...(payload && { payload }),
  });

const addEndpoint = async (): Promise<string> => {
  const url = `https://shop.example/${randomUUID()}`;
  return (await post(["/webhook_endpoints", { url }])).body.data.id;
};

/** An order that holds a part of its coins in review, so that a refund of a part may repeat. */
async function underpaidOrder(): Promise<number> {
  const jobs: JobWorker = startJobs(world.deps);
  try {
    const order = await playOrder(world, {
      ...found(sandboxRows()[0]),
      order: "sell",
      requestMembers: [],
    });
    const reply = await order.advance("in_review", "underpaid");
    expect(reply.status, reply.text).toBe(200);
    return order.id;
  } finally {
    await jobs.stop();
  }
}

const WALLET = "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu";
const unpaidOrder = async () => (await placeOrder(world, await openBrowser(world))).orderId;
const exhaustedDelivery = async (): Promise<string> => {
  const endpointId = await addEndpoint();
  const sent = await post([`/webhook_endpoints/${endpointId}/test`, {}]);
  await world.database.write(
    statement(
      "test_exhaust",
      `with pending as (delete from pending_deliveries where endpoint_id = $1)
       update deliveries set given_up = 'exhausted', attempts = 10, attempted_at = business_now()
       where endpoint_id = $1`,
    ),
    [endpointId],
  );
  return sent.body.data.id;
};

const CALLS: Readonly<Record<string, () => Promise<Call>>> = {
  createPublicToken: async () => ["/public_token/create", { sessionId: randomUUID() }],
  revokeSessionToken: async () => {
    const sessionId = randomUUID();
    await post(["/public_token/create", { sessionId }]);
    return [`/sessions/${sessionId}/revoke_token`];
  },
  cancelOrderByMerchant: async () => [`/orders/${await unpaidOrder()}/cancel`],
  revokeCustomerUrl: async () => [`/orders/${await unpaidOrder()}/revoke_customer_url`],
  refundOrder: async () => [`/orders/${await underpaidOrder()}/refunds`, { amount: 0.01 }],
  saveWallet: async () => ["/wallets", { walletAddress: WALLET, currencyCode: "btc" }],
  createWebhookEndpoint: async () => ["/webhook_endpoints", { url: "https://shop.example/hook" }],
  rotateWebhookSecret: async () => [`/webhook_endpoints/${await addEndpoint()}/rotate_secret`, {}],
  testWebhookEndpoint: async () => [`/webhook_endpoints/${await addEndpoint()}/test`, {}],
  replayWebhookDelivery: async () => [`/webhook_deliveries/${await exhaustedDelivery()}/replay`],
  replayWebhookDeliveries: async () => {
    await unpaidOrder();
    return ["/webhook_deliveries/replay", { endpointId: await addEndpoint(), createdFrom: 0 }];
  },
  plantWebhookFault: async () => ["/sandbox/webhooks/faults", { fault: "drop" }],
  advanceSandboxClock: async () => ["/sandbox/clock", { advanceSeconds: 60 }],
};

/** These write nothing of ours, or their deposit's id follows from the key. */
const OTHERS = ["createQuote", "paySandboxDeposit", "advanceSandboxOrder"];

test("each POST of a merchant is tried", () => {
  const posts = Object.values(ENDPOINTS).filter(
    ({ caller, method }) => caller === "merchant" && method === "POST",
  );
  expect(posts.map(({ operationId }) => operationId).toSorted()).toEqual(
    [...Object.keys(CALLS), ...OTHERS].toSorted(),
  );
});

test("a sandbox deposit is paid once when its answer is lost", async () => {
  const jobs = startJobs(world.deps);
  try {
    const order = await playOrder(world, {
      ...found(sandboxRows()[0]),
      order: "sell",
      requestMembers: [],
    });
    const [call, key]: [Call, string] = [
      ["/sandbox/deposits", { orderId: order.id, amount: 0.01 }],
      randomUUID(),
    ];
    await breakAnswers("enable");
    expect((await post(call, key).finally(() => breakAnswers("disable"))).status).toBe(503);
    await endLeases();
    const reply = await post<Ok<SandboxDeposit>>(call, key);
    expect(reply.status, reply.text).toBe(201);
    const { payment } = await order.until((read) => read.payment.deposits.length > 0);
    expect(payment.deposits).toHaveLength(1);
  } finally {
    await jobs.stop();
  }
});

test.each(Object.entries(CALLS))(
  "%s has its effect once when the connection breaks before its answer is stored",
  async (name, prepare) => {
    const [call, key] = [await prepare(), randomUUID()];
    const before = await readEffects();
    await breakAnswers("enable");
    const broken = await post(call, key).finally(() => breakAnswers("disable"));
    // The first interface documents no 503 for the creation of a token.
    expect(broken.status, broken.text).toBe(name === "createPublicToken" ? 500 : 503);
    expect(await readEffects()).toBe(before);
    await endLeases();
    const first = await post(call, key);
    expect([200, 201], first.text).toContain(first.status);
    expect(first.headers["idempotent-replayed"]).toBeUndefined();
    const after = await readEffects();
    expect(after).not.toBe(before);
    const again = await post(call, key);
    expect([again.text, again.headers["idempotent-replayed"]]).toEqual([first.text, "true"]);
    expect(await readEffects()).toBe(after);
  },
);

test("a request that lost its lease while it ran has no effect", async () => {
  const key = randomUUID();
  const call: Call = ["/webhook_endpoints", { url: "https://shop.example/slow" }];
  // The trigger lets another request take the key over, as the end of a lease does.
  await world.database.transaction((tx) =>
    tx.runScript(`
      create function take_over() returns trigger language plpgsql as $$ begin
        update idempotency_keys set locked_until = locked_until + interval '1 second';
        return new; end $$;
      create trigger take_over after insert on webhook_endpoints
        for each row execute function take_over();`),
  );
  const before = await readEffects();
  const reply = await post<{ code: string }>(call, key);
  await world.database.write(unnamedStatement("drop trigger take_over on webhook_endpoints"));
  expect([reply.status, reply.body.code]).toEqual([409, "IDEMPOTENCY_CONFLICT"]);
  expect(await readEffects()).toBe(before);
});
