import { OPERATIONS, type Operation } from "../../domain/catalogue/operation.ts";
import { ORDER_MOVES, type OrderStatus } from "../../domain/orders/status.ts";
import type { OrderView } from "../../domain/orders/view.ts";
import type { Deps } from "../../flows/deps.ts";
import { findOrders } from "../../flows/orders/find.ts";
import { readOrder } from "../../flows/orders/read.ts";
import { Refusal } from "../../flows/refusal.ts";
import { listNewestOrders } from "../../storage/orders/operator-orders.ts";
import { findOrder } from "../../storage/orders/orders.ts";
import { type Command, type CommandInput, UsageError } from "../command.ts";
import {
  ANY_CLIENT,
  LIMIT,
  limitOf,
  ORDER,
  orderIdOf,
  requireClient,
} from "../operator-options.ts";
import { amountWords, showOrder, showOrderStory } from "../order-words.ts";
import { fields, listing, table } from "../table.ts";
import { ageOf, ageWords, DAY_MS, optionalDay, startOfDay } from "../times.ts";
import { withFlows } from "../with-flows.ts";

const SEARCHED =
  "the id of an order, quote, payment or payout; a session; the customer's e-mail or reference; a bank reference; an address; a transaction; the last four digits of a card";

const STATUSES = Object.keys(ORDER_MOVES) as OrderStatus[];

const SHOWN_COLUMNS = ["ORDER", "STATUS", "REASON", "UNCHANGED", "CLIENT ID", "SPENDS", "RECEIVES"];

export const ordersList: Command = {
  name: "orders list",
  summary: "List the newest orders of all merchants or of one.",
  options: {
    client: ANY_CLIENT,
    status: { value: "STATUS", description: `One of ${STATUSES.join(", ")}.` },
    operation: {
      value: "OPERATION",
      description: `One of ${OPERATIONS.join(", ")}.`,
    },
    from: { value: "DAY", description: "Placed on this UTC day or later, such as 2026-01-01." },
    to: { value: "DAY", description: "Placed on this UTC day or earlier." },
    "older-than": {
      value: "TIME",
      description: "Not changed for this long, such as 30m, 2h or 3d.",
    },
    limit: LIMIT,
  },
  example: "orders list --status in_review --older-than 4h",
  run: (context, input) => {
    const fromDay = optionalDay(input, "from");
    const toDay = optionalDay(input, "to");
    if (fromDay !== undefined && toDay !== undefined && fromDay > toDay)
      throw new UsageError("--from is after --to. Write the earlier day first.");
    const filter = {
      merchantId: input.one("client"),
      status: statusOf(input),
      operation: operationOf(input),
      from: fromDay === undefined ? undefined : startOfDay(fromDay),
      before: toDay === undefined ? undefined : new Date(startOfDay(toDay).getTime() + DAY_MS),
      limit: limitOf(input),
    };
    const ageMs = ageOf(input, "older-than");
    return withFlows(context, async ({ database, catalogue, clock }) => {
      await requireClient(database, input);
      const now = clock.now();
      const unchangedSince = ageMs === undefined ? undefined : new Date(now.getTime() - ageMs);
      const orders = await listNewestOrders(database, { ...filter, unchangedSince });
      const shown = orders.map((order) => showOrder(order, catalogue()));
      const rows = shown.map((one) => [...cellsOf(one, now), one.createdAt]);
      return {
        json: shown,
        text: listing([...SHOWN_COLUMNS, "PLACED"], rows, "No order matches."),
      };
    });
  },
};

export const ordersFind: Command = {
  name: "orders find",
  summary:
    "Find orders by an id, session, e-mail, reference, address, transaction or a card's last digits.",
  options: {
    text: {
      value: "TEXT",
      required: true,
      description: `${SEARCHED.replace("the", "The")}.`,
    },
  },
  argument: "text",
  example: "orders find ada@example.com",
  run: (context, input) => {
    const text = input.required("text").trim();
    return withFlows(context, async (deps) => {
      const matches = await findOrders(deps, {
        ...{ text, merchantId: null, matchesCustomers: true },
      });
      const shown = matches.map(({ order, foundBy }) => ({
        ...showOrder(order, deps.catalogue()),
        foundBy,
      }));
      const now = deps.clock.now();
      const rows = shown.map((one) => [...cellsOf(one, now), one.foundBy.join(", ")]);
      const empty = [
        `No order has "${text}".`,
        `Search for the whole of one of these: ${SEARCHED}.`,
        "Without any of these: exchange orders list --from DAY --status STATUS --client ID.",
      ].join("\n");
      return {
        json: shown,
        text: listing([...SHOWN_COLUMNS, "FOUND BY"], rows, empty),
        ok: shown.length > 0,
      };
    });
  },
};

const cellsOf = (one: ReturnType<typeof showOrder>, now: Date): string[] => [
  String(one.orderId),
  one.status,
  one.statusReason ?? "",
  ageWords(now.getTime() - Date.parse(one.updatedAt)),
  one.clientId,
  amountWords(one.spend),
  amountWords(one.receive),
];

function operationOf(input: CommandInput): Operation | undefined {
  const text = input.one("operation");
  const operation = OPERATIONS.find((candidate) => candidate === text);
  if (text === undefined || operation !== undefined) return operation;
  throw new UsageError(`"${text}" is not an operation. Use one of ${OPERATIONS.join(", ")}.`);
}

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

export const withMemo = (address: string | null, memo: string | null): string =>
  address === null ? "" : `${address}${memo === null ? "" : ` memo ${memo}`}`;

/** The note with the subjects that the screener hit, which only operators read. */
const noteOf = ({ note, screeningHits }: ReturnType<typeof showOrderStory>["timeline"][number]) =>
  screeningHits === null ? note : `${note} (${screeningHits.join(", ")})`;

function destinationOf(story: ReturnType<typeof showOrderStory>): string {
  if (story.walletAddress !== null) return story.walletAddress;
  return Object.values(story.payoutFields).join(", ");
}
