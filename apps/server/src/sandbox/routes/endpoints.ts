import { createHash } from "node:crypto";
import {
  ENDPOINTS,
  type SimulatePaymentRequest,
  type WebhookFault as WebhookFaultData,
} from "@exchange/contract";
import { money } from "@exchange/money";
import type { OrderStatus } from "../../domain/orders/status.ts";
import type { OrderView } from "../../domain/orders/view.ts";
import type { Deps } from "../../flows/deps.ts";
import { type OrderKey, readOrder } from "../../flows/orders/read.ts";
import { Refusal } from "../../flows/refusal.ts";
import { presentCheckoutOrder, presentToKey } from "../../http/orders/present.ts";
import type { Register } from "../../http/registrar.ts";
import { ok, presentMoney, toUnixSeconds } from "../../http/wire.ts";
import type { SandboxDeps } from "../deps.ts";
import {
  clearWebhookFaults,
  listWebhookFaults,
  plantWebhookFault,
  type WebhookFault,
} from "../faults/plant-webhook-fault.ts";
import { advanceClock, requireMovable } from "../world/advance-clock.ts";
import { advanceOrder } from "../world/advance-order.ts";
import { paymentRailOf } from "../world/order-position.ts";
import { type PaidDeposit, payDeposit } from "../world/pay-deposit.ts";
import { runStep } from "../world/run-step.ts";
import { pay, type Step, waitFor } from "../world/script.ts";
import { watchOrder } from "../world/watch-order.ts";

/** Registers the endpoints that plant faults into a merchant's webhooks. */
export function registerWebhookFaults(register: Register, deps: Deps): void {
  register(ENDPOINTS.plantWebhookFault, async ({ caller, body, deps: joined }) => {
    const { fault: kind, ...where } = body;
    const merchantId = caller.merchant.id;
    return ok(presentFault(await plantWebhookFault(joined, { merchantId, kind, ...where })));
  });
  register(ENDPOINTS.listWebhookFaults, async ({ caller }) =>
    ok((await listWebhookFaults(deps, caller.merchant.id)).map(presentFault)),
  );
  register(ENDPOINTS.clearWebhookFaults, async ({ caller }) => {
    await clearWebhookFaults(deps, caller.merchant.id);
    return null;
  });
}

const presentFault = (fault: WebhookFault): WebhookFaultData => ({
  id: fault.id,
  fault: fault.kind,
  endpointId: fault.endpointId,
  eventType: fault.eventType,
  delaySeconds: fault.delaySeconds,
  deliveriesLeft: fault.deliveriesLeft,
  createdAt: toUnixSeconds(fault.createdAt),
});

export function registerSandboxClock(register: Register, { clockMover }: SandboxDeps): void {
  register(ENDPOINTS.advanceSandboxClock, async ({ body, deps: joined }) => {
    const clock = { ...joined, clockMover };
    const { businessNow, aheadSeconds } = await advanceClock(clock, body.advanceSeconds);
    return ok({ businessTime: toUnixSeconds(businessNow), aheadSeconds });
  });
}

/** The time that the answer to a simulated payment waits until the order has booked it. */
const BOOKED_MS = 5_000;

/** The steps of the world behind each payment that the checkout offers to simulate. */
const SIMULATED: Readonly<Record<SimulatePaymentRequest["payment"], readonly Step[]>> = {
  exact: [pay("exact")],
  less: [pay("half")],
  more: [pay("double")],
  late: [{ kind: "let_expire" }, waitFor("expired"), pay("exact")],
};

/** Registers the endpoints that simulate the outside world: incoming money and an order's next status. */
export function registerSandboxWorld(register: Register, deps: SandboxDeps): void {
  register(ENDPOINTS.paySandboxDeposit, async ({ caller, body, idempotencyKey }) => {
    const key = { merchantId: caller.merchant.id, orderId: BigInt(body.orderId) };
    const newId = idempotencyKey === undefined ? deps.ids.uuid() : depositIdOf(key, idempotencyKey);
    return ok(presentDeposit(await payDeposit(deps, { ...key, newId, request: body })));
  });
  register(ENDPOINTS.advanceSandboxOrder, async ({ caller, params, body }) => {
    const key = { merchantId: caller.merchant.id, orderId: BigInt(params.orderId) };
    const { status, statusReason } = body;
    const reason = statusReason === "compliance" ? "screening_hit" : statusReason;
    const target = { status, reason };
    return ok(presentToKey(await advanceOrder(deps, { ...key, target }), caller, deps));
  });
  register(ENDPOINTS.simulatePayment, async ({ caller, params, body }) => {
    const { merchantId, sessionId } = caller.session;
    const key = { merchantId, sessionId, orderId: BigInt(params.orderId) };
    const before = await readOrder(deps, key);
    if (body.payment === "late") requireLate(deps, before);
    for (const step of SIMULATED[body.payment]) await runStep(deps, key, step);
    const isBooked = ({ deposits }: OrderView): boolean =>
      deposits.length > before.deposits.length && deposits.every(({ state }) => state !== "seen");
    await watchOrder(deps, key, { until: isBooked, patienceMs: BOOKED_MS });
    return ok(presentCheckoutOrder(await readOrder(deps, key), deps));
  });
}

/** A late payment moves the clock of everybody, so nothing may refuse it after that. */
function requireLate(deps: SandboxDeps, view: OrderView): void {
  requireMovable(deps);
  const { status } = view.order;
  if (paymentRailOf(deps, view) !== "card" && LATE_FROM.includes(status)) return;
  throw new Refusal("INVALID_ORDER_STATE", {
    message: `This order is ${status}. A late payment can be simulated for an order that waits for a transfer, or whose time to pay is over.`,
  });
}

const LATE_FROM: readonly OrderStatus[] = ["awaiting_payment", "expired"];

/**
 * The id of a keyed deposit. The order's jobs must see the deposit before the answer is written, so
 * the two cannot be one database transaction. A repetition finds the deposit by this id instead.
 */
function depositIdOf({ merchantId, orderId }: OrderKey, idempotencyKey: string): string {
  const text = JSON.stringify([merchantId, String(orderId), idempotencyKey]);
  const hex = createHash("sha256").update(text).digest("hex");
  return hex.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

const presentDeposit = ({ orderId, deposit, currency }: PaidDeposit) => ({
  depositId: deposit.id,
  orderId: Number(orderId),
  amount: presentMoney(money(currency, deposit.units)),
  currencyCode: currency.code,
  currencyReference: currency.reference,
  state: deposit.state,
  confirmations: deposit.confirmations,
  transactionHash: deposit.transactionHash,
});
