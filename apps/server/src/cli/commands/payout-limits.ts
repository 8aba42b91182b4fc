import {
  currencyKey,
  DEFAULT_KEY,
  describeCents,
  type LimitBook,
  type LimitKey,
  limitsOf,
  type PayoutLimits,
  setLimitsOf,
  TOTAL_KEY,
} from "../../domain/payouts/limits.ts";
import type { Deps } from "../../flows/deps.ts";
import {
  readLimitBook,
  setPayoutLimits,
  unsetPayoutLimits,
} from "../../flows/payouts/set-limits.ts";
import { type Command, type CommandInput, UsageError } from "../command.ts";
import { AS, centsOrNone, operatorOf } from "../operator-options.ts";
import { table } from "../table.ts";
import { withFlows } from "../with-flows.ts";

const EURO = (limit: string) => ({
  value: "EURO",
  description: `${limit}, in euro, or none.`,
});

export const payoutsLimits: Command = {
  name: "payouts limits",
  summary: "Show the payout limits, or change some of them.",
  options: {
    currency: {
      value: "REF",
      description: "The limits of this currency. Default: those of each currency without its own.",
    },
    total: { description: "The limits of all currencies together." },
    payout: EURO("The highest value of one payout"),
    hour: EURO("The highest total of an hour"),
    day: EURO("The highest total of a day"),
    "approval-above": EURO("A payout above this value needs the approval of two people"),
    remove: {
      description: "Remove the limits that are set for the currency, the total or the default.",
    },
    as: AS,
  },
  example: "payouts limits --currency btc --payout 5000 --hour 20000 --approval-above 2000",
  run: (context, input) => {
    const key = keyOf(input);
    const changes = changesOf(input);
    if (input.hasFlag("remove") && changes)
      throw new UsageError("--remove cannot be combined with new limits. Use one of them.");
    return withFlows(context, async (deps) => {
      if (input.hasFlag("remove"))
        await unsetPayoutLimits(deps, { ...key, by: operatorOf(context, input) });
      if (changes) await setPayoutLimits(deps, { ...key, changes, by: operatorOf(context, input) });
      return show(deps);
    });
  },
};

function keyOf(input: CommandInput): LimitKey {
  const reference = input.one("currency");
  if (reference !== undefined && input.hasFlag("total")) {
    throw new UsageError("--currency and --total name two different limits. Use one of them.");
  }
  if (reference !== undefined) return currencyKey(reference);
  return input.hasFlag("total") ? TOTAL_KEY : DEFAULT_KEY;
}

const MEMBERS = [
  ["payout", "payoutCents"],
  ["hour", "hourCents"],
  ["day", "dayCents"],
  ["approval-above", "approvalAboveCents"],
] as const;

/** Returns undefined when the call only shows the limits. */
function changesOf(input: CommandInput): Partial<PayoutLimits> | undefined {
  const changes = MEMBERS.flatMap(([option, member]) => {
    const cents = centsOrNone(input, option);
    return cents === undefined ? [] : [[member, cents] as const];
  });
  return changes.length === 0 ? undefined : Object.fromEntries(changes);
}

async function show(deps: Deps) {
  const book = await readLimitBook(deps);
  const own = book.rows.filter(({ kind }) => kind === "currency");
  const shown = [DEFAULT_KEY, TOTAL_KEY, ...own].map((key) => showLimits(book, key));
  const rows = shown.map((one) => [
    one.name,
    one.payout ?? "none",
    one.hour ?? "none",
    one.day ?? "none",
    one.approvalAbove ?? "none",
    one.isSet ? "set" : "built in",
  ]);
  const head = ["FOR", "ONE PAYOUT", "AN HOUR", "A DAY", "APPROVAL ABOVE", "SOURCE"];
  return { json: shown, text: table([head, ...rows]) };
}

const NAMES = { default: "each currency", total: "all together" } as const;

function showLimits(book: LimitBook, key: LimitKey) {
  const limits = limitsOf(book, key);
  const shown = (cents: bigint | null): string | null =>
    cents === null ? null : describeCents(cents);
  return {
    kind: key.kind,
    currency: key.kind === "currency" ? key.subject : null,
    name: key.kind === "currency" ? key.subject : NAMES[key.kind],
    payout: shown(limits.payoutCents),
    hour: shown(limits.hourCents),
    day: shown(limits.dayCents),
    approvalAbove: shown(limits.approvalAboveCents),
    isSet: setLimitsOf(book, key) !== undefined,
  };
}
