import type { Operator } from "../../domain/operators/operator.ts";
import type { Order } from "../../domain/orders/order.ts";
import { type Queryable, type Statement, statement, type Tx } from "../postgres/database.ts";
import { ORDER_KEY, readOrderRow } from "./table.ts";

/** The person who has taken an order in review. */
export interface Reviewer {
  readonly person: string;
  /** The account that counts as one person. */
  readonly account: string;
  readonly takenAt: Date;
}

/** An order in review. */
export interface ReviewedOrder {
  readonly order: Order;
  readonly inReviewSince: Date;
  /** Null while nobody has taken it. */
  readonly reviewer: Reviewer | null;
}

// The order cannot leave review before the commit, and a change that was earlier is waited for.
const TAKE = statement(
  "order_reviewers_take",
  `with reviewed as (select id from orders where id = $1 and status = 'in_review' for share)
   insert into order_reviewers (order_id, person, account) select id, $2, $3 from reviewed
   on conflict (order_id) do nothing returning order_id`,
);
const LEAVE = statement(
  "order_reviewers_leave",
  "delete from order_reviewers where order_id = $1 and person = $2 returning order_id",
);
const FIND = statement(
  "order_reviewers_find",
  `select person, account, taken_at as "takenAt" from order_reviewers where order_id = $1`,
);

/** Takes an order in review for a person. Returns false when it is not in review, or somebody has taken it. */
export async function takeReview(
  tx: Tx,
  orderId: bigint,
  { person, account }: Pick<Operator, "person" | "account">,
): Promise<boolean> {
  return (await tx.query(TAKE, [orderId, person, account])).length > 0;
}

/** Makes an order free again. Returns false when the person has not taken it. */
export async function leaveReview(tx: Tx, orderId: bigint, person: string): Promise<boolean> {
  return (await tx.query(LEAVE, [orderId, person])).length > 0;
}

export async function findReviewer(
  queryable: Queryable,
  orderId: bigint,
): Promise<Reviewer | undefined> {
  const [row] = await queryable.query<Reviewer>(FIND, [orderId]);
  return row;
}

/** The last steps of the order that left it in review. The step before them brought it from elsewhere. */
const SINCE = `(select min(e.at) from order_events e where e.order_id = o.id and e.sequence > coalesce(
  (select max(x.sequence) from order_events x where x.order_id = o.id and x.status <> 'in_review'), 0))`;

// A page begins after the order with the id $3. Each statement begins with the filter that its index begins with.
const listBy = (name: string, from: string, filter: string): Statement =>
  statement(
    `orders_in_review_${name}`,
    `select o.*, ${ORDER_KEY("o")}, coalesce(${SINCE}, o.updated_at) as in_review_since,
       r.person as reviewer_person, r.account as reviewer_account, r.taken_at as reviewer_taken_at
     from ${from} where o.status = 'in_review' and ${filter}
       and (o.created_at, o.id) > (coalesce((select p.created_at from orders p where p.id = $3), '-infinity'),
         coalesce($3::bigint, 0))
     order by o.created_at, o.id limit $1`,
  );
const ORDERS = "orders o left join order_reviewers r on r.order_id = o.id";
const TAKEN = "order_reviewers r join orders o on o.id = r.order_id";
const ANY_REASON = "$2::text is null";
const BY_REASON = "o.status_reason = $2";
const NO_ACCOUNT = "$4::text is null";
const LIST = {
  all: {
    any: listBy("all", ORDERS, `${ANY_REASON} and ${NO_ACCOUNT}`),
    one: listBy("all_reason", ORDERS, `${BY_REASON} and ${NO_ACCOUNT}`),
  },
  free: {
    any: listBy("free", ORDERS, `r.order_id is null and ${ANY_REASON} and ${NO_ACCOUNT}`),
    one: listBy("free_reason", ORDERS, `r.order_id is null and ${BY_REASON} and ${NO_ACCOUNT}`),
  },
  mine: {
    any: listBy("mine", TAKEN, `r.account = $4 and ${ANY_REASON}`),
    one: listBy("mine_reason", TAKEN, `r.account = $4 and ${BY_REASON}`),
  },
} as const;

export type WhichReviews = keyof typeof LIST;

export interface ReviewFilter {
  readonly which: WhichReviews;
  /** The account of the person who asks, for their own orders. */
  readonly account: string;
  /** Undefined does not filter. */
  readonly reason: string | undefined;
  /** The page begins after the order with this id. */
  readonly after: bigint | undefined;
  readonly limit: number;
}

interface ReviewRow {
  readonly in_review_since: Date;
  readonly reviewer_person: string | null;
  readonly reviewer_account: string;
  readonly reviewer_taken_at: Date;
}

/** Lists orders in review, the one that was placed first at the top. */
export async function listReviews(
  queryable: Queryable,
  { which, account, reason, after, limit }: ReviewFilter,
): Promise<ReviewedOrder[]> {
  const list = LIST[which][reason === undefined ? "any" : "one"];
  const values = [limit, reason ?? null, after ?? null, which === "mine" ? account : null];
  return (await queryable.query<ReviewRow>(list, values)).map((row) => ({
    order: readOrderRow(row),
    inReviewSince: row.in_review_since,
    reviewer:
      row.reviewer_person === null
        ? null
        : {
            person: row.reviewer_person,
            account: row.reviewer_account,
            takenAt: row.reviewer_taken_at,
          },
  }));
}
