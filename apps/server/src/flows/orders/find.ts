import type { Order } from "../../domain/orders/order.ts";
import { withEvmChecksum } from "../../domain/wallets/check-address.ts";
import { listMerchants } from "../../storage/merchants/merchants.ts";
import { listOrders } from "../../storage/orders/operator-orders.ts";
import {
  type FoundOrder,
  searchCustomers,
  searchDestinations,
  searchOrders,
} from "../../storage/orders/search.ts";
import { emailMark, referenceMark } from "../customers/personal-data.ts";
import type { Deps } from "../deps.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const ORDER_ID = /^[1-9][0-9]{0,15}$/;

/** An order with every way in which the text led to it. */
export interface OrderMatch {
  readonly order: Order;
  readonly foundBy: readonly string[];
}

/**
 * Finds orders by anything that a customer, a merchant or a bank may name: an id, a session, a reference, an e-mail
 * address, an address of a chain or a transaction. The newest order comes first. Addresses that orders pay to are
 * searched in the orders of the last `days`.
 */
export async function findOrders(
  deps: Pick<Deps, "database" | "dataKeys">,
  { text, days }: { readonly text: string; readonly days: number },
): Promise<OrderMatch[]> {
  const { database } = deps;
  const found = [
    ...(await searchOrders(database, {
      text,
      spellings: [text, text.toLowerCase(), withEvmChecksum(text) ?? text],
      orderId: ORDER_ID.test(text) ? BigInt(text) : null,
      uuid: UUID.test(text) ? text : null,
    })),
    ...(await searchCustomers(database, await digestsOf(deps, text))),
    ...(await searchDestinations(database, { address: text, days })),
  ];
  const orders = await listOrders(database, [...new Set(found.map(({ orderId }) => orderId))]);
  return orders.map((order) => ({ order, foundBy: waysTo(found, order) }));
}

const waysTo = (found: readonly FoundOrder[], { id }: Order): string[] => [
  ...new Set(found.filter(({ orderId }) => orderId === id).map(({ foundBy }) => foundBy)),
];

/** The digests that a customer of any merchant would have under this e-mail address or reference. */
async function digestsOf(
  { database, dataKeys }: Pick<Deps, "database" | "dataKeys">,
  text: string,
) {
  const merchants = await listMerchants(database);
  return merchants.flatMap(({ id: merchantId }) =>
    [emailMark(merchantId, text), referenceMark(merchantId, text)].flatMap((mark) =>
      dataKeys.digests(mark).map((digest) => ({ merchantId, digest })),
    ),
  );
}
