import type { CustomerKey } from "../../domain/customers/personal-data.ts";
import type { Operator } from "../../domain/operators/operator.ts";
import type { OrderView } from "../../domain/orders/view.ts";
import { logControl } from "../../storage/audit/control-log.ts";
import {
  type CustomerSession,
  deleteUnusedSessions,
  destroyKeys,
  lockCustomerSessions,
  lockKeys,
} from "../../storage/customers/customers.ts";
import { deleteMailsOfSessions } from "../../storage/mails/mails.ts";
import { findOrderView } from "../../storage/orders/views.ts";
import type { Tx } from "../../storage/postgres/database.ts";
import { deleteWallet } from "../../storage/wallets/wallets.ts";
import type { Deps } from "../deps.ts";
import { requireOperator } from "../operators/require-operator.ts";
import { Refusal } from "../refusal.ts";
import { digestsOfCustomer, walletsOfOrders } from "./find.ts";

export interface EraseCustomer {
  readonly customer: CustomerKey;
  /** How long the law keeps the data of an order that has ended. */
  readonly keptDays: number;
  readonly operator: Operator;
}

/** An order whose personal data is kept for the law alone. */
export interface LockedOrder {
  readonly orderId: string;
  readonly keptUntil: Date;
}

export interface Erased {
  /** Sessions in which no order was placed, and which were deleted. */
  readonly sessions: number;
  readonly wallets: number;
  /** Orders whose data keys were destroyed. */
  readonly erasedOrders: readonly string[];
  /** Orders that are locked now, or were before. */
  readonly lockedOrders: readonly LockedOrder[];
}

type EraseDeps = Pick<Deps, "database" | "dataKeys" | "catalogue" | "environment">;

/**
 * Erases a customer in one database transaction. Sessions without an order and saved wallets are deleted. Orders
 * whose time is over lose their data keys. All other orders are locked: nothing reads their personal data, and
 * the retention pass destroys the keys when the law allows it. Amounts, statuses and the ledger stay. A
 * repetition changes nothing and logs nothing.
 *
 * Refuses INVALID_ORDER_STATE while an order of the customer is under way.
 */
export async function eraseCustomer(deps: EraseDeps, command: EraseCustomer): Promise<Erased> {
  const operator = requireOperator(deps, command.operator);
  const { customer, keptDays } = command;
  const { merchantId } = customer;
  return deps.database.transaction(async (tx) => {
    const found = await lockCustomerSessions(tx, digestsOfCustomer(deps, customer), keptDays);
    requireEnded(found);
    const [unused, ordered] = [withoutOrder(found), withOrder(found)];
    const open = ordered.filter(({ lockedAt }) => lockedAt === null);
    const wallets = await deleteWallets({ ...deps, database: tx }, merchantId, open);
    await deleteSessions(tx, merchantId, unused);
    await deleteMailsOfSessions(tx, { merchantId, sessionIds: idsOf(ordered) });
    const due = ordered.filter(({ isDue }) => isDue);
    const retained = ordered.filter(({ isDue }) => !isDue);
    await destroyKeys(tx, { merchantId, sessionIds: idsOf(due) });
    await lockKeys(tx, { merchantId, sessionIds: idsOf(retained) });
    const erased: Erased = {
      sessions: unused.length,
      wallets,
      erasedOrders: due.map(({ orderId }) => orderId),
      lockedOrders: retained.map(({ orderId, keptUntil }) => ({ orderId, keptUntil })),
    };
    const isChanged = unused.length + wallets + due.length + open.length > 0;
    if (isChanged) {
      await logControl(tx, {
        operator,
        action: "erase_customer",
        subject: merchantId,
        before: { sessions: found.length, orders: ordered.map(({ orderId }) => orderId) },
        after: { ...erased },
      });
    }
    return erased;
  });
}

type Ordered = CustomerSession & { readonly orderId: string; readonly keptUntil: Date };

const withOrder = (found: readonly CustomerSession[]): Ordered[] =>
  found.filter((one): one is Ordered => one.orderId !== null);
const withoutOrder = (found: readonly CustomerSession[]): CustomerSession[] =>
  found.filter(({ orderId }) => orderId === null);
const idsOf = (sessions: readonly CustomerSession[]): string[] =>
  sessions.map(({ sessionId }) => sessionId);

function requireEnded(found: readonly CustomerSession[]): void {
  const open = withOrder(found).filter(({ hasEnded }) => !hasEnded);
  if (open.length === 0) return;
  throw new Refusal("INVALID_ORDER_STATE", {
    message:
      `Orders of this customer are under way: ${open.map(({ orderId }) => orderId).join(", ")}. ` +
      "Wait until they have ended, or cancel or refund them. Then erase the customer again.",
  });
}

/** A token of a deleted session is refused. An order that was placed meanwhile is under way. */
async function deleteSessions(
  tx: Tx,
  merchantId: string,
  unused: readonly CustomerSession[],
): Promise<void> {
  const sessionIds = idsOf(unused);
  if ((await deleteUnusedSessions(tx, { merchantId, sessionIds })) > 0) {
    throw new Refusal("INVALID_ORDER_STATE", {
      message: "The customer placed an order just now. Erase the customer after it has ended.",
    });
  }
  await destroyKeys(tx, { merchantId, sessionIds });
}

async function deleteWallets(
  deps: Pick<Deps, "catalogue"> & { readonly database: Tx },
  merchantId: string,
  ordered: readonly Ordered[],
): Promise<number> {
  const views: OrderView[] = [];
  for (const { orderId } of ordered) {
    const view = await findOrderView(deps.database, { merchantId, orderId: BigInt(orderId) });
    if (view) views.push(view);
  }
  const wallets = await walletsOfOrders(deps, views);
  for (const { id } of wallets) await deleteWallet(deps.database, { merchantId, id });
  return wallets.length;
}
