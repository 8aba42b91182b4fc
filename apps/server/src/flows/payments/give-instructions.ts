import type { Order } from "../../domain/orders/order.ts";
import type { OrderView } from "../../domain/orders/view.ts";
import type { PaymentInstruction } from "../../domain/payments/payment-instruction.ts";
import { failpoint } from "../../failpoints.ts";
import type { NewJob } from "../../storage/jobs/jobs.ts";
import type { Deps } from "../deps.ts";
import { advanceOrder } from "../orders/advance.ts";
import { networkOf } from "../orders/check-destination.ts";
import { type OrderKey, readOrder } from "../orders/read.ts";
import { Refusal } from "../refusal.ts";

/**
 * Returns the order with its payment instruction, and starts to watch for the payment. The rail
 * returns the same destination for the same order, so a crash between the request and the record
 * loses nothing.
 */
export async function giveInstructions(deps: Deps, key: OrderKey): Promise<OrderView> {
  const view = await readOrder(deps, key);
  const { order } = view;
  if (view.instruction) return view;
  if (order.status !== "awaiting_payment" || deps.clock.now() >= order.paymentExpiresAt) {
    throw new Refusal("INVALID_ORDER_STATE", {
      message:
        order.status === "awaiting_payment"
          ? "The time to pay this order is over."
          : `An order that is ${order.status} cannot be paid.`,
    });
  }
  failpoint("instructions.before_ask");
  const instruction = await askForInstruction(deps, order);
  failpoint("instructions.after_ask");
  // Written together, so that an order that ends now is either watched or never shows an account.
  await advanceOrder(deps, key, () => ({ instruction, jobs: [watchJob(order)] }));
  failpoint("instructions.after_record");
  return readOrder(deps, key);
}

const watchJob = ({ id, merchantId }: Order): NewJob => ({
  kind: "watch_payment",
  subject: String(id),
  orderId: id,
  merchantId,
});

async function askForInstruction(deps: Deps, order: Order): Promise<PaymentInstruction> {
  const currency = deps.catalogue().requireCurrency(order.spendAssetId);
  const reference = String(order.id);
  const common = { orderId: order.id, assetId: currency.id, units: order.spendUnits, reference };
  if (currency.kind === "crypto") {
    if (!deps.chain) throw new Refusal("PROVIDER_UNAVAILABLE");
    const networkCode = networkOf(deps.catalogue(), currency).code;
    const place = await deps.chain.depositAddress({ networkCode, reference });
    return { ...common, ...place, rail: "chain", account: [] };
  }
  if (!deps.bank) throw new Refusal("PROVIDER_UNAVAILABLE");
  const method = deps.catalogue().paymentMethodById(order.paymentMethodId);
  const { lines } = await deps.bank.receivingAccount({
    method: method?.reference ?? "",
    currencyCode: currency.code,
    reference,
  });
  const nowhere = { networkCode: null, address: null, memo: null };
  return { ...common, ...nowhere, rail: "bank", account: lines };
}
