import { type Outgoing, PAGE_LIMIT_DEFAULT } from "@exchange/contract";
import { ADMIN_ENDPOINTS, type ListedOrder } from "@exchange/contract/admin";
import { parseDecimal } from "@exchange/money";
import { approveRefundAddress } from "../../flows/orders/approve-refund-address.ts";
import { cancelOrder } from "../../flows/orders/cancel.ts";
import { findOrders } from "../../flows/orders/find.ts";
import { holdOrder } from "../../flows/orders/hold.ts";
import { listOrdersForConsole, readMerchantNames } from "../../flows/orders/list-for-console.ts";
import { readStory } from "../../flows/orders/read-story.ts";
import { refundOrder } from "../../flows/orders/refund.ts";
import { releaseOrder } from "../../flows/orders/release.ts";
import { decodeCursor, encodeCursor } from "../cursor.ts";
import { list, ok } from "../wire.ts";
import type { AdminCaller } from "./callers.ts";
import { type ExportColumns, exportList, timeText } from "./export-list.ts";
import { presentListedOrder } from "./present-order.ts";
import { presentStory } from "./present-story.ts";
import type { AdminDeps, AdminHandler, RegisterAdmin } from "./registrar.ts";

const timeOf = (seconds: number | undefined): Date | undefined =>
  seconds === undefined ? undefined : new Date(seconds * 1_000);

/** A merchant's person names a screening hit as the merchants' API does. */
const storedReason = (reason: string | undefined, { merchantId }: AdminCaller) =>
  merchantId !== null && reason === "compliance" ? "screening_hit" : reason;

/** The columns of the files of orders and of the review queue. */
export const ORDER_COLUMNS: ExportColumns<Outgoing<ListedOrder>> = {
  order: ({ orderId }) => orderId,
  placed: ({ createdAt }) => timeText(createdAt),
  changed: ({ updatedAt }) => timeText(updatedAt),
  merchant: ({ merchantId }) => merchantId,
  session: ({ sessionId }) => sessionId,
  operation: ({ operation }) => operation,
  status: ({ status }) => status,
  reason: ({ statusReason }) => statusReason,
  spends: ({ spend }) => spend.amount,
  spendCurrency: ({ spend }) => spend.currency,
  receives: ({ receive }) => receive.amount,
  receiveCurrency: ({ receive }) => receive.currency,
};

const LIST = "admin_orders";

/** Orders of every merchant, or of the merchant of the person who calls. */
export function registerAdminOrders(register: RegisterAdmin, deps: AdminDeps): void {
  const shownTo = async ({ merchantId }: AdminCaller) => ({
    catalogue: deps.catalogue(),
    names: await readMerchantNames(deps),
    isMerchants: merchantId !== null,
  });
  const listOrders: AdminHandler<typeof ADMIN_ENDPOINTS.listAllOrders> = async ({
    caller,
    query,
  }) => {
    const { cursor, limit = PAGE_LIMIT_DEFAULT, from, before, unchangedSince } = query;
    const page = await listOrdersForConsole(
      deps,
      {
        merchantId: caller.merchantId ?? query.merchantId,
        status: query.status,
        reason: storedReason(query.reason, caller),
        operation: query.operation,
        from: timeOf(from),
        before: timeOf(before),
        unchangedSince: timeOf(unchangedSince),
        after: cursor === undefined ? undefined : decodeCursor(LIST, cursor)[0],
      },
      limit,
    );
    const shown = await shownTo(caller);
    const next = page.last && encodeCursor(LIST, [page.last.id]);
    return list(
      page.items.map((order) => presentListedOrder(order, shown)),
      next,
    );
  };
  register(ADMIN_ENDPOINTS.listAllOrders, listOrders);
  register(ADMIN_ENDPOINTS.exportOrders, (call) =>
    exportList("orders", ORDER_COLUMNS, (pages) =>
      listOrders({ ...call, query: { ...call.query, ...pages } }),
    ),
  );
  register(ADMIN_ENDPOINTS.searchOrders, async ({ caller, query }) => {
    const { merchantId } = caller;
    const text = query.text.trim();
    const matchesCustomers = caller.may("customers.read");
    const matches = await findOrders(deps, { text, merchantId, matchesCustomers });
    const shown = await shownTo(caller);
    return ok(
      matches.map(({ order, foundBy }) => ({
        ...presentListedOrder(order, shown),
        foundBy: [...foundBy],
      })),
    );
  });
  register(ADMIN_ENDPOINTS.readOrderStory, async ({ caller, params }) =>
    ok(await storyFor(deps, caller, BigInt(params.orderId))),
  );
}

/** Returns the story of an order that the person may see. Refuses NOT_FOUND. */
export async function storyFor(deps: AdminDeps, caller: AdminCaller, orderId: bigint) {
  const story = await readStory(deps, { orderId, merchantId: caller.merchantId });
  return presentStory(story, { catalogue: deps.catalogue(), caller });
}

/** The actions on one order. Each calls the flow that the command line calls, and answers with the new story. */
export function registerOrderActions(register: RegisterAdmin, deps: AdminDeps): void {
  /** Names the order by its own merchant, after the check that the person may see it. */
  const keyOf = async (caller: AdminCaller, params: { readonly orderId: number }) => {
    const orderId = BigInt(params.orderId);
    const { order } = await readStory(deps, { orderId, merchantId: caller.merchantId });
    return { merchantId: order.merchantId, orderId, operator: caller.by };
  };
  register(ADMIN_ENDPOINTS.releaseHeldOrder, async ({ caller, params, body }) => {
    const key = await keyOf(caller, params);
    await releaseOrder(deps, { ...key, ...body });
    return ok(await storyFor(deps, caller, key.orderId));
  });
  register(ADMIN_ENDPOINTS.refundHeldOrder, async ({ caller, params, body }) => {
    const key = await keyOf(caller, params);
    const amount = body.amount === undefined ? undefined : parseDecimal(body.amount);
    const by = caller.merchantId === null ? "operator" : "merchant";
    await refundOrder(deps, { ...key, ...body, by, amount });
    return ok(await storyFor(deps, caller, key.orderId));
  });
  register(ADMIN_ENDPOINTS.approveRefundAddress, async ({ caller, params, body }) => {
    const key = await keyOf(caller, params);
    const { reason, refundAddress, refundMemo } = body;
    // The customer has said with the request whether the address needs a memo.
    const memo = refundMemo === undefined ? { refundWithoutMemo: true as const } : { refundMemo };
    await approveRefundAddress(deps, { ...key, reason, to: { refundAddress, ...memo } });
    return ok(await storyFor(deps, caller, key.orderId));
  });
  register(ADMIN_ENDPOINTS.cancelUnpaidOrder, async ({ caller, params, body }) => {
    const key = await keyOf(caller, params);
    const by = caller.merchantId === null ? "operator" : "merchant";
    await cancelOrder(deps, { ...key, reason: body.reason, by });
    return ok(await storyFor(deps, caller, key.orderId));
  });
  register(ADMIN_ENDPOINTS.holdOrderForReview, async ({ caller, params, body }) => {
    const key = await keyOf(caller, params);
    await holdOrder(deps, { ...key, holdReason: body.hold, reason: body.reason });
    return ok(await storyFor(deps, caller, key.orderId));
  });
}
