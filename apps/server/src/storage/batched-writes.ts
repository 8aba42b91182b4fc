import { type ApplyStep, makeApplyStep } from "./orders/apply-step.ts";
import { makePlaceNewOrder, type PlaceNewOrder } from "./orders/place.ts";
import { makeStoreSigned, type StoreSigned } from "./payouts/intents.ts";
import type { Database } from "./postgres/database.ts";
import { type InsertQuote, makeInsertQuote } from "./quotes/quotes.ts";
import { makeOpenSession, type OpenSession } from "./sessions/sessions.ts";

/** Batched writes: several writes of one kind share a statement and a commit. Each process builds them once. */
export interface BatchedWrites {
  readonly openSession: OpenSession;
  readonly insertQuote: InsertQuote;
  readonly placeNewOrder: PlaceNewOrder;
  readonly applyStep: ApplyStep;
  readonly storeSigned: StoreSigned;
}

export const makeBatchedWrites = (database: Database): BatchedWrites => ({
  openSession: makeOpenSession(database),
  insertQuote: makeInsertQuote(database),
  placeNewOrder: makePlaceNewOrder(database),
  applyStep: makeApplyStep(database),
  storeSigned: makeStoreSigned(database),
});
