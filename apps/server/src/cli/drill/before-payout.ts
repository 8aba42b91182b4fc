import type { Currency } from "../../domain/catalogue/currency.ts";
import { describeCents, limitsOf } from "../../domain/payouts/limits.ts";
import { describeStop } from "../../domain/payouts/stop.ts";
import { readLimitBook } from "../../flows/payouts/set-limits.ts";
import { readLiveRails } from "../../start/rails/open-chains.ts";
import { listMerchants } from "../../storage/merchants/merchants.ts";
import { timeWords } from "../times.ts";
import { worthOf } from "./check-float.ts";
import { type DrillFacts, railOf, wordsFor } from "./facts.ts";
import { blocked, done, next, type Outcome, waiting } from "./step.ts";

/** Stops are a step of their own, so that the drill's stop is not a fault. */
const STOPS_CHECK = "payouts";

export function checkReady({ findings, otherStops }: DrillFacts): Outcome {
  const bad = findings.filter(({ ok, check }) => !ok && check !== STOPS_CHECK);
  if (bad.length > 0) {
    const words = bad.map(({ check, found }) => `${check}: ${found}`);
    const fixes = bad.flatMap(({ fix }) => fix ?? []);
    return blocked(words.join("; "), ...fixes, "exchange doctor");
  }
  if (otherStops.length > 0) {
    const words = otherStops.map((stop) => `${describeStop(stop)} is stopped: ${stop.reason}`);
    return blocked(words.join("; "), "Find the cause, then resume:", "exchange payouts stops");
  }
  return done(`${findings.length} checks of exchange doctor passed`);
}

/** The most that one payout and an hour of payouts may be, in euro cents. The default in `prod` is 200 times as much. */
const PAYOUT_CENTS_MAX = 100_00n;
const HOUR_CENTS_MAX = 500_00n;

export async function checkLimits(facts: DrillFacts): Promise<Outcome> {
  const { deps, code, payout } = facts;
  const euroCents = payout?.intent.releasedAt ? payout.intent.euroCents : undefined;
  if (euroCents !== undefined) {
    const value = describeCents(euroCents);
    if (euroCents <= PAYOUT_CENTS_MAX) return done(`the first payout counted as ${value}`);
    return blocked(`the first payout counted as ${value}, which is not a small one`);
  }
  const book = await readLimitBook(deps);
  const loose = deps
    .catalogue()
    .currencies.filter(({ networkCode, enabled }) => networkCode === code && enabled)
    .filter(({ reference }) => {
      const limits = limitsOf(book, { kind: "currency", subject: reference });
      const isAbove = (cents: bigint | null, max: bigint) => cents === null || cents > max;
      return (
        isAbove(limits.payoutCents, PAYOUT_CENTS_MAX) || isAbove(limits.hourCents, HOUR_CENTS_MAX)
      );
    });
  const most = `${describeCents(PAYOUT_CENTS_MAX)} for a payout and ${describeCents(HOUR_CENTS_MAX)} for an hour`;
  if (loose.length === 0) return done(`each coin has at most ${most}`);
  const coins = loose.map(({ reference }) => reference).join(", ");
  return next(
    `these coins have higher limits than ${most}: ${coins}`,
    "Set low limits for every currency:",
    "exchange payouts limits --payout 50 --hour 200 --day 500 --approval-above 50 --as anna",
    "A coin with limits of its own needs --currency REF too. The signer's policy has limits beside these.",
  );
}

export function checkStop({ code, stop, chosen }: DrillFacts): Outcome {
  if (chosen?.release.how === "held") {
    const { window } = chosen.release;
    return done(`${window.stoppedBy} stopped them at ${window.from.toISOString()}`);
  }
  if (stop !== undefined) return done(`stopped by ${stop.setBy}: ${stop.reason}`);
  return next(
    `payouts on ${code} are not stopped, so the first one would leave unseen`,
    "Stop them. You resume them later with another person:",
    `exchange payouts stop --rail ${railOf(code)} --reason "first payout" --as anna`,
  );
}

