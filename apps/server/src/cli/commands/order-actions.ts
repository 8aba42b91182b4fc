import { parseDecimal } from "@exchange/money";
import type { Operator } from "../../domain/operators/operator.ts";
import type { HoldReason } from "../../domain/orders/status.ts";
import type { OrderView } from "../../domain/orders/view.ts";
import type { Deps } from "../../flows/deps.ts";
import { approveRefundAddress } from "../../flows/orders/approve-refund-address.ts";
import { cancelOrder } from "../../flows/orders/cancel.ts";
import { holdOrder } from "../../flows/orders/hold.ts";
import { noteOrder } from "../../flows/orders/note.ts";
import type { OrderKey } from "../../flows/orders/read.ts";
import { refundOrder } from "../../flows/orders/refund.ts";
import { releaseOrder } from "../../flows/orders/release.ts";
import { revokePage } from "../../flows/orders/revoke-page.ts";
import { Refusal, type RefusalDetail } from "../../flows/refusal.ts";
import {
  type Command,
  type CommandContext,
  type CommandInput,
  type CommandOption,
  type CommandResult,
  UsageError,
} from "../command.ts";
import { AS, ORDER, operatorOf, orderIdOf } from "../operator-options.ts";
import { showOrder } from "../order-words.ts";
import { withDatabase } from "../with-database.ts";
import { withFlows } from "../with-flows.ts";
import { requireView, withMemo } from "./orders.ts";

const HOLD_REASONS: readonly HoldReason[] = [
  "screening_hit",
  "limit_exceeded",
  "no_liquidity",
  "provider_error",
];

export const ordersHold: Command = {
  name: "orders hold",
  summary: "Hold an order for review before its payout is sent.",
  options: {
    order: ORDER,
    reason: {
      value: "REASON",
      required: true,
      description: `The reason. The merchant reads screening_hit as compliance. One of ${HOLD_REASONS.join(", ")}.`,
    },
    as: AS,
  },
  argument: "order",
  example: "orders hold --order 1000123456789 --reason screening_hit",
  run: (context, input) => {
    const text = input.required("reason");
    const holdReason = HOLD_REASONS.find((candidate) => candidate === text);
    if (!holdReason) {
      throw new UsageError(
        `"${text}" is not a reason to hold an order. Use one of ${HOLD_REASONS.join(", ")}.`,
      );
    }
    return act(context, input, (deps, command) => holdOrder(deps, { ...command, holdReason }));
  },
};

export const ordersRelease: Command = {
  name: "orders release",
  summary:
    "Release an order from review. With its whole amount it goes on. With a part the customer may pay the rest.",
  options: { order: ORDER, as: AS },
  argument: "order",
  example: "orders release --order 1000123456789",
  run: (context, input) => act(context, input, releaseOrder),
};

const MEMO: CommandOption = {
  value: "MEMO",
  description: "The address's memo or tag, if it needs one.",
};

const WITHOUT_MEMO: CommandOption = {
  description: "The address needs no memo or tag.",
};

export const ordersRefund: Command = {
  name: "orders refund",
  summary: "Refund the amount received for an order, or a part of it.",
  options: {
    order: ORDER,
    amount: {
      value: "AMOUNT",
      description: "The amount in the currency spent. Default: everything that can be refunded.",
    },
    address: {
      value: "ADDRESS",
      description: "The refund address for coins, if the order has none.",
    },
    memo: MEMO,
    "without-memo": WITHOUT_MEMO,
    as: AS,
  },
  argument: "order",
  example: "orders refund --order 1000123456789 --amount 25.50",
  run: (context, input) => {
    const text = input.one("amount");
    const amount = text === undefined ? undefined : parseDecimal(text);
    if (text !== undefined && (!amount || amount.units <= 0n)) {
      throw new UsageError(`--amount must be an amount above zero such as 25.50, not "${text}".`);
    }
    const [refundAddress, refundMemo] = [input.one("address"), input.one("memo")];
    const withoutMemo = input.hasFlag("without-memo") ? { refundWithoutMemo: true as const } : {};
    const to = { refundAddress, refundMemo, ...withoutMemo };
    return act(context, input, (deps, command) =>
      refundOrder(deps, { ...command, ...to, by: "operator", amount }).catch(inOptions),
    );
  },
};

