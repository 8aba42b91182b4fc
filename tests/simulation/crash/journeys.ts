import type { CheckoutSession, OrderData } from "@exchange/contract";
import {
  type BuyChoice,
  buyChoice,
  CARDS,
  type Customer,
  type Ok,
  orderWithStatus,
  payByCard,
  placeOrder,
  readOrder,
  takeQuote,
} from "../../support/purchase.ts";
import type { Books } from "./books.ts";
import type { Lane } from "./lane.ts";

/** One session of one customer in a lane. */
export interface Scene {
  readonly lane: Lane;
  readonly customer: Customer;
}

/** One way an order can go, from its quote to its end. */
export interface Journey {
  readonly name: string;
  /**
   * Plays it to its end. After a crash it is played again and goes on from where things stand, as
   * the popup and the merchant's server do.
   */
  play(scene: Scene): Promise<OrderData>;
  readonly outside: Books;
  readonly events: readonly string[];
}

const NOTHING: Books = { captures: 0, cardRefunds: 0, transfers: 0, bankPayouts: 0 };

const choices = new WeakMap<Lane, Promise<BuyChoice>>();

/** The catalogue does not change: looked up once for each lane. */
function choiceOf(lane: Lane): Promise<BuyChoice> {
  const known = choices.get(lane) ?? buyChoice(lane.service, lane.merchant);
  choices.set(lane, known);
  known.catch(() => choices.delete(lane));
  return known;
}

/** What the popup does when it opens: looks where the session stands. */
async function orderOf({ lane, customer }: Scene): Promise<OrderData> {
  const session = await customer.call<Ok<CheckoutSession>>({ path: "/v1/checkout/session" });
  const { orderId } = session.body.data;
  if (orderId) return (await readOrder(customer, orderId)).body.data;
  const { quoteId } = await takeQuote(customer, await choiceOf(lane));
  return (await placeOrder(customer, quoteId)).body.data;
}

export const JOURNEYS: readonly Journey[] = [
  {
    name: "buy by card",
    play: async (scene) => {
      const order = await orderOf(scene);
      if (order.status === "awaiting_payment") {
        await payByCard(scene.customer, order.orderId, CARDS.visa);
      }
      return orderWithStatus(scene.customer, order.orderId, "completed");
    },
    outside: { ...NOTHING, captures: 1, transfers: 1 },
    events: ["OrderCreated", "OrderFulfillment"],
  },
];
