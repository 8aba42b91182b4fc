import type { Decimal } from "@exchange/money";
import type { MarketSide, PriceEvidence } from "../../domain/ports/rate-source.ts";
import { type Agreement, agree, checkJump, type Memory, type Rules } from "./agree.ts";
import { type BookCosts, costAt, ladderOf } from "./depth.ts";
import { basisPointsApart, quotient } from "./exact.ts";
import { COIN_PEGS, guardPeg, OFFICIAL_PEGS } from "./pegs.ts";
import type { PolledVenue } from "./poll-venue.ts";
import {
  ageInDays,
  ageMarkup,
  closedMarketBasisPoints,
  isTargetDay,
  type ReferenceTable,
} from "./reference.ts";
import { ANCHORS, pricedCode, pricedCodes, venuePrices } from "./views.ts";

/** A currency's price, or why it has none. */
export type Entry = PricedEntry | { readonly refusal: string };

export interface PricedEntry {
  readonly price: Decimal;
  readonly evidence: PriceEvidence;
  readonly cost: (side: MarketSide, dollars: Decimal) => number | undefined;
  /** Says which sources were left out, or that a coin is off its peg. */
  readonly warning?: string;
  /** Says how far a coin is off its peg, when that is far. */
  readonly pegWarning?: string | undefined;
}

/** The choices of the rails file that decide about prices. */
export interface Policy extends Rules {
  /** A quote that would cost the customer more is refused. */
  readonly costBasisPointsMax: number;
  /** Central-bank pegs that the operator consents to. */
  readonly pegs: ReadonlySet<string>;
  readonly pegMarkupBasisPoints: number;
  readonly referenceMarkupBasisPoints: number;
  /** A market price that is further from the reference rate is refused. */
  readonly referenceGuardBasisPoints: number;
}

/** The sources at one moment. */
export interface Observed {
  readonly venues: readonly PolledVenue[];
  readonly reference:
    | { readonly name: string; readonly table: ReferenceTable | undefined }
    | undefined;
  readonly nowMs: number;
}

/** The state that outlives a table: unconfirmed jumps and computed costs. */
export interface Memories {
  readonly jumps: Map<string, Memory>;
  readonly costs: BookCosts;
}

const ONE: Decimal = { units: 1n, scale: 0 };
/** Older reference rates are not used to check a market price. */
const GUARD_AGE_DAYS_MAX = 4;

/** Returns the entry of every currency that has a source. */
export function computeEntries(
  observed: Observed,
  policy: Policy,
  memories: Memories,
): ReadonlyMap<string, Entry> {
  const entries = new Map<string, Entry>([["USD", dollar(observed.nowMs)]]);
  const dollarsOf = (code: string): Decimal | undefined => {
    const entry = entries.get(code);
    return entry && "price" in entry ? entry.price : undefined;
  };
  const context: Context = { observed, policy, memories, dollarsOf };
  const perEuro = observed.reference?.table?.perEuro;
  const referenced = [...(perEuro?.keys() ?? [])].filter((code) => code !== "USD");
  const set = (code: string): void => {
    if (entries.has(code)) return;
    entries.set(code, entryOf(code, context, entries));
  };
  for (const code of ANCHORS) if (isPriced(code, context)) set(code);
  for (const code of [...pricedCodes(observed.venues), ...referenced, ...policy.pegs]) set(code);
  return entries;
}

interface Context {
  readonly observed: Observed;
  readonly policy: Policy;
  readonly memories: Memories;
  readonly dollarsOf: (code: string) => Decimal | undefined;
}

const venuesOf = (code: string, { observed }: Context): readonly PolledVenue[] =>
  observed.venues.filter(({ markets }) => markets.some((market) => pricedCode(market) === code));

const isPriced = (code: string, context: Context): boolean =>
  venuesOf(code, context).length > 0 ||
  context.observed.reference?.table?.perEuro.has(code) === true;

/**
 * A currency that a quorum of venues trades has their price or none. It never falls back to a reference rate when
 * the venues disagree or are away.
 */
function entryOf(code: string, context: Context, entries: ReadonlyMap<string, Entry>): Entry {
  const { policy, observed } = context;
  const venues = venuesOf(code, context);
  if (venues.length >= policy.quorum) return marketEntry(code, context);
  if (policy.pegs.has(code)) return pegEntry(code, context, entries);
  const { reference } = observed;
  if (reference?.table?.perEuro.has(code)) {
    return referenceEntry(code, { name: reference.name, table: reference.table }, context);
  }
  const names = venues.map(({ name }) => name).join(", ");
  return {
    refusal: `only ${names || "no venue"} trades it, and ${policy.quorum} venues are needed`,
  };
}

