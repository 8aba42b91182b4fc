import type { OrderData } from "@exchange/contract";
import { MAGIC_ADDRESSES } from "../../../apps/server/src/sandbox/chains/magic-addresses.ts";
import { BITCOIN_ADDRESS, CARDS, payByCard } from "../../support/orders/purchase.ts";
import type { RailBooks } from "../books.ts";
import {
  besides,
  endPaymentWindow,
  operatorDecides,
  ordered,
  refunded,
  type Scene,
  sendMoney,
  untilBound,
  untilFilled,
  untilOrder,
  untilStatus,
  type Wish,
} from "./steps.ts";

/** One way an order can go, from its quote to its end. */
export interface Journey {
  readonly name: string;
  /**
   * Plays it to its end. After a crash it is played again and goes on from where things stand, as
   * the popup and the merchant's server do.
   */
  play(scene: Scene): Promise<OrderData>;
  /** The entries that it leaves in the books of others. */
  readonly outside: RailBooks;
  readonly events: readonly string[];
  /** Where the customer lives; Germany when left out. */
  readonly countryCode?: string;
  /** The places to crash at where the rest of its way is another journey's. */
  readonly places?: RegExp;
}

const NOTHING: RailBooks = { captures: 0, cardRefunds: 0, transfers: 0, bankPayouts: 0 };
const FULFILLED = ["OrderCreated", "OrderFulfillment"];
const CREATED = ["OrderCreated"];

const ETHEREUM_ADDRESS = "0x9858EfFD232B4033E47d90003D41EC34EcaEda94";
const CHALLENGE_CARD = "4000000000002503";
const SEPA = { accountHolder: "Ada Lovelace", iban: "DE89370400440532013000" };

const magic = (behaviour: string): string => {
  const found = MAGIC_ADDRESSES.find(
    (one) => one.form === "bitcoin" && one.behaviour === behaviour,
  );
  if (!found) throw new Error(`the sandbox has no address that is ${behaviour}`);
  return found.address;
};

const buying = (payment: "card" | "sepa", walletAddress = BITCOIN_ADDRESS): Wish => ({
  ...{ operationType: "B", base: "eur", amount: 100, target: "btc", payment },
  order: { walletAddress },
});
const selling = (accountHolder = SEPA.accountHolder): Wish => ({
  ...{ operationType: "S", base: "btc", amount: 0.01, target: "eur", payment: "crypto" },
  delivery: "sepa",
  order: { payout: { ...SEPA, accountHolder }, refundAddress: BITCOIN_ADDRESS },
});
const LISTED_REFUND = { payout: SEPA, refundAddress: magic("sanctioned_later") };
const swapping: Wish = {
  ...{ operationType: "CC", base: "btc", amount: 0.01, target: "eth", payment: "crypto" },
  order: { walletAddress: ETHEREUM_ADDRESS, refundAddress: BITCOIN_ADDRESS },
};
const transferring = (payment: "card" | "faster_payments"): Wish => ({
  ...{ operationType: "FF", base: "gbp", amount: 100, target: "eur", payment },
  delivery: "sepa",
  order: { payout: SEPA },
});

/** Orders and pays by card as often as it takes, which is once unless the service dies. */
async function paidByCard(
  scene: Scene,
  wish: Wish,
  number: string = CARDS.visa,
): Promise<OrderData> {
  const order = await ordered(scene, wish);
  if (order.status === "awaiting_payment") await payByCard(scene.customer, order.orderId, number);
  return order;
}

/** Orders, pays by card and confirms the bank's challenge, which the sandbox's processor then reports by a callback. */
async function paidWithChallenge(scene: Scene, wish: Wish): Promise<OrderData> {
  const order = await paidByCard(scene, wish, CHALLENGE_CARD);
  const challengedOrder = await untilOrder(
    scene,
    order.orderId,
    ({ status, payment }) =>
      !["awaiting_payment", "payment_pending"].includes(status) ||
      payment.attempt?.status === "challenge",
  );
  const url = challengedOrder.payment.attempt?.challengeUrl;
  if (url) await fetch(`${url}/confirm`, { method: "POST" });
  return order;
}

