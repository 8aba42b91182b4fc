import {
  currencyKey,
  DEFAULT_KEY,
  describeCents,
  type LimitBook,
  type LimitKey,
  limitsOf,
  type PayoutLimits,
  TOTAL_KEY,
} from "../../domain/payouts/limits.ts";
import type { Deps } from "../../flows/deps.ts";
import {
  readLimitBook,
  setPayoutLimits,
  unsetPayoutLimits,
} from "../../flows/payouts/set-limits.ts";
import { UsageError } from "../arguments.ts";
import type { Command, CommandInput } from "../command.ts";
import { AS, centsOrNone, personOf } from "../operator-options.ts";
import { table } from "../table.ts";
import { withFlows } from "../with-flows.ts";

const EURO = (what: string) => ({
  value: "EURO",
  description: `${what}, in euro, or none.`,
});

export const payoutsLimits: Command = {
  name: "payouts limits",
  summary: "Show the limits of payouts, or change some of them.",
  options: {
    currency: {
      value: "REF",
      description: "A currency's own limits; when left out, those of each currency that has none.",
    },
    total: { description: "The limits of all currencies together." },
    payout: EURO("The most one payout may be worth"),
    hour: EURO("The most that may go out in an hour"),
    day: EURO("The most that may go out in a day"),
    "approval-above": EURO("Above it two people have to approve a payout"),
    remove: { description: "Take the currency's, the total's or the default's own limits away." },
    as: AS,
  },
  example: "payouts limits --currency btc --payout 5000 --hour 20000 --approval-above 2000",
  run: (context, input) => {
    const key = keyOf(input);
    const changes = changesOf(input);
    if (input.has("remove") && changes) throw new UsageError("--remove takes no other limits.");
    return withFlows(context, async (deps) => {
      if (input.has("remove")) await unsetPayoutLimits(deps, { ...key, person: personOf(input) });
      if (changes) await setPayoutLimits(deps, { ...key, changes, person: personOf(input) });
      return show(deps);
    });
  },
};

function keyOf(input: CommandInput): LimitKey {
  const reference = input.one("currency");
  if (reference !== undefined && input.has("total")) {
    throw new UsageError("--currency and --total are two different limits.");
  }
  if (reference !== undefined) return currencyKey(reference);
  return input.has("total") ? TOTAL_KEY : DEFAULT_KEY;
}

const MEMBERS = [
  ["payout", "payoutCents"],
  ["hour", "hourCents"],
  ["day", "dayCents"],
  ["approval-above", "approvalAboveCents"],
] as const;

/** Undefined when nothing is to change. */
function changesOf(input: CommandInput): Partial<PayoutLimits> | undefined {
  const given = MEMBERS.flatMap(([option, member]) => {
    const cents = centsOrNone(input, option);
    return cents === undefined ? [] : [[member, cents] as const];
  });
  return given.length === 0 ? undefined : Object.fromEntries(given);
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
    one.isSet ? "" : "built in",
  ]);
  const head = ["FOR", "ONE PAYOUT", "AN HOUR", "A DAY", "APPROVAL ABOVE", ""];
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
    isSet: book.rows.some((row) => row.kind === key.kind && row.subject === key.subject),
  };
}