function marketEntry(code: string, context: Context): Entry {
  const { observed, policy, memories, dollarsOf } = context;
  const { nowMs } = observed;
  const prices = venuePrices(observed.venues, { code, dollarsOf, nowMs, freshMs: policy.freshMs });
  const outcome = agree(
    prices.map(({ view }) => view),
    nowMs,
    policy,
  );
  const leftOut = [...outcome.leftOut].map(([source, why]) => `${source}: ${why}`);
  if ("reason" in outcome) return { refusal: [outcome.reason, ...leftOut].join("; ") };
  const { agreement } = outcome;
  const guarded = guard(code, agreement, context);
  if (guarded.refusal !== undefined) return { refusal: guarded.refusal };
  const { memory, refusal } = checkJump(memories.jumps.get(code), agreement, policy);
  memories.jumps.set(code, memory);
  if (refusal !== undefined) return { refusal };
  const warning = [guarded.warning, ...leftOut].filter(Boolean).join("; ");
  const books = prices
    .filter(({ view }) => agreement.sources.includes(view.source))
    .flatMap(({ book }) => book ?? []);
  const ladder = ladderOf(books, policy, memories.costs);
  return {
    price: agreement.price,
    evidence: {
      at: new Date(agreement.atMs),
      sources: agreement.sources,
      apartBasisPoints: agreement.apartBasisPoints,
      kind: "market",
    },
    cost: (side, dollars) => costAt(ladder, side, dollars),
    ...(warning !== "" && { warning }),
    pegWarning: guarded.warning,
  };
}

/** Compares an agreed price with the peg of a coin, or with the reference rate of a currency. */
function guard(
  code: string,
  { price }: Agreement,
  { observed, policy, dollarsOf }: Context,
): ReturnType<typeof guardPeg> {
  const promised = COIN_PEGS.get(code);
  if (promised !== undefined) {
    const dollars = dollarsOf(promised);
    return dollars ? guardPeg(price, dollars) : { refusal: `its peg needs a price of ${promised}` };
  }
  const table = observed.reference?.table;
  const dollars = table && referenceDollars(code, table);
  const { nowMs } = observed;
  if (!dollars || !isTargetDay(nowMs) || ageInDays(table.day, nowMs) > GUARD_AGE_DAYS_MAX)
    return {};
  const apart = basisPointsApart(price, dollars);
  if (apart <= policy.referenceGuardBasisPoints) return {};
  return { refusal: `${apart} basis points from the reference rate of ${table.day}` };
}

function referenceDollars(code: string, { perEuro }: ReferenceTable): Decimal | undefined {
  const [units, dollars] = [perEuro.get(code), perEuro.get("USD")];
  return units && dollars && quotient(dollars, units);
}

function referenceEntry(
  code: string,
  { name, table }: { readonly name: string; readonly table: ReferenceTable },
  { observed, policy }: Context,
): Entry {
  const price = referenceDollars(code, table);
  if (!price) return { refusal: `the reference rates have no ${code}` };
  const aged = ageMarkup(table.day, observed.nowMs);
  if ("refusal" in aged) return aged;
  const cost = policy.referenceMarkupBasisPoints + aged.basisPoints;
  const at = new Date(`${table.day}T15:00:00Z`);
  return {
    price,
    evidence: { at, sources: [name], apartBasisPoints: 0, kind: "reference" },
    cost: () => cost,
  };
}

function pegEntry(
  code: string,
  { observed, policy }: Context,
  entries: ReadonlyMap<string, Entry>,
): Entry {
  const peg = OFFICIAL_PEGS.get(code);
  const base = peg && entries.get(peg.to);
  if (!peg || !base || !("price" in base)) {
    return { refusal: `its peg needs a price of ${peg?.to ?? "a currency"}` };
  }
  const markup = policy.pegMarkupBasisPoints + closedMarketBasisPoints(observed.nowMs);
  return {
    price: quotient(base.price, peg.units),
    evidence: { ...base.evidence, kind: "peg" },
    // The currency to which it is pegged is bought and sold on the way.
    cost: (side, dollars) => {
      const cost = base.cost(side, dollars);
      return cost === undefined ? undefined : cost + markup;
    },
  };
}

const dollar = (nowMs: number): PricedEntry => ({
  price: ONE,
  evidence: { at: new Date(nowMs), sources: [], apartBasisPoints: 0, kind: "unit" },
  cost: () => 0,
});
