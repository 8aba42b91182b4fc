import type { OrderPerson } from "../../domain/customers/personal-data.ts";
import type { Receipt } from "../../domain/orders/held.ts";
import { workWords } from "../../domain/quotes/network-fee.ts";
import type { NetworkFeeEvidence, QuoteEvidence, SideEvidence } from "../../domain/quotes/quote.ts";
import type { OrderNote } from "../../storage/orders/notes.ts";
import type { Reviewer } from "../../storage/orders/reviews.ts";
import type { OrderStory } from "../../storage/orders/story.ts";
import { timeWords } from "../times.ts";
import { type AmountWords, plainNumber } from "./amounts.ts";
import { entryWords } from "./ledger-words.ts";
import { nextWords } from "./next-words.ts";

/** The story of an order with its unsealed personal data and the notes of people. Erased data are empty. */
export type FullOrderStory = Omit<OrderStory, "order"> & {
  readonly notes: readonly OrderNote[];
  readonly reviewer: Reviewer | null;
  readonly order: OrderStory["order"] & Pick<OrderPerson, "customer" | "payoutShown">;
};

/** One part of the story. A part without lines is left out. */
type Part = readonly [title: string, lines: readonly string[]];

/** Returns the story of an order as text, part by part. `held` is the money that the order holds. */
export function storyWords(
  story: FullOrderStory,
  amount: AmountWords,
  held: readonly Receipt[],
): string {
  const parts: readonly Part[] = [
    [headline(story, amount), whoWords(story)],
    ["Price", priceWords(story, amount)],
    ["Timeline", story.timeline.map(timelineWords)],
    ["Notes", story.notes.map(noteWords)],
    ["Card payments", story.attempts.map((one) => attemptWords(one, amount))],
    ["Payment instructions", instructionWords(story, amount)],
    ["Payments received", story.deposits.map((one) => depositWords(one, amount))],
    ["Payouts and refunds", story.intents.flatMap((one) => intentWords(one, amount))],
    ["Ledger", story.entries.flatMap((one) => entryWords(one, amount))],
    ["Webhooks to the merchant", story.events.flatMap(eventWords)],
    ["Next steps", nextWords(story, held)],
  ];
  return parts
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => [title, ...lines.map((line) => `  ${line}`)].join("\n"))
    .join("\n\n");
}

const OPERATIONS: Readonly<Record<string, string>> = {
  buy: "buys",
  sell: "sells, for",
  crypto_to_crypto: "swaps into",
  fiat_to_fiat: "transfers as",
};

function headline({ order }: OrderStory, amount: AmountWords): string {
  const reason = order.statusReason === null ? "" : ` (${order.statusReason.replaceAll("_", " ")})`;
  const held = order.heldFrom === null ? "" : `, held from ${order.heldFrom}`;
  return (
    `Order ${order.id} is ${order.status}${reason}${held}: ` +
    `a customer gives ${amount(order.spend)} and ${OPERATIONS[order.operation] ?? "gets"} ${amount(order.receive)}`
  );
}

function whoWords({ order, reviewer }: FullOrderStory): string[] {
  const { customer } = order;
  const name = [customer.firstName, customer.lastName].filter(Boolean).join(" ");
  const who = [
    name,
    customer.email,
    customer.reference && `reference ${customer.reference}`,
    customer.countryCode,
  ].filter(Boolean);
  const fields = Object.entries(order.payoutShown).map(([field, shown]) => `${field} ${shown}`);
  const to = [
    order.walletAddress && `${order.walletAddress} on ${order.networkCode}`,
    order.memo && `memo ${order.memo}`,
    ...fields,
  ].filter(Boolean);
  return [
    `Merchant ${order.merchantName} (${order.merchantId}), session ${order.sessionId}.`,
    // A line end in a name would begin a line that looks like ours.
    `Customer: ${who.length > 0 ? who.join(", ").replaceAll(/\s+/g, " ") : "unknown"}.`,
    `Paid by ${order.paymentMethod}, delivered by ${order.deliveryMethod} to ${to.join(", ") || "no destination yet"}.`,
    ...(order.refundAddress === null ? [] : [`Refunds go to ${order.refundAddress}.`]),
    ...(order.requestedRefundAddress === null
      ? []
      : [`The customer asks for refunds to ${order.requestedRefundAddress}.`]),
    `Placed ${timeWords(order.createdAt)}.`,
    ...(reviewer === null
      ? []
      : [`${reviewer.person} has taken it from the review queue, ${timeWords(reviewer.takenAt)}.`]),
  ];
}