/** Orders and sends a part of the money, in percent, unless it is known to have arrived. */
async function paidByTransfer(scene: Scene, wish: Wish, percent = 100): Promise<OrderData> {
  const order = await ordered(scene, wish);
  if (order.status === "awaiting_payment") await sendMoney(scene, order, percent);
  return order;
}

const isHeld = (order: OrderData): boolean =>
  ["in_review", "refund_pending", "refunded"].includes(order.status);

const isShort = ({ status, statusReason }: OrderData): boolean =>
  status === "in_review" && statusReason === "underpaid";

const BOUND: readonly string[] = ["sending", "completed"];

const untilHeld = (scene: Scene, { orderId }: OrderData): Promise<OrderData> =>
  untilOrder(scene, orderId, isHeld);

type Paying = (scene: Scene) => Promise<OrderData>;

const completing = (name: string, pay: Paying, rest: Rest): Journey => ({
  name,
  play: async (scene) => untilStatus(scene, await pay(scene), "completed"),
  events: FULFILLED,
  ...rest,
  outside: { ...NOTHING, ...rest.outside },
});

const refunding = (name: string, pay: Paying, outside: Partial<RailBooks>): Journey => ({
  name,
  play: async (scene) => refunded(scene, await untilHeld(scene, await pay(scene))),
  events: CREATED,
  outside: { ...NOTHING, ...outside },
  places: /^payout|refund/,
});

interface Rest extends Pick<Journey, "countryCode" | "places"> {
  readonly outside: Partial<RailBooks>;
}

