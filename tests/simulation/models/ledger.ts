import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { expect } from "vitest";
import {
  type AccountPurpose,
  credit,
  debit,
  type Entry,
} from "../../../apps/server/src/domain/ledger/entry.ts";
import { found } from "../../../apps/server/src/testing/catalogue.ts";
import { recordEntry, reverseEntry } from "../../../apps/server/src/testing/ledger.ts";
import { MERCHANT_ID, type World } from "../../../apps/server/src/testing/world.ts";
import { booksOf } from "../books.ts";
import { placed } from "../stage.ts";
import type { Command, Sequences } from "./sequences.ts";

/** Money held for an order can be used once: these accounts never go below zero. */
const COVERED: readonly string[] = [
  "customer_funds",
  "customer_payable",
  "payouts_in_flight",
  "refunds_in_flight",
];

/** From where to where each thing that happens moves units: what a debit takes, a credit gives. */
const MOVES = {
  capture: ["card_processor", "customer_funds"],
  exchange: ["customer_funds", "liquidity"],
  give: ["liquidity", "customer_payable"],
  reserve: ["customer_payable", "payouts_in_flight"],
  send: ["payouts_in_flight", "chain_wallet"],
  reserve_refund: ["customer_funds", "refunds_in_flight"],
  refund: ["refunds_in_flight", "card_processor"],
} as const satisfies Record<string, readonly [AccountPurpose, AccountPurpose]>;
type Move = keyof typeof MOVES;

/** Balances by order, account and asset; keys that were used; entries that may be reversed. */
interface Model {
  readonly balances: Map<string, bigint>;
  readonly entries: Map<string, { readonly order: number; readonly asset: string; postings: Flow }>;
  readonly reversed: Set<string>;
}

type Flow = ReadonlyMap<string, bigint>;

interface Real {
  readonly world: World;
  readonly orders: readonly bigint[];
}

interface Step {
  readonly move: Move;
  readonly order: number;
  readonly asset: "eur" | "btc";
  readonly units: bigint;
  /** The same number again is the same thing again. */
  readonly number: number;
  /** The units by which one side is off: an entry that does not balance. */
  readonly off: bigint;
}

const account = (order: number, asset: string, purpose: string): string =>
  `${order} ${asset} ${purpose}`;

function book(
  balances: Map<string, bigint>,
  where: { readonly order: number; readonly asset: string },
  flow: Flow,
): void {
  for (const [purpose, units] of flow) {
    const key = account(where.order, where.asset, purpose);
    balances.set(key, (balances.get(key) ?? 0n) + units);
  }
}

/** When the database transaction ends, no covered account may have given more than it got. */
const isCovered = (balances: ReadonlyMap<string, bigint>): boolean =>
  [...balances].every(
    ([key, units]) => units <= 0n || !COVERED.some((purpose) => key.endsWith(` ${purpose}`)),
  );

/** Several things in one database transaction: all of them are booked, or none is. */
class RecordEntries implements Command<Model, Real> {
  readonly steps: readonly Step[];
  constructor(steps: readonly Step[]) {
    this.steps = steps;
  }
  check(): boolean {
    return true;
  }
  async run(model: Model, { world, orders }: Real): Promise<void> {
    const trial: Model = {
      balances: new Map(model.balances),
      entries: new Map(model.entries),
      reversed: model.reversed,
    };
    const isGood =
      this.steps.every((step) => this.#happens(trial, step)) && isCovered(trial.balances);
    const writing = world.database.transaction(async (tx) => {
      for (const step of this.steps) {
        const orderId = found(orders[step.order]);
        await recordEntry(tx, entryOf(world, orders, step), { merchantId: MERCHANT_ID, orderId });
      }
    });
    expect(await writing.then(() => true, isRefusal), this.toString()).toBe(isGood);
    if (!isGood) return;
    for (const [key, units] of trial.balances) model.balances.set(key, units);
    for (const [key, entry] of trial.entries) model.entries.set(key, entry);
  }
  #happens(model: Model, step: Step): boolean {
    const key = keyOf(step);
    const [from, to] = MOVES[step.move];
    const flow = new Map([
      [from, step.units],
      [to, -step.units],
    ]);
    if (step.off !== 0n || model.entries.has(key)) return false;
    model.entries.set(key, { order: step.order, asset: step.asset, postings: flow });
    book(model.balances, step, flow);
    return true;
  }
  toString(): string {
    return `record ${this.steps.map((step) => `${keyOf(step)} ${step.units}${step.off ? ` off by ${step.off}` : ""}`).join(", ")}`;
  }
}

