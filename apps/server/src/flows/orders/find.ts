import type { Order } from "../../domain/orders/order.ts";
import { withEvmChecksum } from "../../domain/wallets/check-address.ts";
import { listMerchants } from "../../storage/merchants/merchants.ts";
import { listOrders } from "../../storage/orders/operator-orders.ts";
import {
  type FoundBy,
  type FoundOrder,
  searchCards,
  searchCustomers,
  searchDestinations,
  searchOrders,
  searchSharedAddress,
} from "../../storage/orders/search.ts";
import { emailMark, referenceMark } from "../customers/personal-data.ts";
import type { Deps } from "../deps.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const ORDER_ID = /^[1-9][0-9]{0,15}$/;

/** An order with every way in which the text led to it. */
export interface OrderMatch {
  readonly order: Order;
  readonly foundBy: readonly FoundBy[];
}

/** The digits that a card shows. */
const LAST_FOUR = /^[0-9]{4}$/;
/** No network has a shorter address. */
const ADDRESS_LENGTH_MIN = 14;

export interface FindOrders {
  readonly text: string;
  /** Only orders of this merchant; null for all. */
  readonly merchantId: string | null;
  /** Whether the text may be a customer's e-mail address or reference. To others a match would confirm a customer. */
  readonly matchesCustomers: boolean;
}

/**
 * Finds orders by a text that a customer, a merchant or a bank may name. It may be an id, a session, a reference, an
 * e-mail address, an address on a chain, a transaction, or the last four digits of a card. The newest order comes
 * first.
 */
export async function findOrders(
  deps: Pick<Deps, "database" | "dataKeys">,
  { text, merchantId, matchesCustomers }: FindOrders,
): Promise<OrderMatch[]> {
  const { database } = deps;
  const spellings = [...new Set([text, text.toLowerCase(), withEvmChecksum(text) ?? text])];
  const found = [
    ...(await searchOrders(database, {
      text,
      spellings,
      orderId: ORDER_ID.test(text) ? BigInt(text) : null,
      uuid: UUID.test(text) ? text : null,
    })),
    ...(matchesCustomers
      ? await searchCustomers(database, await digestsOf(deps, { text, merchantId }))
      : []),
    ...(text.length < ADDRESS_LENGTH_MIN
      ? []
      : [
          ...(await searchSharedAddress(database, { spellings, merchantId })),
          ...(await searchDestinations(database, { address: text, merchantId })),
        ]),
    ...(LAST_FOUR.test(text) ? await searchCards(database, { lastFour: text, merchantId }) : []),
  ];
  const ways = waysTo(found);
  const orders = await listOrders(database, [...ways.keys()]);
  return orders
    .filter((order) => merchantId === null || order.merchantId === merchantId)
    .map((order) => ({ order, foundBy: [...(ways.get(order.id) ?? [])] }));
}

function waysTo(found: readonly FoundOrder[]): ReadonlyMap<bigint, ReadonlySet<FoundBy>> {
  const ways = new Map<bigint, Set<FoundBy>>();
  for (const { orderId, foundBy } of found)
    ways.set(orderId, (ways.get(orderId) ?? new Set()).add(foundBy));
  return ways;
}

/** The digests that a customer of the merchants would have under this e-mail address or reference. */
async function digestsOf(
  { database, dataKeys }: Pick<Deps, "database" | "dataKeys">,
  { text, merchantId: only }: Pick<FindOrders, "text" | "merchantId">,
) {
  const merchants = await listMerchants(database);
  const searched = merchants.filter(({ id }) => only === null || id === only);
  return searched.flatMap(({ id: merchantId }) =>
    [emailMark(merchantId, text), referenceMark(merchantId, text)].flatMap((mark) =>
      dataKeys.digests(mark).map((digest) => ({ merchantId, digest })),
    ),
  );
}
