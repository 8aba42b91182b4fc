import type { Receipt } from "../../domain/orders/held.ts";
import { awaitsPriceAnswer, mayRelease } from "../../domain/orders/machine.ts";
import { isCovered } from "../../domain/orders/received.ts";
import { isSettled } from "../../domain/orders/status.ts";
import { isLiftedByApprovals } from "../../domain/payouts/wait.ts";
import { pendingJobs } from "../../flows/orders/read-story.ts";
import type { OrderStory } from "../../storage/orders/story.ts";
import { timeWords } from "../times.ts";

/** Returns the automatic next steps, and the actions that an operator can take. `held` is the money that the order holds. */
export function nextWords(story: OrderStory, held: readonly Receipt[]): string[] {
  const { order } = story;
  const command = (verb: string): string => `exchange orders ${verb} --order ${order.id}`;
  return [
    ...byStatus(story, command),
    ...(isSettled(order.status) && held.length > 0 ? [excessWords(command)] : []),
    ...pendingJobs(story).map(jobWords),
    ...story.breaks.map(({ check, problem }) => `The audit found a break: ${check}: ${problem}.`),
  ];
}

function byStatus(story: OrderStory, command: (verb: string) => string): string[] {
  const { order } = story;
  switch (order.status) {
    case "awaiting_payment":
      return [
        `It waits for payment until ${timeWords(order.paymentExpiresAt)}, then it expires.`,
        `To stop it: ${command("cancel")}, or ${command("hold")}.`,
      ];
    case "payment_pending":
      return [
        "A payment is under way. The order continues when it is final.",
        `To stop it: ${command("hold")}.`,
      ];
    case "in_review":
      return reviewWords(story, command);
    case "processing":
      return [
        "The payment is final. The exchange is done next.",
        `To stop it: ${command("hold")}, or ${command("refund")}.`,
      ];
    case "sending":
      return sendingWords(story, command);
    case "refund_pending":
      return [
        "The refund is being sent. The order is refunded when all of it is final.",
        ...waitWords(story),
      ];
    case "completed":
      return [completedWords(story)];
    default:
      return [endWords(order.status)];
  }
}

const ENDS: Readonly<Record<string, string>> = {
  completed: "It is done: what was promised was delivered.",
  failed: "It has failed. No money of the customer is held.",
  expired: "It expired unpaid. If money still arrives, the order goes to review.",
  cancelled: "It was cancelled. If money still arrives, the order goes to review.",
  refunded: "It has ended: all that was received was returned.",
};
const endWords = (status: string): string => ENDS[status] ?? `It is ${status}.`;

const excessWords = (command: (verb: string) => string): string =>
  `It holds money beyond its amount, which is not being returned. To return it: ${command("refund")}.`;

/** A payout of a completed order may be in a block that is not final yet. */
const completedWords = ({ intents }: OrderStory): string =>
  intents.some(({ awaitsFinality }) => awaitsFinality)
    ? "The promised amount was paid. Its block is not final yet: if the chain drops it, the same payout is sent again."
    : endWords("completed");

const REASONS: Readonly<Record<string, string>> = {
  underpaid: "Less arrived than the order is for.",
  overpaid: "More arrived than the order is for.",
  late_payment: "Money arrived after the order had ended.",
  wrong_asset: "An asset arrived that the order is not for.",
  screening_hit: "The screening found a match.",
  rate_moved: "The price moved before the money was final.",
  limit_exceeded: "A limit was exceeded.",
  no_liquidity: "We do not have enough of the currency that the customer receives.",
  delivery_rejected: "The receiving side rejected the payout.",
  provider_error: "A provider failed.",
};

/** The job that returns the money ends without it where a person must help, such as coins without a refund address. */
const deciderWords = ({ order, jobs }: OrderStory): string => {
  if (!awaitsPriceAnswer(order)) return "A person must decide.";
  const until = timeWords(order.paymentExpiresAt);
  return jobs.some(({ kind }) => kind === "end_price_offer")
    ? `Its customer has until ${until} to accept a new price; then the money is returned.`
    : `Its customer had until ${until} to accept a new price, and the money could not be returned by itself. A person must decide.`;
};

function reviewWords(story: OrderStory, command: (verb: string) => string): string[] {
  const { order, attempts } = story;
  const captured = attempts.some(({ status }) => status === "captured");
  const isOpen = mayRelease(order, { covered: isCovered(unitsOf(order)), captured });
  const rest = order.statusReason === "underpaid" ? "The rest may still arrive." : "";
  const outlook = isOpen ? rest : "Its money can only be refunded.";
  const why = [deciderWords(story), REASONS[order.statusReason ?? ""], outlook];
  const refund = `To refund it: ${command("refund")}.`;
  return [
    why.filter((words) => words).join(" "),
    ...waitWords(story),
    isOpen ? `To release it: ${command("release")}. ${refund}` : refund,
    ...(captured ? [] : [`If no money is held: ${command("cancel")}.`]),
  ];
}

const unitsOf = ({ receivedUnits, spend }: OrderStory["order"]) => ({
  receivedUnits: receivedUnits === null ? null : BigInt(receivedUnits),
  spendUnits: BigInt(spend.units),
});

/**
 * Says why payouts and refunds wait, and how people let them go on. An order that waits for approvals goes on by
 * itself with the last.
 */
const waitWords = ({ intents }: OrderStory): string[] =>
  intents.flatMap(({ id, purpose, waitsFor, wait }) => {
    if (waitsFor === null) return [];
    const isApprovable = wait !== null && isLiftedByApprovals(wait.code);
    return [
      `Its ${purpose === "payout" ? "payout" : "refund"} ${id} waits: ${waitsFor}.`,
      ...(isApprovable ? [`To approve it: exchange payouts approve --payout ${id}.`] : []),
    ];
  });

function sendingWords(story: OrderStory, command: (verb: string) => string): string[] {
  const payout = story.intents.find(
    ({ purpose, state }) => purpose === "payout" && state !== "void",
  );
  if (payout === undefined) return [`Its payout is missing. To stop it: ${command("hold")}.`];
  const stops = payout.stops.map((reason) => `Its payout is stopped: ${reason}.`);
  return [
    `Its payout ${payout.id} is ${payout.state}. The order is completed when it is paid.`,
    ...stops,
    ...waitWords(story),
    `See exchange payouts show --payout ${payout.id}. To hold the order: ${command("hold")}.`,
  ];
}

const JOBS: Readonly<Record<string, string>> = {
  authorize_payment: "authorize the card payment",
  capture_payment: "capture the card payment",
  void_payment: "void the card payment",
  watch_payment: "check for incoming money",
  exchange_order: "exchange the payment",
  send_payout: "send the payout",
  follow_payout: "follow the payout until it is final",
  expire_order: "expire the unpaid order",
  end_price_offer: "return the money if the new price has no answer",
};

function jobWords(job: OrderStory["jobs"][number]): string {
  const failed =
    job.attempts === 0
      ? ""
      : ` It failed ${job.attempts} times, last: ${job.lastError ?? "unknown"}.`;
  return `To do: ${JOBS[job.kind] ?? job.kind}, at ${timeWords(job.runAt)}.${failed}`;
}
