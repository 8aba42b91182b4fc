import type { CheckoutOrderData } from "@exchange/contract";
import { BITCOIN_ADDRESS, NOW, nowSeconds, ok, refused, session } from "../answers.ts";
import {
  attempt,
  bankOrder,
  cardOrder,
  coinOrder,
  deposit,
  instructions,
  sent,
} from "../orders.ts";
import {
  EUR_FOR_BTC,
  fillTestCard,
  next,
  orderScene,
  type Scene,
  see,
  toReview,
  withOrder,
} from "./scene.ts";

/** Returns the offer for an order after the price moved by a twentieth. */
const lessThan = ({ quote }: CheckoutOrderData) => ({
  receive: { ...quote.receive, amount: Number((quote.receive.amount * 0.95).toFixed(8)) },
  expiresAt: nowSeconds + 30,
});

const OTHER_ADDRESS = "1BoatSLRHtKNngkdXEeobR76b53LETtpyT";

const MAILING_SESSION = session({
  orderId: bankOrder().orderId,
  status: "expired",
  offersMail: true,
  customer: { email: "ada@example.org" },
});

/** The screens of an order that exists. */
export const ORDERED: readonly Scene[] = [
  // A purchase that completes while the customer watches it.
  {
    name: "status-completed",
    options: EUR_FOR_BTC,
    answers: {
      "POST /orders": () => ok(cardOrder()),
      "POST /orders/:id/payments": () =>
        ok(cardOrder({ status: "payment_pending", payment: attempt("processing") })),
      "GET /orders/:id/events": () => ({
        events: [
          cardOrder({
            status: "completed",
            fulfilled: true,
            payment: attempt("captured"),
            delivery: sent,
          }),
        ],
      }),
    },
    async play({ page, shoot }) {
      await toReview(page);
      await next(page);
      await see(page, ".emblem-good");
      await shoot("status-completed");
    },
  },
  orderScene("authentication", {
    order: cardOrder({ status: "payment_pending", payment: attempt("processing") }),
    until: ".waiting",
  }),
  {
    name: "authentication-challenge",
    answers: withOrder(
      cardOrder({
        status: "payment_pending",
        payment: attempt("challenge", { challengeUrl: "/bank" }),
      }),
    ),
    async play({ page, shoot }) {
      await page.frameLocator("iframe").getByRole("button").waitFor();
      await shoot("authentication-challenge");
    },
  },
  orderScene("status-processing", {
    order: cardOrder({ status: "processing", payment: attempt("captured") }),
  }),
  {
    name: "status-declined",
    answers: withOrder(cardOrder({ payment: attempt("declined") })),
    async play({ page, shoot, shootState }) {
      await see(page, ".outcome");
      await shoot("status-declined");
      await next(page);
      await see(page, "#card-number");
      await shootState("card-again");
    },
  },
  {
    name: "instructions-bank",
    answers: withOrder(bankOrder()),
    async play({ page, shoot }) {
      await see(page, ".pay-lines");
      await page.locator(".main > .what-if > summary").click();
      await shoot("instructions-bank");
      await page.locator(".centred .link").click();
      await see(page, "dialog[open]");
      await shoot("cancel");
    },
  },
  {
    name: "order-page",
    by: "page",
    answers: withOrder(bankOrder()),
    async play({ page, shoot }) {
      await see(page, ".pay-lines");
      await page.locator(".order-link summary").last().click();
      await see(page, ".order-link svg path");
      await shoot("order-page");
    },
  },
  {
    name: "mail",
    by: "page",
    answers: {
      ...withOrder(bankOrder()),
      "GET /session": () => ok(MAILING_SESSION),
      "POST /orders/:id/mails": () => ok({ accepted: true }),
    },
    async play({ page, shoot }) {
      await see(page, ".pay-lines");
      await page.locator(".order-link summary").first().click();
      await page.locator(".order-link .tick").click();
      await page.locator(".order-link .second-button").click();
      await see(page, ".order-link .fields > .hint");
      await shoot("mail");
    },
  },
  orderScene("instructions-coins", { order: coinOrder(), until: ".qr svg" }),
  orderScene("status-underpaid", {
    order: coinOrder({
      status: "in_review",
      statusReason: "underpaid",
      payment: { received: 0.004, deposits: [deposit({ amount: 0.004, status: "final" })] },
    }),
  }),
  {
    name: "status-price-moved",
    answers: {
      ...withOrder(
        bankOrder({
          status: "in_review",
          statusReason: "rate_moved",
          payment: {
            received: 100,
            deposits: [
              deposit({ amount: 100, currencyCode: "EUR", status: "final", transactionHash: null }),
            ],
          },
        }),
      ),
      "POST /orders/:id/price_offer": () => ok({ ...bankOrder().quote, ...lessThan(bankOrder()) }),
    },
    async play({ page, shoot }) {
      await see(page, ".leave-actions .second-button");
      await see(page, ".main-button:not([aria-disabled])");
      await shoot("status-price-moved");
    },
  },
  {
    name: "status-refund-address",
    answers: withOrder(
      coinOrder({
        status: "in_review",
        statusReason: "late_payment",
        refundAddress: BITCOIN_ADDRESS,
        requestedRefundAddress: OTHER_ADDRESS,
        payment: { received: 0.01, deposits: [deposit({ status: "final" })] },
      }),
    ),
    async play({ page, shoot }) {
      await see(page, ".outcome");
      await page.locator(".main > .what-if > summary").click();
      await shoot("status-refund-address");
    },
  },
  {
    name: "used",
    answers: { ...withOrder(cardOrder()), "GET /orders/:id": () => refused(403, "FORBIDDEN") },
    async play({ page, shoot }) {
      await see(page, ".lead");
      await shoot("used");
    },
  },
];