/** Explains the price: the mid rate, the part of the spread and of each fee, and the rest. */
function priceWords({ order, quote }: OrderStory, amount: AmountWords): string[] {
  const received = (units: string): string => amount({ assetId: order.receive.assetId, units });
  const parts = [quote.transactionFee, quote.deliveryFee, quote.spread, order.receive.units];
  const atMid = parts.reduce((total, units) => total + BigInt(units), 0n);
  const deductions: readonly (readonly [string, string])[] = [
    ["the spread", quote.spread],
    ["the transaction fee", quote.transactionFee],
    ["the delivery fee", quote.deliveryFee],
  ];
  return [
    `Quote ${quote.id} of ${timeWords(quote.createdAt)}, good until ${timeWords(quote.expiresAt)}` +
      (quote.consumedAt === null ? "." : `, accepted ${timeWords(quote.consumedAt)}.`),
    `Mid rate ${plainNumber(quote.midRate)} (${quote.rateSource}): ${amount(order.spend)} would be ${received(String(atMid))}.`,
    ...evidenceWords(quote.evidence),
    ...deductions
      .filter(([, units]) => BigInt(units) !== 0n)
      .map(([name, units]) => `Less ${received(units)} for ${name}.`),
    `So the customer gets ${amount(order.receive)}: a rate of ${plainNumber(quote.rate)} before fees.`,
  ];
}

const PRICE_KINDS: Readonly<Record<SideEvidence["kind"], string>> = {
  unit: "the unit of every price",
  market: "agreed by venues",
  reference: "a daily reference rate",
  peg: "a central bank's peg",
  sandbox: "made up by the sandbox",
};

/** Says where both prices and the network fee came from. */
function evidenceWords(evidence: OrderStory["quote"]["evidence"]): string[] {
  if (evidence === null) return [];
  const { spend, receive, networkFee, rule } = evidence;
  return [
    ...[spend, receive].map(sideWords),
    ...(networkFee ? [feeWords(networkFee)] : []),
    ...(rule ? [ruleWords(rule)] : []),
  ];
}

const ruleWords = ({ reference, changeId }: NonNullable<QuoteEvidence["rule"]>): string =>
  `Spread, fees and limits are of the pricing rule ${reference}, ${changeId === null ? "as the catalogue's files have it" : `as price change ${changeId} has it`}.`;

const FEE_KINDS: Readonly<Record<NetworkFeeEvidence["kind"], string>> = {
  market: "measured",
  fallback: "the fallback of the rails file; last measured",
};

const feeWords = ({ networkCode, amount, coin, ...fee }: NetworkFeeEvidence): string =>
  `Delivery on ${networkCode} was priced at ${amount} ${coin}: ${workWords(fee)} (${FEE_KINDS[fee.kind]} ${timeWords(fee.at)}), one ${coin} at ${fee.dollars} USD.`;

function sideWords({ kind, apartBasisPoints, costBasisPoints, ...side }: SideEvidence): string {
  const from = side.sources.length === 0 ? "" : ` from ${side.sources.join(", ")}`;
  const apart = side.sources.length < 2 ? "" : `, at most ${apartBasisPoints} basis points apart`;
  const cost =
    costBasisPoints === 0
      ? ""
      : `; ${costBasisPoints} basis points for the amount are in the spread`;
  return `One ${side.code} was ${side.dollars} USD${from} (${PRICE_KINDS[kind]}${apart}), ${timeWords(side.at)}${cost}.`;
}

/** A line end in a note would begin a line that looks like ours. */
const noteWords = ({ at, person, merchantId, text }: OrderNote): string =>
  `${timeWords(at)}  ${person}${merchantId === null ? "" : ` of merchant ${merchantId}`}: ${text.replaceAll(/\s+/g, " ")}`;

