import type { OrderStory } from "../../storage/audit/story.ts";
import { timeWords } from "./amounts.ts";

/** What happens next by itself, and what an operator can do. */
export function nextWords(story: OrderStory): string[] {
  const { order } = story;
  const command = (verb: string): string => `npx exchange orders ${verb} --order ${order.id}`;
  return [
    ...byStatus(story, command),
    ...story.jobs.map(jobWords),
    ...story.breaks.map(({ check, problem }) => `The audit found a break: ${check}: ${problem}.`),
  ];
}

function byStatus(story: OrderStory, command: (verb: string) => string): string[] {
  const { order } = story;
  switch (order.status) {
    case "awaiting_payment":
      return [
        `It waits to be paid until ${timeWords(order.paymentExpiresAt)} and expires then.`,
        `To stop it: ${command("cancel")}, or ${command("hold")}.`,
      ];
    case "payment_pending":
      return [
        "A payment is under way; when it is final the order goes on by itself.",
        `To stop it: ${command("hold")}.`,
      ];
    case "in_review":
      return reviewWords(story, command);
    case "processing":
      return [
        "The payment is final; the exchange is done next.",
        `To stop it: ${command("hold")}, or ${command("refund")}.`,
      ];
    case "sending":
      return sendingWords(story, command);
    case "refund_pending":
      return ["The refund is being sent; when all of it is final the order is refunded."];
    default:
      return [endWords(order.status)];
  }
}

const ENDS: Readonly<Record<string, string>> = {
  completed: "It is done: what was promised was delivered.",
  failed: "It has ended; no money of the customer is held.",
  expired: "It has ended unpaid. Money that still arrives brings it back for a person to decide.",
  cancelled: "It was cancelled. Money that still arrives brings it back for a person to decide.",
  refunded: "It has ended: all that was received was returned.",
};
const endWords = (status: string): string => ENDS[status] ?? `It is ${status}.`;

const REASONS: Readonly<Record<string, string>> = {
  underpaid: "Less arrived than the order is for; the rest may still come.",
  overpaid: "More arrived than the order is for.",
  late_payment: "Money arrived after the order had ended.",
  wrong_asset: "Another asset arrived than the order is for.",
  screening_hit: "The screening found something.",
  limit_exceeded: "A limit was exceeded.",
  no_liquidity: "We have not enough of what the customer is to get.",
  delivery_rejected: "What was sent was rejected on the other side.",
  provider_error: "A provider did not do what it should.",
};

const reviewWords = ({ order }: OrderStory, command: (verb: string) => string): string[] => [
  `A person must decide. ${REASONS[order.statusReason ?? ""] ?? ""}`.trim(),
  `To let it go on: ${command("release")}. To give the money back: ${command("refund")}.`,
  `Where no money is held: ${command("cancel")}.`,
];

function sendingWords(story: OrderStory, command: (verb: string) => string): string[] {
  const payout = story.intents.find(
    ({ purpose, state }) => purpose === "payout" && state !== "void",
  );
  if (payout === undefined) return [`Its payout is missing. To stop it: ${command("hold")}.`];
  const stops = payout.stops.map((reason) => `Its payout is stopped: ${reason}.`);
  const waits = payout.waitsFor === null ? [] : [`Its payout waits: ${payout.waitsFor}.`];
  return [
    `Its payout ${payout.id} is ${payout.state}; when it is final the order is completed.`,
    ...stops,
    ...waits,
    `See npx exchange payouts show --id ${payout.id}. To hold the order: ${command("hold")}.`,
  ];
}

const JOBS: Readonly<Record<string, string>> = {
  authorize_payment: "ask the card processor",
  capture_payment: "take the card payment",
  void_payment: "let the card payment go",
  watch_payment: "look whether money arrived",
  exchange_order: "exchange what was paid",
  send_payout: "send what is owed",
  expire_order: "end the payment window",
};

function jobWords(job: OrderStory["jobs"][number]): string {
  const failed =
    job.attempts === 0
      ? ""
      : ` It failed ${job.attempts} times, last: ${job.lastError ?? "unknown"}.`;
  return `To do: ${JOBS[job.kind] ?? job.kind}, at ${timeWords(job.runAt)}.${failed}`;
}
