import type { Endpoint } from "./endpoint.ts";
import { okEnvelope } from "./envelopes.ts";
import { OrderData, OrderIdParams } from "./orders.ts";
import {
  AdvanceClockRequest,
  AdvanceOrderRequest,
  SandboxClock,
  SandboxDeposit,
  SandboxDepositRequest,
} from "./sandbox.ts";

const ORDER_ERRORS = [400, 401, 404, 409, 413, 415, 429, 500, 503] as const;

/** Endpoints with which a merchant plays banks, chains and time in a sandbox. */
export const SANDBOX_ENDPOINTS = {
  advanceSandboxClock: {
    operationId: "advanceSandboxClock",
    method: "POST",
    path: "/sandbox/clock",
    tag: "Sandbox",
    summary: "Move the clock forward",
    description:
      "Moves the business clock of the whole sandbox forward, for every merchant in it: payment windows end, quotes expire and webhook retries come due at once. Token times and webhook timestamps stay the real ones. There is no such endpoint in prod.",
    caller: "merchant",
    sandboxOnly: true,
    body: AdvanceClockRequest,
    success: { status: 200, schema: okEnvelope(SandboxClock) },
    errors: [400, 401, 409, 413, 415, 429, 500],
  },
  paySandboxDeposit: {
    operationId: "paySandboxDeposit",
    method: "POST",
    path: "/sandbox/deposits",
    tag: "Sandbox",
    summary: "Pay an order's address or account",
    description:
      "Sends coins to the deposit address of an order, or a transfer to its bank account: exact and final when `amount` and `confirmations` are left out. With `confirmations` 0 it is under way; the same call with its `depositId` moves it on, or drops it. There is no such endpoint in prod.",
    caller: "merchant",
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
      "Plays what customers, banks, chains and operators do until the order reached the status, and answers with it; where it went on by itself the timeline shows that it was there. Any other status than a legal next one is refused, and the message names those. `expired` moves the clock of the whole sandbox. There is no such endpoint in prod.",
    caller: "merchant",
    sandboxOnly: true,
    params: OrderIdParams,
    body: AdvanceOrderRequest,
    success: { status: 200, schema: okEnvelope(OrderData) },
    errors: ORDER_ERRORS,
  },
} as const satisfies Record<string, Endpoint>;
