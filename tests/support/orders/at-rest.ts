import { setTimeout as sleep } from "node:timers/promises";
import { expect, vi } from "vitest";
import { exchangeHere } from "../service/command-line.ts";
import type { Service } from "../service/service.ts";

/** Orders that move take a step more often than this. */
const REST_MS = 2_000;

/** Waits until no order moves any more. The orders of `exchange demo seed` continue by themselves after it has ended. */
export async function ordersAtRest(service: Service): Promise<void> {
  const statuses = async () => {
    const list = ["orders", "list", "--limit", "1000"];
    const orders = await exchangeHere<{ orderId: number; status: string }[]>(service, ...list);
    return orders.map(({ orderId, status }) => `${orderId} ${status}`);
  };
  await vi.waitFor(async () => {
    const before = await statuses();
    await sleep(REST_MS);
    expect(await statuses()).toEqual(before);
  }, 120_000);
}
