import { type Outgoing, PAGE_LIMIT_DEFAULT } from "@exchange/contract";
import { ADMIN_ENDPOINTS, type ReviewedOrder } from "@exchange/contract/admin";
import { readMerchantNames } from "../../flows/orders/list-for-console.ts";
import { noteOrder } from "../../flows/orders/note.ts";
import { freeOrder, listReviewQueue, takeOrder } from "../../flows/orders/review.ts";
import { decodeCursor, encodeCursor } from "../cursor.ts";
import { list, ok } from "../wire.ts";
import { type ExportColumns, exportList, timeText } from "./export-list.ts";
import { ORDER_COLUMNS, storyFor } from "./orders.ts";
import { presentReview } from "./present-order.ts";
import type { AdminDeps, AdminHandler, RegisterAdmin } from "./registrar.ts";

const REVIEW_COLUMNS: ExportColumns<Outgoing<ReviewedOrder>> = {
  ...ORDER_COLUMNS,
  inReview: ({ inReviewSince }) => timeText(inReviewSince),
  reviewer: ({ reviewer }) => reviewer && reviewer.person,
  taken: ({ reviewer }) => reviewer && timeText(reviewer.at),
};

const LIST = "admin_reviews";

/** The review queue, who works on an order in it, and the notes of people. None of them changes an order. */
export function registerReviews(register: RegisterAdmin, deps: AdminDeps): void {
  const listReviews: AdminHandler<typeof ADMIN_ENDPOINTS.listReviews> = async ({
    caller,
    query,
  }) => {
    const { cursor, limit = PAGE_LIMIT_DEFAULT, which = "all", reason } = query;
    const { account } = caller.by;
    const after = cursor === undefined ? undefined : decodeCursor(LIST, cursor)[0];
    const page = await listReviewQueue(deps, { which, account, reason, after, limit });
    const names = await readMerchantNames(deps);
    const shown = { catalogue: deps.catalogue(), names, isMerchants: false, account };
    return list(
      page.items.map((review) => presentReview(review, shown)),
      page.last && encodeCursor(LIST, [page.last.order.id]),
    );
  };
  register(ADMIN_ENDPOINTS.listReviews, listReviews);
  register(ADMIN_ENDPOINTS.exportReviews, (call) =>
    exportList("reviews", REVIEW_COLUMNS, (pages) =>
      listReviews({ ...call, query: { ...call.query, ...pages } }),
    ),
  );
  register(ADMIN_ENDPOINTS.takeOrder, async ({ caller, params }) => {
    const orderId = BigInt(params.orderId);
    await takeOrder(deps, { orderId, by: caller.by });
    return ok(await storyFor(deps, caller, orderId));
  });
  register(ADMIN_ENDPOINTS.freeOrder, async ({ caller, params, body }) => {
    const orderId = BigInt(params.orderId);
    await storyFor(deps, caller, orderId);
    await freeOrder(deps, { orderId, reviewer: body.reviewer, by: caller.by });
    return ok(await storyFor(deps, caller, orderId));
  });
  register(ADMIN_ENDPOINTS.noteOrder, async ({ caller, params, body }) => {
    const orderId = BigInt(params.orderId);
    await storyFor(deps, caller, orderId);
    await noteOrder(deps, { orderId, note: body.note, by: caller.by });
    return ok(await storyFor(deps, caller, orderId));
  });
}
