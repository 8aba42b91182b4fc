import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { expect } from "vitest";
import type { Quote } from "../../../apps/server/src/domain/quotes/quote.ts";
import { QuoteExpired } from "../../../apps/server/src/flows/quotes/quote-expired.ts";
import { Refusal } from "../../../apps/server/src/flows/refusal.ts";
import type { World } from "../../../apps/server/src/testing/world.ts";
import { booksOf } from "../books.ts";
import { placeIn, type Seat } from "../stage.ts";
import type { Command, Sequences } from "./sequences.ts";

/** Two sessions and their quotes: one session, one order; one quote, one use, by its own session. */
interface Model {
  readonly sessions: readonly { orders: number; tokens: number }[];
  readonly quotes: { readonly session: number; readonly expired: boolean; used: boolean }[];
}

interface Real {
  readonly world: World;
  readonly seats: Seat[][];
  readonly quotes: Quote[];
}

type Outcome = "placed" | "NOT_FOUND" | "SESSION_EXPIRED" | "TOKEN_INVALID" | "QUOTE_EXPIRED";

class TakeQuote implements Command<Model, Real> {
  readonly session: number;
  readonly expired: boolean;
  constructor(session: number, expired: boolean) {
    this.session = session;
    this.expired = expired;
  }
  check(): boolean {
    return true;
  }
  async run(model: Model, { world, seats, quotes }: Real): Promise<void> {
    const { sessionId } = latest(seats[this.session]);
    const past = { createdAt: new Date(Date.now() - 60_000), expiresAt: new Date(Date.now() - 1) };
    quotes.push(await world.quote(sessionId, this.expired ? past : {}));
    model.quotes.push({ session: this.session, expired: this.expired, used: false });
  }
  toString(): string {
    return `quote for session ${this.session}${this.expired ? ", expired" : ""}`;
  }
}

/** The merchant asks for another token: the older one places nothing any more. */
class RenewToken implements Command<Model, Real> {
  readonly session: number;
  constructor(session: number) {
    this.session = session;
  }
  check(model: Readonly<Model>): boolean {
    return model.sessions[this.session]?.orders === 0;
  }
  async run(model: Model, { world, seats }: Real): Promise<void> {
    const seat = await world.openSession(latest(seats[this.session]).sessionId);
    seats[this.session]?.push(seat);
    at(model.sessions, this.session).tokens += 1;
  }
  toString(): string {
    return `new token for session ${this.session}`;
  }
}

class Place implements Command<Model, Real> {
  readonly session: number;
  readonly quote: number;
  readonly oldToken: boolean;
  constructor([session, quote, oldToken]: readonly [number, number, boolean]) {
    this.session = session;
    this.quote = quote;
    this.oldToken = oldToken;
  }
  check(model: Readonly<Model>): boolean {
    return model.quotes.length > 0;
  }
  async run(model: Model, { world, seats, quotes }: Real): Promise<void> {
    const number = this.quote % quotes.length;
    const [first, ...others] = seats[this.session] ?? [];
    const seat = this.oldToken ? first : (others.at(-1) ?? first);
    if (!seat) throw new Error("a session has a token");
    const expected = this.#expected(model, number);
    const placing = placeIn(world, seat, at(quotes, number).id);
    expect(await placing.then(() => "placed", outcomeOf), this.toString()).toBe(expected);
    if (expected !== "placed") return;
    at(model.sessions, this.session).orders += 1;
    at(model.quotes, number).used = true;
  }
  #expected({ sessions, quotes }: Model, number: number): Outcome {
    const session = at(sessions, this.session);
    const quote = at(quotes, number);
    if (quote.session !== this.session) return "NOT_FOUND";
    if (session.orders > 0) return "SESSION_EXPIRED";
    if (this.oldToken && session.tokens > 1) return "TOKEN_INVALID";
    return quote.expired ? "QUOTE_EXPIRED" : "placed";
  }
  toString(): string {
    return `order in session ${this.session} from quote ${this.quote}${this.oldToken ? ", first token" : ""}`;
  }
}

function outcomeOf(error: unknown): string {
  if (error instanceof QuoteExpired) return "QUOTE_EXPIRED";
  if (error instanceof Refusal) return error.code;
  throw error;
}

function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  if (item === undefined) throw new Error(`there is no item ${index}`);
  return item;
}

const latest = (seats: readonly Seat[] | undefined): Seat => at((seats ?? []).slice(-1), 0);

const session = fc.nat({ max: 1 });

export const quoteSequences = (world: World): Sequences<Model, Real> => ({
  name: "quotes and sessions",
  amount: { test: 600, campaign: 40_000 },
  commands: [
    fc.tuple(session, fc.boolean()).map(([one, expired]) => new TakeQuote(one, expired)),
    session.map((one) => new TakeQuote(one, false)),
    session.map((one) => new RenewToken(one)),
    fc.tuple(session, fc.nat({ max: 5 }), fc.boolean()).map((place) => new Place(place)),
    fc.tuple(session, fc.nat({ max: 5 })).map(([one, quote]) => new Place([one, quote, false])),
  ],
  setUp: async () => ({
    model: { sessions: [0, 1].map(() => ({ orders: 0, tokens: 1 })), quotes: [] },
    real: {
      world,
      quotes: [],
      seats: [[await world.openSession(randomUUID())], [await world.openSession(randomUUID())]],
    },
  }),
  check: async ({ model, real }) => {
    for (const [number, seats] of real.seats.entries()) {
      const { sessionId } = latest(seats);
      const orders = await booksOf(world.database).ordersOfSession(sessionId);
      expect(orders).toBe(at(model.sessions, number).orders);
    }
    const used = await booksOf(world.database).usedQuotes(real.quotes.map(({ id }) => id));
    expect(used).toBe(model.quotes.filter((quote) => quote.used).length);
  },
});
