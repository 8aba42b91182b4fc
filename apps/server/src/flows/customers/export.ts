import type { CustomerKey } from "../../domain/customers/personal-data.ts";
import type { Operator } from "../../domain/operators/operator.ts";
import type { OrderView } from "../../domain/orders/view.ts";
import type { Session } from "../../domain/sessions/session.ts";
import { logControl } from "../../storage/audit/control-log.ts";
import { findCustomerSessions } from "../../storage/customers/customers.ts";
import { findOrderView } from "../../storage/orders/views.ts";
import { listBilling } from "../../storage/payments/attempts.ts";
import { findSession } from "../../storage/sessions/sessions.ts";
import { type DeliveryView, listDeliveryViews } from "../../storage/webhooks/delivery-views.ts";
import type { Deps } from "../deps.ts";
import { requireOperator } from "../operators/require-operator.ts";
import { digestsOfCustomer, walletsOfOrders } from "./find.ts";
import {
  personOf,
  type SavedWallet,
  unsealBilling,
  unsealSession,
  unsealWallet,
} from "./personal-data.ts";

export interface ExportCustomer {
  readonly customer: CustomerKey;
  /** Data that an erasure left for the law is part of the export too. */
  readonly includesLocked: boolean;
  /** How long the law keeps the data of an order that has ended. */
  readonly keptDays: number;
  readonly operator: Operator;
}

/** An order with the personal data that no API shows. */
export interface ExportedOrder {
  readonly view: OrderView;
  readonly payoutFields: Readonly<Record<string, string>>;
  readonly billingAddresses: readonly unknown[];
  readonly deliveries: readonly DeliveryView[];
}

export interface ExportedSession {
  readonly session: Session;
  readonly order: ExportedOrder | null;
  readonly lockedAt: Date | null;
}

/** Everything that is held about a customer. */
export interface ExportedCustomer {
  readonly sessions: readonly ExportedSession[];
  readonly wallets: readonly SavedWallet[];
}

type ExportDeps = Pick<Deps, "database" | "dataKeys" | "catalogue" | "environment">;

const DELIVERIES_MAX = 1_000;

/** Collects everything that is held about a customer, and logs that a person read it. */
export async function exportCustomer(
  deps: ExportDeps,
  command: ExportCustomer,
): Promise<ExportedCustomer> {
  const operator = requireOperator(deps, command.operator);
  const { customer, includesLocked, keptDays } = command;
  const { merchantId } = customer;
  const found = await findCustomerSessions(
    deps.database,
    digestsOfCustomer(deps, customer),
    keptDays,
  );
  const sessions: ExportedSession[] = [];
  for (const one of found) {
    const { sessionId, dataKey, lockedAt } = one;
    if (lockedAt !== null && !includesLocked) continue;
    const stored = await findSession(deps.database, { merchantId, sessionId });
    if (!stored) continue;
    const order = await readOrder(deps, { merchantId, orderId: one.orderId, dataKey });
    sessions.push({ session: unsealSession(deps, { ...stored, dataKey }), order, lockedAt });
  }
  const views = sessions.flatMap(({ order }) => (order ? [order.view] : []));
  const wallets = await walletsOfOrders(deps, views);
  await logControl(deps.database, {
    operator,
    action: "export_customer",
    subject: merchantId,
    details: { locked: includesLocked ? "included" : "left out" },
    before: null,
    after: { sessions: sessions.length, orders: views.length, wallets: wallets.length },
  });
  return { sessions, wallets: wallets.map((wallet) => unsealWallet(deps, wallet)) };
}

async function readOrder(
  deps: ExportDeps,
  key: {
    readonly merchantId: string;
    readonly orderId: string | null;
    readonly dataKey: Uint8Array;
  },
): Promise<ExportedOrder | null> {
  const { merchantId, dataKey } = key;
  if (key.orderId === null) return null;
  const orderId = BigInt(key.orderId);
  const read = await findOrderView(deps.database, { merchantId, orderId });
  if (!read) throw new Error(`order ${orderId} is missing`);
  // A locked key is not read with the order.
  const order = { ...read.order, dataKey };
  const billing = await listBilling(deps.database, orderId);
  return {
    view: { ...read, order },
    payoutFields: personOf(deps, order).payoutFields,
    billingAddresses: billing.map(({ id, sealed }) =>
      unsealBilling(deps, order, { attemptId: id, sealed }),
    ),
    deliveries: await listDeliveryViews(deps.database, { merchantId, orderId }, DELIVERIES_MAX),
  };
}
