import type { Database } from "../../storage/postgres/database.ts";
import {
  type NewQuote,
  type QuoteKey,
  readQuote,
  type StoredQuote,
} from "../../storage/quotes/quotes.ts";
import { makeKept } from "../kept.ts";

/** Most quotes that are accepted were drawn up a moment before. */
const drawn = makeKept<string, NewQuote>(2_000);

/** Remembers a quote that was stored, for the call that accepts it. */
export const keepDrawn = (database: Database, stored: NewQuote): void =>
  drawn.keep(database, stored.quote.id, stored);

/** The session's quote as it was drawn up here, or else as the database has it. */
export async function findQuote(
  database: Database,
  key: QuoteKey,
): Promise<StoredQuote | undefined> {
  const kept = drawn.take(database, key.quoteId);
  const isTheirs = kept?.merchantId === key.merchantId && kept.sessionId === key.sessionId;
  return kept && isTheirs ? { ...kept, consumedByOrderId: null } : readQuote(database, key);
}
