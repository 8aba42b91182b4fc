import { setTimeout as sleep } from "node:timers/promises";
import type { OrderData } from "@exchange/contract";
import { expect, test, vi } from "vitest";
import { call } from "../support/http/api.ts";
import { createMerchant } from "../support/orders/merchant.ts";
import {
  buy,
  buyChoice,
  type Ok,
  type PlacedOrder,
  startOrder,
} from "../support/orders/purchase.ts";
import { freePort } from "../support/service/processes.ts";
import { type StartedService, startService } from "../support/service/service.ts";

const CUSTOMERS = 6;
/** More than the last purchases of the customers take on a busy machine. */
const DRAIN_SECONDS = "30";

async function readinessOf(healthUrl: string) {
  const reply = await fetch(`${healthUrl}/readyz`);
  const { checks } = (await reply.json()) as { readonly checks: { readonly process: string } };
  return { status: reply.status, checks };
}

/** Follows the readiness of a service as a balancer does. A database that is slow for a moment makes it red too. */
function watchReadiness(healthUrl: string) {
  let isDraining = false;
  const watching = (async () => {
    for (;;) {
      const readiness = await readinessOf(healthUrl);
      isDraining = readiness.checks.process === "draining";
      if (isDraining) return readiness;
      await sleep(20);
    }
  })();
  return { isDraining: () => isDraining, red: watching };
}

async function expectDrain(processes: string): Promise<void> {
  const healthPort = String(await freePort());
  const env = {
    SHOP_PORT: "0",
    EXCHANGE_WORKERS: processes,
    EXCHANGE_HEALTH_PORT: healthPort,
    EXCHANGE_DRAIN_SECONDS: DRAIN_SECONDS,
  };
  const service: StartedService = await startService({ env });
  let second: StartedService | undefined;
  try {
    const merchant = await createMerchant(service);
    const choice = await buyChoice(service, merchant);
    const healthUrl = `http://localhost:${healthPort}`;
    const balancer = watchReadiness(healthUrl);
    const bought: PlacedOrder[] = [];
    // A customer who is sent to this process finishes the purchase, and then goes elsewhere.
    const shop = async (): Promise<void> => {
      while (!balancer.isDraining()) bought.push(await buy(service, merchant, choice));
    };
    const customers = Promise.all(Array.from({ length: CUSTOMERS }, shop));
    await vi.waitUntil(() => bought.length > 0, { timeout: 60_000 });
    const { orderId, customer } = await startOrder(service, merchant, choice);
    const events = await fetch(`${service.url}/v1/checkout/orders/${orderId}/events`, {
      headers: { authorization: `Bearer ${customer.token}`, accept: "text/event-stream" },
    });
    service.process.signal("SIGTERM");
    expect((await balancer.red).status).toBe(503);
    await expect
      .poll(() => readinessOf(healthUrl))
      .toMatchObject({ status: 503, checks: { process: "draining", database: "ok" } });
    const answer = async () => {
      const { status, headers } = await fetch(`${service.url}/healthz`);
      return [status, headers.get("connection")];
    };
    // The processes that answer requests are told by the main one.
    await expect.poll(answer).toEqual([200, "close"]);
    // No request of theirs fails.
    await customers;
    // A stream that is cut would reject.
    expect(await events.text()).toContain("event: ");
    expect(await service.process.exited).toBe(0);
    second = await startService({ dataDir: service.dataDir, env: { ...service.env, ...env } });
    for (const { orderId, customer } of bought) {
      const { body } = await call<Ok<OrderData>>(second, {
        path: `/v1/checkout/orders/${orderId}`,
        headers: { authorization: `Bearer ${customer.token}` },
      });
      expect(body.data.status).toBe("completed");
    }
  } finally {
    await (second ?? service).discard();
  }
}

test("a process that is told to stop turns red before its port closes, and breaks no purchase", () =>
  expectDrain("1"));

test("so do the API processes of one machine", () => expectDrain("2"));