/** An entry is undone by one with opposite postings, once. */
class Reverse implements Command<Model, Real> {
  readonly at: number;
  constructor(at: number) {
    this.at = at;
  }
  check(model: Readonly<Model>): boolean {
    return model.entries.size > 0;
  }
  async run(model: Model, { world, orders }: Real): Promise<void> {
    const [key, entry] = found([...model.entries][this.at % model.entries.size]);
    const flow = new Map([...entry.postings].map(([purpose, units]) => [purpose, -units]));
    const after = new Map(model.balances);
    book(after, entry, flow);
    const isGood = !model.reversed.has(key) && isCovered(after);
    const of = `${found(orders[entry.order])}:${key}`;
    const reversing = world.database.transaction((tx) =>
      reverseEntry(tx, { of, key: `${of}:reversed:${randomUUID()}`, kind: "reversal" }),
    );
    expect(await reversing.then(() => true, isRefusal), `${this.toString()} ${key}`).toBe(isGood);
    if (!isGood) return;
    model.reversed.add(key);
    for (const [place, units] of after) model.balances.set(place, units);
  }
  toString(): string {
    return `reverse ${this.at}`;
  }
}

/** PostgreSQL's check_violation and unique_violation; anything else is a fault of the test. */
function isRefusal(error: unknown): false {
  const { code } = error as { readonly code?: string };
  if (code === "23514" || code === "23505") return false;
  throw error;
}

const keyOf = ({ move, order, asset, number }: Step): string =>
  `${move}:${order}:${asset}:${number}`;

function entryOf(world: World, orders: readonly bigint[], step: Step): Entry {
  const [from, to] = MOVES[step.move];
  return {
    key: `${found(orders[step.order])}:${keyOf(step)}`,
    // The books treat all kinds alike.
    kind: "exchange",
    asset: found(world.deps.catalogue().currencyByCodeOrReference(step.asset)),
    link: null,
    postings: [debit(from, step.units), credit(to, step.units + step.off)],
  };
}

const step = (off: fc.Arbitrary<bigint>): fc.Arbitrary<Step> =>
  fc.record({
    move: fc.constantFrom(...(Object.keys(MOVES) as Move[])),
    order: fc.nat({ max: 1 }),
    asset: fc.constantFrom("eur" as const, "btc" as const),
    units: fc.oneof(fc.bigInt({ min: 1n, max: 9n }), fc.bigInt({ min: 1n, max: 10n ** 30n })),
    number: fc.nat({ max: 3 }),
    off,
  });
const exact = step(fc.constant(0n));
/** Captures are the most frequent step, so that there is money to move. */
const incoming = exact.map((one) => ({ ...one, move: "capture" as const }));

export const ledgerSequences = (world: World): Sequences<Model, Real> => ({
  name: "ledger",
  amount: { test: 700, campaign: 30_000 },
  commands: [
    fc.array(incoming, { minLength: 1, maxLength: 2 }).map((steps) => new RecordEntries(steps)),
    fc.array(exact, { minLength: 1, maxLength: 3 }).map((steps) => new RecordEntries(steps)),
    exact.map((one) => new RecordEntries([one])),
    step(fc.constantFrom(1n, -1n)).map((one) => new RecordEntries([one])),
    fc.nat({ max: 20 }).map((at) => new Reverse(at)),
  ],
  setUp: async () => {
    const views = await Promise.all([placed(world), placed(world)]);
    return {
      model: { balances: new Map(), entries: new Map(), reversed: new Set() },
      real: { world, orders: views.map(({ order }) => order.id) },
    };
  },
  check: async ({ model, real }) => {
    const rows = await booksOf(world.database).balances(real.orders);
    const numbers = real.orders.map(String);
    const balances = rows.map(({ orderId, asset, purpose, units }): [string, bigint] => [
      account(numbers.indexOf(orderId), asset, purpose),
      BigInt(units),
    ]);
    const isNotZero = ([, units]: readonly [string, bigint]): boolean => units !== 0n;
    expect(new Map(balances.filter(isNotZero))).toEqual(
      new Map([...model.balances].filter(isNotZero)),
    );
  },
});