function timelineWords(one: OrderStory["timeline"][number]): string {
  const reason = one.statusReason === null ? "" : ` (${one.statusReason.replaceAll("_", " ")})`;
  const hits =
    one.screeningHits === null ? "" : `; the screener hit ${one.screeningHits.join(", ")}`;
  return `${timeWords(one.at)}  ${one.status}${reason}, by the ${one.actor}: ${one.note}${hits}`;
}

function attemptWords(one: OrderStory["attempts"][number], amount: AmountWords): string {
  const why = one.declineReason === null ? "" : ` (${one.declineReason.replaceAll("_", " ")})`;
  const checked =
    one.threeDSecure === null
      ? ""
      : `, 3-D Secure ${one.threeDSecure.transStatus} ${one.threeDSecure.flow}`;
  return `${timeWords(one.at)}  ${one.number}. ${one.brand} ending in ${one.lastFour}, ${amount(one)}: ${one.status}${why}${checked}; the processor calls it ${one.id}`;
}

function instructionWords({ instruction }: OrderStory, amount: AmountWords): string[] {
  if (instruction === null) return [];
  const { rail, address, networkCode, memo, reference } = instruction;
  const where =
    rail === "chain"
      ? `${address} on ${networkCode}${memo === null ? "" : `, memo ${memo}`}`
      : `our bank account under the reference ${reference}`;
  return [`${amount(instruction)} to ${where}, shown ${timeWords(instruction.at)}.`];
}

function depositWords(one: OrderStory["deposits"][number], amount: AmountWords): string {
  const needed = one.confirmationsRequired === null ? "" : ` of ${one.confirmationsRequired}`;
  const depth = one.rail === "chain" ? `, ${one.confirmations}${needed} confirmations` : "";
  return `${timeWords(one.at)}  ${amount(one)} by ${one.rail}: ${one.state}${depth}; the rail calls it ${one.externalId}`;
}

const PURPOSES: Readonly<Record<string, string>> = {
  payout: "Payout",
  refund: "Refund",
  excess_refund: "Refund of the excess",
};

const VOID_REASONS: Readonly<Record<string, string>> = {
  failed: "its transaction was mined and moved nothing",
  dead: "another transaction took its place",
};

function intentWords(one: OrderStory["intents"][number], amount: AmountWords): string[] {
  const to = one.address === null ? "" : ` to ${one.address} on ${one.networkCode}`;
  const why = one.voidReason === null ? "" : ` (${VOID_REASONS[one.voidReason] ?? one.voidReason})`;
  const reference =
    one.transactionHash === null ? "" : `; the rail calls it ${one.transactionHash}`;
  const place = one.place === null ? "" : `, place ${one.place} of our wallet`;
  return [
    `${timeWords(one.at)}  ${PURPOSES[one.purpose] ?? one.purpose} of ${amount(one)} by ${one.rail}${to}: ${one.state}${why}${place}${reference}`,
    ...one.approvals.map(({ at, person }) => `    approved by ${person}, ${timeWords(at)}`),
    ...(one.releasedAt === null ? [] : [`    released ${timeWords(one.releasedAt)}`]),
    ...(one.awaitsFinality ? ["    paid in a block that is not final yet"] : []),
    ...one.replacements.map(
      ({ at, transactionHash }) => `    replaced by ${transactionHash}, ${timeWords(at)}`,
    ),
    ...(one.waitsFor === null ? [] : [`    waits: ${one.waitsFor}`]),
    ...one.stops.map((reason) => `    stopped: ${reason}`),
  ];
}

function eventWords(one: OrderStory["events"][number]): string[] {
  const head = `${timeWords(one.at)}  ${one.eventType}`;
  if (one.deliveries.length === 0) return [`${head}: no endpoint subscribed to it`];
  return [
    head,
    ...one.deliveries.flatMap((delivery) => {
      const next =
        delivery.nextAttemptAt === null ? "" : `, next try ${timeWords(delivery.nextAttemptAt)}`;
      return [
        `    to ${delivery.url}: ${delivery.state}${next} (${delivery.id})`,
        ...delivery.attempts.map(
          ({ at, number, status, fault }) =>
            `        ${number}. ${timeWords(at)}: ${status ?? "no answer"}${fault === null ? "" : `, ${fault}`}`,
        ),
      ];
    }),
  ];
}
