import { randomBytes, randomUUID } from "node:crypto";
import type { WebhookEventType } from "@exchange/contract";
import { pino } from "pino";
import type { IdSource } from "../../domain/ports/id-source.ts";
import type { Deps } from "../../flows/deps.ts";
import {
  type AddedWebhookEndpoint,
  addWebhookEndpoint,
} from "../../flows/webhooks/add-endpoint.ts";
import { makeMetrics } from "../../metrics/metrics.ts";
import { makeDeliveryFaults } from "../../sandbox/faults/planted-faults.ts";
import { makeKeyLine, parseKeyRing } from "../../secrets/key-ring.ts";
import { createSecretBox } from "../../secrets/secret-box.ts";
import { type Database, type Statement, statement } from "../../storage/postgres/database.ts";
import {
  type Dispatcher,
  type DispatcherDeps,
  type DispatcherOptions,
  startDispatcher,
} from "../../webhooks/dispatcher.ts";
import { makePoster } from "../../webhooks/poster.ts";
import { makeDatabase } from "../database.ts";
import { recordEvent } from "./events.ts";
import { type Answer, type Receiver, startReceiver } from "./receiver.ts";

const INSTALL = statement(
  "test_install",
  "insert into installation (environment, order_id_key) values ('dev', '')",
);
const ADD_MERCHANT = statement("test_merchant", "insert into merchants (id, name) values ($1, $1)");
const ADVANCE = statement(
  "test_advance",
  "update installation set clock_offset = clock_offset + $1 * interval '1 second'",
);
const EXPIRE_LEASES = statement(
  "test_expire_leases",
  "update delivery_leases set leased_until = statement_timestamp()",
);
const DELIVERIES = statement(
  "test_deliveries",
  `select id, d.order_id::int as "orderId", delivery_state(d) as state,
     d.attempts + is_held(d)::int as attempts, is_held(d) as "isHeld",
     extract(epoch from p.next_attempt_at - business_now())::float as "dueInSeconds"
   from deliveries d left join pending_deliveries p on p.delivery_id = d.id
   order by d.sequence, d.endpoint_id`,
);
/** Selects deliveries whose pending row contradicts their state. */
const AT_ODDS = statement(
  "test_at_odds",
  `select d.id, p.delivery_id as "pendingId", delivery_state(d) as state
   from deliveries d full join pending_deliveries p
     on p.merchant_id = d.merchant_id and p.delivery_id = d.id
   where d.id is null or (delivery_state(d) = 'pending') <> (p.delivery_id is not null)
     or (p.endpoint_id, p.order_id, p.sequence, p.event_id)
       <> (d.endpoint_id, d.order_id, d.sequence, d.event_id)`,
);
const ATTEMPTS = statement(
  "test_attempts",
  `select delivery_id as "deliveryId", number, status, error_class as "errorClass"
   from delivery_attempts order by delivery_id, number`,
);

const ENDPOINT_LOG = statement(
  "test_endpoint_log",
  "select what from webhook_endpoint_log order by number",
);

const ENDPOINT_HEALTH = statement(
  "test_endpoint_health",
  `select failures, paused_until is not null as "isPaused" from webhook_endpoints
   order by created_at`,
);

export interface DeliveryRow {
  readonly id: string;
  readonly orderId: number;
  readonly state: string;
  readonly attempts: number;
  readonly isHeld: boolean;
  readonly dueInSeconds: number;
}

export interface AttemptRow {
  readonly deliveryId: string;
  readonly number: number;
  readonly status: number | null;
  readonly errorClass: string | null;
}

/** Every random fraction is one half, so that a jittered delay equals the delay itself. */
export const testIds: IdSource = {
  uuid: randomUUID,
  orderedUuid: randomUUID,
  bytes: (count) => (count === 4 ? Uint8Array.of(0x80, 0, 0, 0) : randomBytes(count)),
};

/** Longer than a test may take: no answer is late and no lease ends by itself, however slow the machine is. */
const PATIENCE_MS = 600_000;

