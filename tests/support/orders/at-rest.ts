import { setTimeout as sleep } from "node:timers/promises";
import { expect, vi } from "vitest";
import { exchangeHere } from "../service/command-line.ts";
import type { Service } from "../service/service.ts";

/** Orders that move take a step more often than this, on a busy machine too. */
const REST_MS = 5_000;

/**
 * Waits until no order moves any more. The orders of `exchange demo seed` continue by themselves after it has ended. An
 * order in `processing` is about to move. One in another status may wait for a person or for a slow bank.
 */
export async function ordersAtRest(service: Service): Promise<void> {
  const statuses = async () => {
    const list = ["orders", "list", "--limit", "1000"];
    const orders = await exchangeHere<{ orderId: number; status: string }[]>(service, ...list);
    return orders.map(({ orderId, status }) => `${orderId} ${status}`);
  };
  await vi.waitFor(
    async () => {
      const before = await statuses();
      expect(before.filter((order) => order.endsWith(" processing"))).toEqual([]);
      await sleep(REST_MS);
      expect(await statuses()).toEqual(before);
    },
    { timeout: 240_000, interval: 500 },
  );
}
