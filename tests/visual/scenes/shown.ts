import type { OrderData } from "@exchange/contract";
import { ok, session } from "../answers.ts";
import type { Answers } from "../checkout.ts";
import { type Scene, see } from "./scene.ts";

/** A checkout that opens on its order. */
export function withOrder(order: OrderData): Answers {
  const { orderId, operationType } = order;
  const opened = session({ orderId, status: "expired", lock: { operationType } });
  return {
    "GET /session": () => ok(opened),
    "GET /orders/:id": () => ok(order),
    "GET /orders/:id/events": () => ({ events: [order] }),
  };
}

interface Shown {
  readonly order: OrderData;
  /** What is there once all of it is. */
  readonly until?: string;
}

/** An order as somebody sees it who comes back to it. */
export const shown = (name: string, { order, until = ".outcome" }: Shown): Scene => ({
  name,
  answers: withOrder(order),
  async play({ page, shoot }) {
    await see(page, until);
    await shoot(name);
  },
});