/** A database with one merchant, and the parts that deliver its webhooks. */
export async function makeWorld() {
  const database = await makeDatabase();
  const merchantId = "client_dev_AAAAAAAAAAAAAAAA";
  const keyLine = makeKeyLine("k1");
  const deps: DispatcherDeps & Pick<Deps, "environment"> = {
    environment: "dev",
    webhookTargets: { allowSandboxTargets: true },
    database,
    ids: testIds,
    secrets: createSecretBox(parseKeyRing(keyLine), "dev"),
    metrics: makeMetrics().metrics,
    log: pino({ level: "silent" }),
    deliveryFaults: makeDeliveryFaults(database),
  };
  const receivers: Receiver[] = [];
  const dispatchers: Dispatcher[] = [];
  const query = <Row>(sql: Statement, values?: readonly unknown[]): Promise<Row[]> =>
    database.query<Row>(sql, values);
  await query(INSTALL);
  await query(ADD_MERCHANT, [merchantId]);
  return {
    database,
    deps,
    keyLine,
    merchantId,
    addMerchant: (id: string) => query(ADD_MERCHANT, [id]),
    receive: async (answer?: Answer): Promise<Receiver> => {
      const receiver = await startReceiver(answer);
      receivers.push(receiver);
      return receiver;
    },
    addEndpoint: (
      url: string,
      eventTypes?: readonly WebhookEventType[],
    ): Promise<AddedWebhookEndpoint> =>
      addWebhookEndpoint(deps, { merchantId, url, ...(eventTypes && { eventTypes }) }),
    addEndpointOf: (owner: string, url: string): Promise<AddedWebhookEndpoint> =>
      addWebhookEndpoint(deps, { merchantId: owner, url }),
    addEventOf: (owner: string, orderId: number) =>
      addEvent(database, { merchantId: owner, orderId, eventType: "OrderCreated" }),
    addEvent: (orderId: number, eventType: WebhookEventType = "OrderCreated") =>
      addEvent(database, { merchantId, orderId, eventType }),
    dispatch: (options: DispatcherOptions = {}, changed: Partial<DispatcherDeps> = {}) => {
      const poster = makePoster({
        policy: { allowSandboxTargets: true },
        connectTimeoutMs: PATIENCE_MS,
        totalTimeoutMs: PATIENCE_MS,
      });
      const dispatcher = startDispatcher(
        { ...deps, ...changed },
        { pollMs: 25, stopGraceMs: 0, leaseMs: PATIENCE_MS, poster, ...options },
      );
      dispatchers.push(dispatcher);
      return dispatcher;
    },
    advance: (seconds: number) => query(ADVANCE, [seconds]),
    // Workers may claim at the same time. A deadlock with one of them is not a failure.
    expireLeases: () => database.transaction((tx) => tx.query(EXPIRE_LEASES)),
    deliveries: () => query<DeliveryRow>(DELIVERIES),
    attempts: () => query<AttemptRow>(ATTEMPTS),
    endpointHealth: () => query<{ failures: number; isPaused: boolean }>(ENDPOINT_HEALTH),
    endpointLog: async () => (await query<{ what: string }>(ENDPOINT_LOG)).map(({ what }) => what),
    close: async () => {
      await Promise.all(dispatchers.map((dispatcher) => dispatcher.stop()));
      await Promise.all(receivers.map((receiver) => receiver.close()));
      const atOdds = await query(AT_ODDS).finally(() => database.close());
      if (atOdds.length > 0)
        throw new Error(`at odds with what is pending: ${JSON.stringify(atOdds)}`);
    },
  };
}

export type World = Awaited<ReturnType<typeof makeWorld>>;

export const payloadOf = (orderId: number, eventType: string): string =>
  `{"eventType":"${eventType}","sessionId":"s-${orderId}","details":{"orderId":${orderId}, "x":"ü"}}`;

function addEvent(
  database: Database,
  event: { merchantId: string; orderId: number; eventType: WebhookEventType },
): Promise<void> {
  const payload = payloadOf(event.orderId, event.eventType);
  return database.transaction((tx) =>
    recordEvent(tx, { ...event, orderId: BigInt(event.orderId), payload }),
  );
}

/** Asks again until the answer is true. A test that waits in vain ends by its own time limit. */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 5));
}
