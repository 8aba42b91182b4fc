import { ORDER_MOVES, type OrderStatus } from "../../domain/orders/status.ts";
import type { OrderView } from "../../domain/orders/view.ts";
import type { Deps } from "../../flows/deps.ts";
import { readOrder } from "../../flows/orders/read.ts";
import { Refusal } from "../../flows/refusal.ts";
import { findOrder, listNewestOrders } from "../../storage/orders/operator-orders.ts";
import { type Command, type CommandInput, UsageError } from "../command.ts";
import { LIMIT, limitOf, ORDER, orderIdOf } from "../operator-options.ts";
import { amountWords, showOrder, showOrderStory } from "../order-words.ts";
import { fields, table } from "../table.ts";
import { withFlows } from "../with-flows.ts";

const STATUSES = Object.keys(ORDER_MOVES) as OrderStatus[];

export const ordersList: Command = {
  name: "orders list",
  summary: "List the newest orders of all merchants or of one.",
  options: {
    client: { value: "ID", description: "A merchant's client id. Default: all merchants." },
    status: { value: "STATUS", description: `One of ${STATUSES.join(", ")}.` },
    limit: LIMIT,
  },
  example: "orders list --status in_review",
  run: (context, input) => {
    const filter = {
      merchantId: input.one("client"),
      status: statusOf(input),
      limit: limitOf(input),
    };
    return withFlows(context, async ({ database, catalogue }) => {
      const orders = await listNewestOrders(database, filter);
      const shown = orders.map((order) => showOrder(order, catalogue()));
      const rows = shown.map((one) => [
        String(one.orderId),
        one.status,
        one.statusReason ?? "",
        one.clientId,
        amountWords(one.spend),
        amountWords(one.receive),
        one.createdAt,
      ]);
      const head = ["ORDER", "STATUS", "REASON", "CLIENT ID", "SPENDS", "RECEIVES", "PLACED"];
      return { json: shown, text: table([head, ...rows]) };
    });
  },
};

function statusOf(input: CommandInput): OrderStatus | undefined {
  const text = input.one("status");
  if (text === undefined) return undefined;
  const status = STATUSES.find((candidate) => candidate === text);
  if (status !== undefined) return status;
  throw new UsageError(`"${text}" is not an order status. Use one of ${STATUSES.join(", ")}.`);
}

export const ordersShow: Command = {
  name: "orders show",
  summary: "Show an order: its payments, its payouts and its timeline.",
  options: { order: ORDER },
  argument: "order",
  example: "orders show --order 1000123456789",
  run: (context, input) => {
    const orderId = orderIdOf(input);
    return withFlows(context, async (deps) => {
      const view = await requireView(deps, orderId);
      const story = showOrderStory(view, deps);
      return { json: story, text: describe(story) };
    });
  },
};

/** Reads an order of any merchant. Refuses NOT_FOUND. */
export async function requireView(
  deps: Pick<Deps, "database">,
  orderId: bigint,
): Promise<OrderView> {
  const order = await findOrder(deps.database, orderId);
  if (!order) throw new Refusal("NOT_FOUND", { message: `There is no order ${orderId}.` });
  return readOrder(deps, { merchantId: order.merchantId, orderId });
}

function describe(story: ReturnType<typeof showOrderStory>): string {
  const held = story.heldFrom === null ? "" : `, held while ${story.heldFrom}`;
  const reason = story.statusReason === null ? "" : ` (${story.statusReason})`;
  const head = fields({
    Order: String(story.orderId),
    Status: `${story.status}${reason}${held}`,
    "Client id": story.clientId,
    Session: story.sessionId,
    Operation: story.operation,
    Spends: `${amountWords(story.spend)} by ${story.paymentMethod ?? "?"}`,
    Receives: `${amountWords(story.receive)} by ${story.deliveryMethod ?? "?"}`,
    Received: story.received === null ? "nothing yet" : amountWords(story.received),
    To: destinationOf(story),
    "Refund to": withMemo(story.refundAddress, story.refundMemo),
    "Refund requested to": withMemo(story.requestedRefundAddress, story.requestedRefundMemo),
  });
  const deposits = story.deposits.map((one) => [one.state, amountWords(one.amount), one.reference]);
  const payouts = [story.payout, ...story.refunds].flatMap((one) =>
    one === null
      ? []
      : [
          [
            one.payoutId,
            one.purpose,
            one.state,
            amountWords(one.amount),
            one.transactionHash ?? "",
          ],
        ],
  );
  const timeline = story.timeline.map((item) => [item.at, item.status, item.actor, noteOf(item)]);
  return [
    head,
    ...(deposits.length > 0 ? [table([["DEPOSIT", "AMOUNT", "REFERENCE"], ...deposits])] : []),
    ...(payouts.length > 0
      ? [table([["PAYOUT", "PURPOSE", "STATE", "AMOUNT", "TRANSACTION"], ...payouts])]
      : []),
    table([["AT", "STATUS", "BY", "WHAT HAPPENED"], ...timeline]),
  ].join("\n\n");
}

const withMemo = (address: string | null, memo: string | null): string =>
  address === null ? "" : `${address}${memo === null ? "" : ` memo ${memo}`}`;

/** The note with the subjects that the screener hit, which only operators read. */
const noteOf = ({ note, screeningHits }: ReturnType<typeof showOrderStory>["timeline"][number]) =>
  screeningHits === null ? note : `${note} (${screeningHits.join(", ")})`;

function destinationOf(story: ReturnType<typeof showOrderStory>): string {
  if (story.walletAddress !== null) return story.walletAddress;
  return Object.values(story.payoutFields).join(", ");
}