/** Other states of an order that is being paid. */
export const ORDERED_STATES: readonly Scene[] = [
  orderScene("instructions-coins-seen", {
    order: coinOrder({
      payment: {
        deposits: [deposit()],
        instructions: instructions("crypto", { memo: "4821930" }),
      },
    }),
    until: ".deposits",
  }),
  orderScene("instructions-over", {
    order: coinOrder({ payment: { expiresAt: nowSeconds - 1 } }),
    until: ".outcome",
  }),
  orderScene("status-short-over", {
    order: coinOrder({
      status: "payment_pending",
      payment: { expiresAt: nowSeconds - 1, deposits: [deposit({ amount: 0.004 })] },
    }),
  }),
  orderScene("authentication-late", {
    order: cardOrder({
      status: "payment_pending",
      payment: attempt("processing"),
      updatedAt: nowSeconds - 90,
    }),
  }),
  {
    name: "authentication-lost",
    answers: withOrder(cardOrder({ customerUrl: null })),
    async play({ page, shoot, answer }) {
      await see(page, "#card-number");
      await fillTestCard(page);
      await page.locator("[autocomplete~=postal-code]").fill("10115");
      answer({ "POST /orders/:id/payments": () => "cut", "GET /orders/:id": () => "cut" });
      const reading = page.waitForRequest(/\/orders\/\d+$/);
      await next(page);
      // The order is read once the answer to the payment is lost.
      await reading;
      await page.clock.setFixedTime(NOW.getTime() + 61_000);
      await see(page, ".outcome");
      await shoot("authentication-lost");
    },
  },
  {
    name: "instructions-missing",
    answers: {
      ...withOrder(bankOrder({ payment: { instructions: null } })),
      "POST /orders/:id/payments": () => refused(500, "INTERNAL_ERROR"),
    },
    async play({ page, shoot }) {
      await see(page, ".notice-wrong");
      await shoot("instructions-missing");
    },
  },
  {
    name: "status-timed-out",
    answers: {
      ...withOrder(cardOrder({ status: "processing", payment: attempt("captured") })),
      "GET /orders/:id/events": () => refused(401, "TOKEN_EXPIRED"),
    },
    async play({ page, shoot }) {
      await see(page, ".notice-warning");
      await shoot("status-timed-out");
    },
  },
];

const captured = attempt("captured");

const ORDERS: Readonly<Record<string, CheckoutOrderData>> = {
  sending: cardOrder({ status: "sending", payment: captured }),
  failed: cardOrder({ status: "failed", statusReason: "provider_error" }),
  expired: cardOrder({ status: "expired" }),
  cancelled: cardOrder({ status: "cancelled", statusReason: "user_cancelled" }),
  "in-review": cardOrder({ status: "in_review", statusReason: "compliance", payment: captured }),
  "refund-pending": cardOrder({ status: "refund_pending", payment: captured }),
  refunded: coinOrder({
    status: "refunded",
    refundAddress: BITCOIN_ADDRESS,
    refunds: [
      {
        id: "6f1c2a34-0000-4000-8000-000000000000",
        amount: 0.01,
        currencyCode: "BTC",
        status: "refunded",
        reason: "underpaid",
        createdAt: 0,
        refundedAt: 0,
        ...sent,
      },
    ],
  }),
  unconfirmed: cardOrder({ payment: attempt("authentication_failed") }),
  "paid-out": coinOrder({
    status: "completed",
    fulfilled: true,
    payment: { received: 0.01 },
    delivery: { reference: "PAYOUT-77215" },
  }),
  // A status that only a later service knows.
  unknown: { ...cardOrder(), status: "teleported" as CheckoutOrderData["status"] },
};

/** Every other status of an order. */
export const STATUSES: readonly Scene[] = Object.entries(ORDERS).map(([name, order]) =>
  orderScene(`status-${name}`, { order }),
);
