import { money, roundToPublished } from "@exchange/money";
import type { OrderView } from "../../domain/orders/view.ts";
import { cancelOrder } from "../../flows/orders/cancel.ts";
import { holdOrder } from "../../flows/orders/hold.ts";
import { payOrder } from "../../flows/orders/pay.ts";
import { type OrderKey, readOrder } from "../../flows/orders/read.ts";
import { refundOrder } from "../../flows/orders/refund.ts";
import { releaseOrder } from "../../flows/orders/release.ts";
import { Refusal } from "../../flows/refusal.ts";
import { readBusinessNow } from "../../storage/postgres/business-clock.ts";
import type { SandboxDeps } from "../deps.ts";
import { advanceClock } from "./advance-clock.ts";
import { otherAssetOf } from "./order-position.ts";
import {
  finalConfirmations,
  missingUnits,
  recordedStateOf,
  requirePayable,
  targetOf,
} from "./sandbox-payment.ts";
import type { SandboxCardPlay, SandboxDepositChange } from "./sandbox-world.ts";
import type { Step } from "./script.ts";
import { requireStatus, watchOrder } from "./watch-order.ts";

/** Runs one step of the world or of an operator. Refuses what the flow behind the step refuses. */
export async function runStep(deps: SandboxDeps, key: OrderKey, step: Step): Promise<void> {
  switch (step.kind) {
    case "pay":
      return pay(deps, key, step);
    case "confirm":
    case "drop":
      return changeUnderWay(deps, key, step.kind);
    case "pay_by_card":
      return payByCard(deps, key, step.play);
    case "end_card_payment":
      return endCardPayment(deps, key, step.end);
    case "decide_payouts":
      return decidePayouts(deps, key, step.outcome);
    case "let_expire":
      return letExpire(deps, key);
    case "wait_for":
      return requireStatus(deps, key, step.statuses);
    default:
      return operate(deps, key, step);
  }
}

type Operation = Extract<Step, { kind: "cancel" | "hold" | "release" | "refund" }>;

async function operate(deps: SandboxDeps, key: OrderKey, step: Operation): Promise<void> {
  switch (step.kind) {
    case "cancel":
      return void (await cancelOrder(deps, { ...key, by: step.by }));
    case "hold":
      return void (await holdOrder(deps, { ...key, holdReason: step.reason }));
    case "release":
      return void (await releaseOrder(deps, key));
    case "refund":
      return void (await refundOrder(deps, { ...key, by: "operator" }));
  }
}

/** A transfer is under way before it settles, and coins from their first block. */
const UNDER_WAY_AT = { bank: 0, chain: 1 } as const;

async function pay(
  deps: SandboxDeps,
  key: OrderKey,
  step: Extract<Step, { kind: "pay" }>,
): Promise<void> {
  const view = await requirePayable(deps, key);
  const { instruction, order } = view;
  const exact = await missingUnits(deps, view);
  const other = otherAssetOf(deps, view);
  const spent = deps.catalogue().currencyById(order.spendAssetId);
  const isOther = step.amount === "other_asset";
  const asset = isOther ? other : spent;
  if (!asset) throw new Error(`order ${order.id} cannot be paid with another asset`);
  const units = {
    exact,
    half: roundToPublished(money(asset, exact / 2n), "up").units,
    double: exact + order.spendUnits,
    other_asset: 10n ** BigInt(asset.decimals),
  }[step.amount];
  await deps.world.pay({
    id: deps.ids.uuid(),
    target: targetOf(instruction),
    assetReference: asset.reference,
    units,
    confirmations:
      step.confirmed === "all"
        ? finalConfirmations(deps, view, { assetReference: asset.reference, units })
        : UNDER_WAY_AT[instruction.rail],
    returns: "accepted",
  });
}

/** Settles or drops every deposit of the order that is in flight. */
async function changeUnderWay(
  deps: SandboxDeps,
  key: OrderKey,
  kind: "confirm" | "drop",
): Promise<void> {
  const view = await requirePayable(deps, key);
  const { instruction } = view;
  const world = deps.world;
  for (const deposit of await world.paymentsTo(targetOf(instruction))) {
    const confirmations = finalConfirmations(deps, view, deposit);
    const change: SandboxDepositChange =
      kind === "drop" ? { kind } : { kind: "confirm", confirmations };
    const isUnderWay = recordedStateOf(deposit, confirmations) === "seen";
    if (isUnderWay) await world.change(deposit, change);
  }
}

async function payByCard(deps: SandboxDeps, key: OrderKey, play: SandboxCardPlay): Promise<void> {
  const { order } = await readOrder(deps, key);
  const number = deps.world.cards[play];
  const holder = { cvv: "123", holderName: "Sandbox Customer" };
  const expiryYear = deps.clock.now().getUTCFullYear() + 1;
  await payOrder(deps, {
    ...key,
    sessionId: order.sessionId,
    payment: {
      type: "card",
      card: { number, expiryMonth: 12, expiryYear, ...holder },
      billingAddress: {
        line1: "1 Main Street",
        city: "Berlin",
        postalCode: "10115",
        countryCode: "DE",
      },
    },
  });
}

/** The processor may not have received the payment yet, so this waits for it. */
async function endCardPayment(
  deps: SandboxDeps,
  key: OrderKey,
  end: Extract<Step, { kind: "end_card_payment" }>["end"],
): Promise<void> {
  const world = deps.world;
  await watchOrder(deps, key, {
    until: async ({ order, attempt }) =>
      order.status !== "payment_pending" ||
      attempt === undefined ||
      (await world.endCardPayment(attempt.id, end)),
  });
}

/** Lets the bank decide on the order's payouts as soon as they are submitted. */
async function decidePayouts(
  deps: SandboxDeps,
  key: OrderKey,
  outcome: "settled" | "rejected",
): Promise<void> {
  const world = deps.world;
  const { order: before } = await readOrder(deps, key);
  const decideAlive = async (view: OrderView): Promise<boolean> => {
    if (view.order.status !== before.status) return true;
    const alive = [...(view.payout ? [view.payout] : []), ...view.refunds].filter(
      ({ state }) => state !== "void" && state !== "confirmed",
    );
    const decided = await Promise.all(alive.map(({ id }) => world.decidePayout(id, outcome)));
    return decided.includes(true);
  };
  await watchOrder(deps, key, { until: decideAlive });
}

async function letExpire(deps: SandboxDeps, key: OrderKey): Promise<void> {
  const { order } = await readOrder(deps, key);
  const now = await readBusinessNow(deps.database);
  const leftMs = order.paymentExpiresAt.getTime() - now.getTime();
  if (leftMs < 0) return;
  if (deps.clockMover === "operator") {
    throw new Refusal("INVALID_ORDER_STATE", {
      message: `Order ${order.id} expires at ${order.paymentExpiresAt.toISOString()}. The operator moves the clock here, because all merchants share it.`,
    });
  }
  await advanceClock(deps, Math.floor(leftMs / 1000) + 1);
}
