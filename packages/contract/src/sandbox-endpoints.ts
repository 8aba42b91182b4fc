import { BROWSER_ERRORS, type Endpoint } from "./endpoint.ts";
import { okEnvelope } from "./envelopes.ts";
import { CheckoutOrderData, OrderData, OrderIdParams } from "./orders.ts";
import {
  AdvanceClockRequest,
  AdvanceOrderRequest,
  SandboxClock,
  SandboxDeposit,
  SandboxDepositRequest,
  SimulatePaymentRequest,
} from "./sandbox.ts";

const ORDER_ERRORS = [400, 401, 403, 404, 409, 413, 415, 429, 500, 503] as const;

/** Endpoints with which a merchant, or the checkout itself, plays banks, chains and time in a sandbox. */
export const SANDBOX_ENDPOINTS = {
  advanceSandboxClock: {
    operationId: "advanceSandboxClock",
    method: "POST",
    path: "/sandbox/clock",
    tag: "Sandbox",
    summary: "Move the clock forward",
    description:
      "Moves the business clock of the whole sandbox forward, for every merchant in it: payment windows end, quotes expire and webhook retries become due at once. Token times and webhook timestamps stay real. Where the operator keeps the clock, as staging does by default, the answer is NOT_FOUND. Prod does not have this endpoint.",
    caller: "merchant",
    keyScope: "orders.write",
    sandboxOnly: true,
    body: AdvanceClockRequest,
    success: { status: 200, schema: okEnvelope(SandboxClock) },
    errors: [400, 401, 403, 404, 409, 413, 415, 429, 500, 503],
  },
  paySandboxDeposit: {
    operationId: "paySandboxDeposit",
    method: "POST",
    path: "/sandbox/deposits",
    tag: "Sandbox",
    summary: "Pay an order's address or account",
    description:
      "Sends coins to the deposit address of an order, or a transfer to its bank account. Without `amount` and `confirmations` the payment is exact and final. With `confirmations` 0 it is in flight; the same call with its `depositId` advances it, or drops it. Prod does not have this endpoint.",
    caller: "merchant",
    keyScope: "orders.write",
    sandboxOnly: true,
    body: SandboxDepositRequest,
    success: { status: 201, schema: okEnvelope(SandboxDeposit) },
    errors: ORDER_ERRORS,
  },
  advanceSandboxOrder: {
    operationId: "advanceSandboxOrder",
    method: "POST",
    path: "/sandbox/orders/{orderId}/advance",
    tag: "Sandbox",
    summary: "Bring an order to its next status",
    description:
      "Simulates customers, banks, chains and operators until the order has reached the status, and returns the order. If the order has already moved on, its timeline shows the status. A status that the timeline shows after the one of your last call is reached already: the order is returned as it is. Otherwise only a legal next status is accepted; the error message names them. `expired` moves the clock of the whole sandbox, where merchants may. Prod does not have this endpoint.",
    caller: "merchant",
    keyScope: "orders.write",
    sandboxOnly: true,
    params: OrderIdParams,
    body: AdvanceOrderRequest,
    success: { status: 200, schema: okEnvelope(OrderData) },
    errors: ORDER_ERRORS,
  },
  simulatePayment: {
    operationId: "simulatePayment",
    method: "POST",
    path: "/checkout/orders/{orderId}/simulate_payment",
    tag: "Checkout",
    summary: "Simulate the payment of the order",
    description:
      "Pays the address or account of the session's order in a sandbox, as the customer would. The buttons of the checkout call it. `late` is refused with NOT_FOUND where only the operator moves the clock. Prod does not have this endpoint.",
    caller: "browser",
    scope: "order.create",
    onOrderPage: true,
    sandboxOnly: true,
    params: OrderIdParams,
    body: SimulatePaymentRequest,
    success: { status: 200, schema: okEnvelope(CheckoutOrderData) },
    errors: BROWSER_ERRORS,
  },
} as const satisfies Record<string, Endpoint>;
