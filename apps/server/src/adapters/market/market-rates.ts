import type { PriceTable, RateSource } from "../../domain/ports/rate-source.ts";
import type { HttpClient } from "../client.ts";
import { computeEntries, type Entry, type Memories, type Policy } from "./entries.ts";
import { type Call, type PollContext, type Poller, startPoller, withRetryAfter } from "./poll.ts";
import { type ConfiguredVenue, pollVenue } from "./poll-venue.ts";
import type { ReferenceSource, ReferenceTable } from "./reference.ts";
import { faultOfStatus } from "./venue.ts";

export interface MarketOptions {
  readonly venues: readonly ConfiguredVenue[];
  readonly reference: ReferenceSource | undefined;
  readonly policy: Policy;
}

export interface MarketContext {
  readonly client: HttpClient;
  /** The clock of this machine. Business time may be moved, and the market's cannot. */
  readonly now: () => number;
  readonly warn: (message: string) => void;
}

/** A table is made again after this time, so that a stale price leaves it. */
const TABLE_MS = 1_000;
/** Without rates the reference is asked again after this time. */
const REFERENCE_RETRY_MS = 60_000;

/**
 * Prices on which venues agree. Venues are asked in the background, and a table is frozen when it is made. A
 * currency without an agreed price is absent from the table.
 */
export function marketRates(options: MarketOptions, context: MarketContext): RateSource {
  const { policy } = options;
  const { now, warn } = context;
  const polling: PollContext = { ...context, freshMs: policy.freshMs };
  const venues = options.venues.map((venue) => pollVenue(venue, polling));
  const reference = options.reference && pollReference(options.reference, polling);
  const memories: Memories = { jumps: new Map(), costs: new WeakMap() };
  const pollers: readonly Poller[] = reference ? [...venues, reference.poller] : venues;
  let entries: ReadonlyMap<string, Entry> = new Map();
  let table: PriceTable | undefined;
  let madeAtMs = Number.NEGATIVE_INFINITY;

  const make = (): void => {
    madeAtMs = now();
    const before = entries;
    const rates = reference && { name: reference.name, table: reference.table() };
    entries = computeEntries({ venues, reference: rates, nowMs: madeAtMs }, policy, memories);
    warnOfChanges(before, entries, warn);
    const isEmpty = [...entries].every(([code, entry]) => code === "USD" || "refusal" in entry);
    table = isEmpty ? undefined : frozenTable(entries, new Date(madeAtMs));
  };
  const timer = setInterval(make, TABLE_MS).unref();
  return {
    name: "market",
    prices: () => {
      if (now() - madeAtMs >= TABLE_MS) make();
      return table;
    },
    health: () => pollers.map((poller) => poller.health()),
    reason: (code) => {
      const entry = entries.get(code);
      if (!entry) return "no configured source prices it";
      return "refusal" in entry ? entry.refusal : entry.warning;
    },
    stop: async () => {
      clearInterval(timer);
      for (const poller of pollers) poller.stop();
    },
  };
}

function frozenTable(entries: ReadonlyMap<string, Entry>, at: Date): PriceTable {
  const priced = (code: string) => {
    const entry = entries.get(code);
    return entry && "price" in entry ? entry : undefined;
  };
  return Object.freeze({
    at,
    price: (code: string) => priced(code)?.price,
    evidence: (code: string) => priced(code)?.evidence,
    costBasisPoints: (code, side, dollars) => priced(code)?.cost(side, dollars),
  } satisfies PriceTable);
}

/** Writes a line when a currency loses its price, when it has one again, and when a coin leaves its peg. */
function warnOfChanges(
  before: ReadonlyMap<string, Entry>,
  after: ReadonlyMap<string, Entry>,
  warn: (message: string) => void,
): void {
  for (const [code, entry] of after) {
    const earlier = before.get(code);
    if (!earlier) continue;
    if ("refusal" in entry && "price" in earlier) warn(`${code} has no price: ${entry.refusal}`);
    if ("price" in entry && "refusal" in earlier) warn(`${code} has a price`);
    if (!("price" in entry) || entry.pegWarning === undefined) continue;
    if (!("price" in earlier) || earlier.pegWarning === undefined)
      warn(`${code}: ${entry.pegWarning}`);
  }
}

function pollReference(source: ReferenceSource, context: PollContext) {
  let table: ReferenceTable | undefined;
  let readAtMs = Number.NEGATIVE_INFINITY;
  const { now } = context;
  const call: Call = {
    path: source.path,
    take: (answer) => {
      const fault = faultOfStatus(answer.status);
      if (fault) throw withRetryAfter(fault, answer, now());
      table = source.read(answer.text);
      readAtMs = now();
    },
  };
  const lane = {
    everyMs: Math.min(REFERENCE_RETRY_MS, source.everyMs),
    next: () => (now() - readAtMs >= source.everyMs ? call : undefined),
  };
  // The source is stale after two failed rounds. The age of its rates follows from their day.
  const settings = { name: source.name, url: source.url, freshMs: 3 * source.everyMs };
  return {
    name: source.name,
    table: () => table,
    poller: startPoller(settings, [lane], context),
  };
}
