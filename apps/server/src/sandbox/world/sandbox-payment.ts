import type { OrderView } from "../../domain/orders/view.ts";
import type { PaymentInstruction } from "../../domain/payments/payment-instruction.ts";
import { requiredConfirmations } from "../../domain/payments/required-confirmations.ts";
import { payOrder } from "../../flows/orders/pay.ts";
import { type OrderKey, readOrder } from "../../flows/orders/read.ts";
import { Refusal } from "../../flows/refusal.ts";
import type { SandboxDeps } from "../deps.ts";
import { paymentRailOf } from "./order-position.ts";
import type { SandboxDeposit, SandboxTarget } from "./sandbox-world.ts";

/** An order with payment instructions. */
export type PayableOrder = OrderView & { readonly instruction: PaymentInstruction };

/**
 * Returns the order with its payment instruction, and asks for one as the customer would if it has none.
 * Refuses INVALID_ORDER_STATE for an order that is paid by card.
 */
export async function requirePayable(deps: SandboxDeps, key: OrderKey): Promise<PayableOrder> {
  const view = await readOrder(deps, key);
  const rail = paymentRailOf(deps, view);
  if (rail === "card") {
    throw new Refusal("INVALID_ORDER_STATE", {
      message: "This order is paid by card, so it has no address and no bank account to pay to.",
    });
  }
  const orderView = view.instruction
    ? view
    : await payOrder(deps, {
        ...key,
        sessionId: view.order.sessionId,
        payment: { type: rail === "chain" ? "crypto" : "bank_transfer" },
      });
  const { instruction } = orderView;
  if (!instruction) throw new Error(`order ${key.orderId} has no payment instruction`);
  return { ...orderView, instruction };
}

/** Returns the address or account that the payer of an instruction sends money to. */
export function targetOf(instruction: PaymentInstruction): SandboxTarget {
  const { rail, networkCode, address, memo, reference } = instruction;
  if (rail === "bank") return { rail, reference };
  if (networkCode === null || address === null) {
    throw new Error(`the instruction of order ${instruction.orderId} has no address`);
  }
  return { rail, to: { networkCode, address, memo } };
}

/**
 * Returns the units of the order's amount that nobody has sent yet, by the world's own books; the whole
 * amount if nothing is missing.
 */
export async function missingUnits(
  deps: Pick<SandboxDeps, "world" | "catalogue">,
  { order, instruction }: PayableOrder,
): Promise<bigint> {
  const spent = deps.catalogue().requireCurrency(order.spendAssetId);
  const paid = await deps.world.paymentsTo(targetOf(instruction));
  const missing = paid
    .filter(({ state }) => state !== "orphaned" && state !== "rejected")
    .filter(({ assetReference }) => assetReference === spent.reference)
    .reduce((left, { units }) => left - units, order.spendUnits);
  return missing > 0n ? missing : order.spendUnits;
}

/** Returns the confirmations that make a payment to the instruction final, beside the money that is there. */
export function finalConfirmations(
  { catalogue }: Pick<SandboxDeps, "catalogue">,
  { instruction, deposits }: PayableOrder,
  payment: Pick<SandboxDeposit, "assetReference" | "units"> & { readonly externalId?: string },
): number {
  const currency = catalogue().currencyByCodeOrReference(payment.assetReference);
  if (!currency) throw new Error(`the catalogue has no ${payment.assetReference}`);
  const { units, externalId } = payment;
  const paid = { assetId: currency.id, units, state: "seen", confirmationsRequired: null } as const;
  const others = deposits.filter((one) => one.externalId !== externalId);
  return requiredConfirmations(catalogue(), { instruction, deposits: [...others, paid] }) ?? 1;
}

/** Returns the state that our records have for a deposit of the world. */
export const recordedStateOf = (
  deposit: SandboxDeposit,
  confirmationsRequired: number,
): "seen" | "final" | "lost" => {
  if (deposit.state === "orphaned" || deposit.state === "rejected") return "lost";
  const isFinal =
    deposit.state === "settled" ||
    (deposit.state === "in_block" && deposit.confirmations >= confirmationsRequired);
  return isFinal ? "final" : "seen";
};