/** The flow names the fields of the API. At the command line they are options. */
function inOptions(error: unknown): never {
  const isMissing = ({ field, issue }: RefusalDetail) =>
    field === "refundAddress" && issue === "is missing";
  if (!(error instanceof Refusal && error.details?.some(isMissing))) throw error;
  throw new Refusal(error.code, {
    message:
      "This order has no refund address. Give one: --address ADDRESS, with --memo or --without-memo where the network has memos.",
    details: error.details,
  });
}

export const ordersApproveAddress: Command = {
  name: "orders approve-address",
  summary:
    "Approve a new refund address that an order's customer requested. The second person's approval puts it into force.",
  options: {
    order: ORDER,
    address: {
      value: "ADDRESS",
      required: true,
      description: "The address that the customer confirmed to you. It must be the requested one.",
    },
    memo: MEMO,
    "without-memo": WITHOUT_MEMO,
    as: AS,
  },
  argument: "order",
  example:
    "orders approve-address --order 1000123456789 --address 0x52908400098527886E0F7030069857D2E4169EE7",
  run: (context, input) => {
    const [refundAddress, memo] = [input.required("address"), input.one("memo")];
    const to = {
      refundAddress,
      ...(memo === undefined ? {} : { refundMemo: memo }),
      ...(input.hasFlag("without-memo") ? { refundWithoutMemo: true as const } : {}),
    };
    const orderId = orderIdOf(input);
    return withFlows(context, async (deps) => {
      const operator = operatorOf(context, input);
      const { order } = await requireView(deps, orderId);
      const command = { merchantId: order.merchantId, orderId, operator, to };
      const { view, approvalsMissing } = await approveRefundAddress(deps, command);
      return {
        json: { ...showOrder(view.order, deps.catalogue()), approvalsMissing },
        text:
          approvalsMissing === 0
            ? `Refunds of order ${orderId} go to ${withMemo(view.order.refundAddress, view.order.refundMemo)}.`
            : "Your approval is recorded. Another person must approve the address, from their own account.",
      };
    });
  },
};

export const ordersCancel: Command = {
  name: "orders cancel",
  summary: "Cancel an order before its payment is final.",
  options: { order: ORDER, as: AS },
  argument: "order",
  example: "orders cancel --order 1000123456789",
  run: (context, input) =>
    act(context, input, (deps, command) => cancelOrder(deps, { ...command, by: "operator" })),
};

export const ordersRevokeLink: Command = {
  name: "orders revoke-link",
  summary: "Revoke the link to an order's own page. It stops working at once; the order continues.",
  options: { order: ORDER, as: AS },
  argument: "order",
  example: "orders revoke-link --order 1000123456789",
  run: (context, input) => {
    const orderId = orderIdOf(input);
    return withDatabase(context, async (deps) => {
      const operator = operatorOf(context, input);
      const { order } = await requireView(deps, orderId);
      await revokePage(deps, { merchantId: order.merchantId, orderId, operator });
      return {
        json: { orderId: Number(orderId), revoked: true },
        text: `The link to order ${orderId} is revoked. The order goes on.`,
      };
    });
  },
};

export const ordersNote: Command = {
  name: "orders note",
  summary: "Write a note on an order. It stays in the log with your name, and the story shows it.",
  options: {
    order: ORDER,
    text: {
      value: "TEXT",
      required: true,
      description: "The note. Write nothing about the customer that has to be erased one day.",
    },
    as: AS,
  },
  argument: "order",
  secondArgument: "text",
  example: 'orders note 1000123456789 "the bank confirmed the payment" --as anna',
  run: (context, input) => {
    const orderId = orderIdOf(input);
    return withDatabase(context, async (deps) => {
      await requireView(deps, orderId);
      const note = input.required("text");
      await noteOrder(deps, { orderId, note, by: operatorOf(context, input) });
      return {
        json: { orderId: Number(orderId), noted: true },
        text: `Noted. exchange orders explain ${orderId} shows it.`,
      };
    });
  },
};

type OrderAction = (
  deps: Deps,
  command: OrderKey & { readonly operator: Operator },
) => Promise<OrderView>;

/** Runs the action. Its flow logs the operator in the database transaction that changes the order. */
function act(
  context: CommandContext,
  input: CommandInput,
  run: OrderAction,
): Promise<CommandResult> {
  const orderId = orderIdOf(input);
  return withFlows(context, async (deps) => {
    const operator = operatorOf(context, input);
    const { order } = await requireView(deps, orderId);
    const view = await run(deps, { merchantId: order.merchantId, orderId, operator });
    const json = showOrder(view.order, deps.catalogue());
    return { json, text: `Order ${orderId} is ${view.order.status}.` };
  });
}
