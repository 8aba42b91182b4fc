import {
  type OrderData,
  type Outgoing,
  type PaymentInstructions,
  paymentOutcome,
} from "@exchange/contract";
import { money } from "@exchange/money";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import { CARD_ATTEMPTS_MAX } from "../../domain/orders/transitions.ts";
import type { OrderView } from "../../domain/orders/view.ts";
import type { PaymentAttempt } from "../../domain/payments/payment-attempt.ts";
import { requiredConfirmations } from "../../domain/payments/required-confirmations.ts";
import { paymentUri } from "../../domain/wallets/payment-uri.ts";
import { presentMoney, toOperationType, toUnixSeconds } from "../wire.ts";

type Payment = Outgoing<OrderData["payment"]>;

/**
 * Presents the payment of an order: its card attempt, or its instructions and the deposits seen.
 */
export function presentPayment(view: OrderView, catalogue: Catalogue): Payment {
  const { order, attempt, deposits } = view;
  const currency = catalogue.requireCurrency(order.spendAssetId);
  const type = catalogue.paymentMethodById(order.paymentMethodId)?.type ?? "card";
  return {
    type,
    outcome: paymentOutcome({
      operationType: toOperationType(order.operation),
      paymentType: type,
      status: order.status,
      attempt: attempt?.status,
    }),
    attemptsLeft: CARD_ATTEMPTS_MAX - order.cardAttempts,
    expiresAt: toUnixSeconds(order.paymentExpiresAt),
    attempt: attempt ? presentAttempt(attempt) : null,
    instructions: presentInstructions(view, catalogue),
    received: presentMoney(money(currency, order.receivedUnits ?? 0n)),
    deposits: deposits.map((deposit) => {
      const asset = catalogue.requireCurrency(deposit.assetId);
      return {
        amount: presentMoney(money(asset, deposit.units)),
        currencyCode: asset.code,
        status: deposit.state,
        confirmations: deposit.confirmations,
        transactionHash: transactionHashOf(deposit, catalogue),
        at: toUnixSeconds(deposit.createdAt),
      };
    }),
  };
}

/**
 * A deposit's id begins with its transaction, on a live network after the network's code. Coins that only a balance
 * shows have no transaction.
 */
function transactionHashOf(
  { rail, externalId }: OrderView["deposits"][number],
  catalogue: Catalogue,
): string | null {
  if (rail !== "chain") return null;
  const [first = "", second = ""] = externalId.split(":");
  if (catalogue.network(first) === undefined) return first;
  return second === "balance" ? null : second;
}

function presentAttempt(attempt: PaymentAttempt): Payment["attempt"] {
  return {
    number: attempt.number,
    status: attempt.status,
    brand: attempt.brand,
    lastFour: attempt.lastFour,
    declineReason: attempt.declineReason,
    challengeUrl: attempt.challengeUrl,
    threeDSecure: attempt.threeDSecure,
  };
}

function presentInstructions(
  { order, instruction, deposits }: OrderView,
  catalogue: Catalogue,
): Outgoing<PaymentInstructions> | null {
  if (!instruction) return null;
  const currency = catalogue.requireCurrency(instruction.assetId);
  const { networkCode, address, memo } = instruction;
  const network = networkCode === null ? undefined : catalogue.network(networkCode);
  const amount = money(currency, instruction.units);
  return {
    type: instruction.rail === "bank" ? "bank_transfer" : "crypto",
    amount: presentMoney(amount),
    currencyCode: currency.code,
    currencyReference: currency.reference,
    networkCode,
    networkName: network?.name ?? null,
    walletAddress: address,
    memo,
    paymentUri:
      address === null
        ? null
        : paymentUri({ currency, address, memo, amount, chainId: network?.chainId }),
    reference: instruction.rail === "bank" ? instruction.reference : null,
    account: instruction.account,
    confirmationsRequired: requiredConfirmations(catalogue, { instruction, deposits }) ?? 0,
    expiresAt: toUnixSeconds(order.paymentExpiresAt),
  };
}