export async function checkOrder(facts: DrillFacts): Promise<Outcome> {
  const { deps, code, view, unfit } = facts;
  if (view !== undefined) {
    const { order } = view;
    const spend = wordsFor(facts, order.spendAssetId, order.spendUnits);
    const receive = wordsFor(facts, order.receiveAssetId, order.receiveUnits);
    return done(`order ${order.id}: ${spend} for ${receive}, of ${order.merchantId}`);
  }
  const merchants = await listMerchants(deps.database);
  const own = currencyOf(facts, (one) => one.networkCode === code && one.contractAddress === null);
  const spent = spendable(facts, own);
  return next(
    describeNoOrder(facts, unfit),
    ...(merchants.length === 0 ? ['exchange merchant create --name "First payout"'] : []),
    "Place a small order to a wallet of yours. Set EXCHANGE_CLIENT_ID and EXCHANGE_API_KEY of the merchant, and EXCHANGE_URL with the service's address:",
    `exchange drill place-order --spend ${spent?.reference ?? "COIN"} --receive ${own?.reference} --amount ${spent ? worthOf(spent, ORDER_EURO) : "AMOUNT"} --to ADDRESS --refund-to REFUND_ADDRESS`,
    "Any pair that your rails support will do. A card or bank needs its provider, which prod does not have yet.",
  );
}

/** The value of the drill's order in euro, at the catalogue's stable rate. */
const ORDER_EURO = 20n;

const currencyOf = ({ deps }: DrillFacts, isIt: (one: Currency) => boolean): Currency | undefined =>
  deps.catalogue().currencies.find((one) => one.enabled && isIt(one));

/** Returns a coin that a customer may pay with. */
const spendableOf = (facts: DrillFacts, isIt: (one: Currency) => boolean) =>
  currencyOf(facts, (one) => !one.isPaidOutOnly && isIt(one));

/** Returns a coin that the customer may spend: of the same network, or else a token or a coin of another live one. */
function spendable(facts: DrillFacts, own: Currency | undefined): Currency | undefined {
  const { code, config, deps } = facts;
  const { chains = {} } = readLiveRails(config, deps);
  const isLive = ({ networkCode }: Currency) => Object.hasOwn(chains, networkCode ?? "");
  return (
    spendableOf(facts, (one) => one.networkCode === code && one.id !== own?.id) ??
    spendableOf(
      facts,
      (one) => isLive(one) && one.id !== own?.id && one.contractAddress !== null,
    ) ??
    spendableOf(facts, (one) => isLive(one) && one.id !== own?.id)
  );
}

function describeNoOrder({ code }: DrillFacts, unfit: DrillFacts["unfit"]): string {
  if (unfit === undefined) return `no order is delivered on ${code} yet`;
  const { order, release } = unfit;
  if (release.how === "alone") {
    return `order ${order.orderId} does not count: ${release.window.stoppedBy} stopped and resumed it alone`;
  }
  return `order ${order.orderId} does not count: no stop held its payout`;
}

export function checkPaid(facts: DrillFacts): Outcome {
  const { view, payout } = facts;
  if (view === undefined) return { state: "later", found: "there is no order yet" };
  const { order, deposits, instruction } = view;
  const explain = `exchange orders explain ${order.id}`;
  if (payout !== undefined) {
    const last = deposits.at(-1);
    if (last === undefined) return done("paid");
    return done(`${wordsFor(facts, last.assetId, last.units)}, ${last.state}`);
  }
  switch (order.status) {
    case "awaiting_payment": {
      const address = instruction?.address;
      if (!address) return next("the order is not paid", `Pay it. Its page says how: ${explain}`);
      return next(
        `the order waits for its coins until ${timeWords(order.paymentExpiresAt)}`,
        `Pay exactly ${wordsFor(facts, order.spendAssetId, order.spendUnits)} to ${address}`,
      );
    }
    case "in_review":
      return blocked(`the order waits in review: ${order.statusReason}`, explain);
    default: {
      const seen = deposits.map(
        ({ confirmations, confirmationsRequired, state }) =>
          `${state}, ${confirmations} of ${confirmationsRequired ?? "?"} blocks`,
      );
      return waiting(`the order is ${order.status}: ${seen.join("; ") || "no deposit yet"}`);
    }
  }
}
