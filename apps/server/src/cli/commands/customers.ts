import { exactAmount } from "../../domain/catalogue/exact-amount.ts";
import type { CustomerKey } from "../../domain/customers/personal-data.ts";
import { eraseCustomer, type LockedOrder } from "../../flows/customers/erase.ts";
import {
  type ExportedCustomer,
  type ExportedSession,
  exportCustomer,
} from "../../flows/customers/export.ts";
import type { Deps } from "../../flows/deps.ts";
import { presentSession } from "../../http/sessions/present.ts";
import { type Command, type CommandInput, type CommandOption, UsageError } from "../command.ts";
import { AS, CLIENT, operatorOf } from "../operator-options.ts";
import { amountWords } from "../order-words.ts";
import { table } from "../table.ts";
import { withFlows } from "../with-flows.ts";

const CUSTOMER = {
  client: { ...CLIENT, earlier: "merchant" },
  reference: {
    value: "TEXT",
    description: "The merchant's reference of the customer, exactly as it was sent.",
  },
  email: { value: "ADDRESS", description: "The customer's e-mail address, in any letter case." },
} as const satisfies Readonly<Record<string, CommandOption>>;

/** Returns the customer that exactly one of --reference and --email names. */
function customerOf(input: CommandInput): CustomerKey {
  const merchantId = input.required("client");
  const [reference, email] = [input.one("reference"), input.one("email")];
  if (reference !== undefined && email === undefined) return { merchantId, reference };
  if (email !== undefined && reference === undefined) return { merchantId, email };
  throw new UsageError(
    "Name the customer by either --reference or --email, and not both. For the data under the other one, run the command again.",
  );
}

export const customersExport: Command = {
  name: "customers export",
  summary: "Print everything that is held about a customer of a merchant. The export is logged.",
  options: {
    ...CUSTOMER,
    locked: {
      description: "Include what an erasure left for the law, such as for an authority.",
    },
    as: AS,
  },
  example: "customers export --client client_dev_ABCDEFGHIJKLMNOP --email ada@example.com --json",
  run: (context, input) => {
    const customer = customerOf(input);
    const includesLocked = input.hasFlag("locked");
    return withFlows(context, async (deps) => {
      const operator = operatorOf(context, input);
      const keptDays = context.config().ordersRetentionDays;
      const command = { customer, includesLocked, keptDays, operator };
      const exported = await exportCustomer(deps, command);
      return { json: showExport(exported, deps), text: describeExport(exported, deps) };
    });
  },
};

const showExport = ({ sessions, wallets }: ExportedCustomer, deps: Deps) => ({
  sessions: sessions.map((one) => showSession(one, deps)),
  wallets: wallets.map(({ id, currencyId, ...wallet }) => ({
    walletId: Number(id),
    currency: deps.catalogue().requireCurrency(currencyId).reference,
    ...wallet,
  })),
});

/** The session with its order as the merchant's API shows them, and what only the service holds. */
function showSession({ session, order, lockedAt }: ExportedSession, deps: Deps) {
  const view = order?.view ?? null;
  const shown = presentSession({ session, order: view }, { keyScopes: ["read"] }, deps);
  return {
    ...shown,
    // The file is passed on, and the address of an order's page opens the order.
    order: shown.order && { ...shown.order, customerUrl: null },
    payoutFields: order?.payoutFields ?? {},
    billingAddresses: order?.billingAddresses ?? [],
    deposits: (view?.deposits ?? []).map((deposit) => ({
      depositId: deposit.id,
      rail: deposit.rail,
      amount: exactAmount(deps.catalogue(), deposit.assetId, deposit.units),
      reference: deposit.externalId,
    })),
    deliveries: (order?.deliveries ?? []).map((delivery) => ({
      deliveryId: delivery.id,
      eventType: delivery.eventType,
      status: delivery.status,
      createdAt: delivery.createdAt.toISOString(),
      payload: JSON.parse(delivery.payload) as unknown,
    })),
    lockedAt: lockedAt?.toISOString() ?? null,
  };
}

function describeExport({ sessions, wallets }: ExportedCustomer, deps: Deps): string {
  if (sessions.length === 0 && wallets.length === 0) return "Nothing is held about this customer.";
  const rows = sessions.map(({ session, order, lockedAt }) => [
    session.sessionId,
    order ? String(order.view.order.id) : "",
    order?.view.order.status ?? session.status,
    order ? amountWords(showSpend(order.view.order, deps)) : "",
    session.createdAt.toISOString(),
    lockedAt === null ? "" : "locked",
  ]);
  return [
    table([["SESSION", "ORDER", "STATUS", "SPENDS", "CREATED", ""], ...rows]),
    `Saved wallets: ${wallets.length}. With --json the export has all of the data.`,
  ].join("\n\n");
}

const showSpend = (
  order: { readonly spendAssetId: number; readonly spendUnits: bigint },
  deps: Deps,
) => exactAmount(deps.catalogue(), order.spendAssetId, order.spendUnits);

export const customersErase: Command = {
  name: "customers erase",
  summary:
    "Erase a customer of a merchant. Data that the law requires is locked until its retention ends.",
  options: { ...CUSTOMER, as: AS },
  example: "customers erase --client client_dev_ABCDEFGHIJKLMNOP --reference customer-1042",
  run: (context, input) => {
    const customer = customerOf(input);
    return withFlows(context, async (deps) => {
      const operator = operatorOf(context, input);
      const keptDays = context.config().ordersRetentionDays;
      const erased = await eraseCustomer(deps, { customer, keptDays, operator });
      const { sessions, wallets, erasedOrders, lockedOrders } = erased;
      const text = [
        `Deleted: ${sessions} sessions without an order and ${wallets} saved wallets.`,
        `Erased from orders: ${erasedOrders.join(", ") || "none"}.`,
        ...describeLocked(lockedOrders),
      ].join("\n");
      return { json: erased, text };
    });
  },
};

function describeLocked(orders: readonly LockedOrder[]): string[] {
  if (orders.length === 0) return [];
  const rows = orders.map(({ orderId, keptUntil }) => [orderId, keptUntil.toISOString()]);
  return ["Locked for the law, and erased after the time:", table([["ORDER", "UNTIL"], ...rows])];
}