export const JOURNEYS: readonly Journey[] = [
  completing("buy by card", (scene) => paidByCard(scene, buying("card")), {
    outside: { captures: 1, transfers: 1 },
  }),
  completing("buy by bank", (scene) => paidByTransfer(scene, buying("sepa")), {
    outside: { transfers: 1 },
  }),
  completing("sell", (scene) => paidByTransfer(scene, selling()), { outside: { bankPayouts: 1 } }),
  completing("swap", (scene) => paidByTransfer(scene, swapping), { outside: { transfers: 1 } }),
  completing("transfer by card", (scene) => paidByCard(scene, transferring("card")), {
    outside: { captures: 1, bankPayouts: 1 },
    countryCode: "GB",
  }),
  completing(
    "transfer by bank",
    (scene) => paidByTransfer(scene, transferring("faster_payments")),
    { outside: { bankPayouts: 1 }, countryCode: "GB" },
  ),
  completing("stuck payout", (scene) => paidByCard(scene, buying("card", magic("stuck"))), {
    outside: { captures: 1, transfers: 1 },
    places: /replace|broadcast/,
  }),
  {
    name: "refund to a card",
    play: async (scene) => {
      const order = await paidByCard(scene, buying("card", magic("sanctioned_later")));
      const held = await untilHeld(scene, order);
      // Only an operator refunds an order that is held by screening.
      if (held.status === "in_review") await operatorDecides(scene, held, "refund");
      return untilStatus(scene, held, "refunded");
    },
    outside: { ...NOTHING, captures: 1, cardRefunds: 1 },
    events: CREATED,
    places: /^payout|refund/,
  },
  refunding("refund to a bank", (scene) => paidByTransfer(scene, buying("sepa"), 60), {
    bankPayouts: 1,
  }),
  refunding("refund of coins", (scene) => paidByTransfer(scene, selling(), 60), { transfers: 1 }),
  {
    name: "refund that screening holds",
    play: async (scene) => {
      const order = await paidByTransfer(scene, { ...selling(), order: LISTED_REFUND }, 60);
      const first = await untilHeld(scene, order);
      if (isShort(first)) await operatorDecides(scene, first, "refund");
      const held = await untilOrder(
        scene,
        order.orderId,
        (now) => now.status === "refunded" || (now.status === "in_review" && !isShort(now)),
      );
      if (held.status === "in_review") await operatorDecides(scene, held, "refund");
      return untilStatus(scene, held, "refunded");
    },
    outside: { ...NOTHING, transfers: 1 },
    events: CREATED,
    places: /^payout|refund/,
  },
  {
    name: "rejected payout",
    play: async (scene) => {
      const order = await paidByTransfer(scene, selling("Rejected Payout"));
      const held = await untilHeld(scene, order);
      if (held.status === "in_review") await operatorDecides(scene, held, "refund");
      return untilStatus(scene, held, "refunded");
    },
    outside: { ...NOTHING, transfers: 1 },
    events: CREATED,
    places: /reject|refund/,
  },
  {
    name: "reverted payout",
    play: async (scene) => {
      const order = await paidByTransfer(scene, buying("sepa", magic("reverted")));
      const held = await untilHeld(scene, order);
      if (held.status === "in_review") await operatorDecides(scene, held, "refund");
      return untilStatus(scene, held, "refunded");
    },
    outside: { ...NOTHING, bankPayouts: 1 },
    events: CREATED,
    places: /sign|broadcast|reject/,
  },
  {
    name: "vacated place",
    play: async (scene) => {
      const order = await paidByTransfer(scene, buying("sepa", magic("hole")));
      // The hole is filled when a later place was signed, so the other payout must be bound after this one.
      await untilOrder(scene, order.orderId, ({ status }) => BOUND.includes(status));
      await untilBound(scene, order.orderId);
      const later = await besides(scene);
      const second = await paidByTransfer(later, buying("sepa"));
      await untilStatus(later, second, "completed");
      const completed = await untilStatus(scene, order, "completed");
      await untilFilled(scene);
      return completed;
    },
    outside: { ...NOTHING, transfers: 2 },
    events: FULFILLED,
    places: /^hole/,
  },
  {
    name: "released overpayment",
    play: async (scene) => {
      const { orderId } = await paidByTransfer(scene, buying("sepa"), 150);
      const held = await untilOrder(
        scene,
        orderId,
        ({ status }) => !["awaiting_payment", "payment_pending"].includes(status),
      );
      if (held.status === "in_review") await operatorDecides(scene, held, "release");
      await untilStatus(scene, held, "completed");
      return untilOrder(scene, orderId, ({ refunds }) => refunds[0]?.status === "refunded");
    },
    outside: { ...NOTHING, transfers: 1, bankPayouts: 1 },
    events: FULFILLED,
    places: /^exchange|^payout|release/,
  },
  completing("confirmed challenge", (scene) => paidWithChallenge(scene, buying("card")), {
    outside: { captures: 1, transfers: 1 },
    places: /^callback|authorize/,
  }),
  {
    name: "cancelled challenge",
    play: async (scene) => {
      const { orderId } = await paidByCard(scene, buying("card"), CHALLENGE_CARD);
      const challengedOrder = await untilOrder(
        scene,
        orderId,
        ({ status, payment }) => status === "cancelled" || payment.attempt?.status === "challenge",
      );
      if (challengedOrder.status !== "cancelled") {
        const path = `/v1/checkout/orders/${orderId}/cancel`;
        await scene.customer.call({ method: "POST", path });
      }
      return untilOrder(scene, orderId, ({ payment }) => payment.attempt?.status === "voided");
    },
    outside: NOTHING,
    events: CREATED,
    places: /void|cancel|after_authorize/,
  },
  {
    name: "expired",
    play: async (scene) => {
      const order = await ordered(scene, buying("card"));
      await endPaymentWindow(scene, order);
      return untilStatus(scene, order, "expired");
    },
    outside: NOTHING,
    events: CREATED,
    places: /expire/,
  },
];
