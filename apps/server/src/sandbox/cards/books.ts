import { makeBatcher } from "../../storage/postgres/batches.ts";
import type { Queryable } from "../../storage/postgres/database.ts";
import {
  type CapturedPayment,
  capturePayments,
  findCards,
  findPayments,
  insertCards,
  insertPayments,
  type NewPayment,
  type StoredCard,
  type StoredPayment,
} from "./store.ts";

/** What the processor writes and reads all the time: calls at the same time share a statement. */
export interface CardBooks {
  insertCard(card: StoredCard): Promise<void>;
  findCard(token: string): Promise<StoredCard | undefined>;
  /** False when the reference is known: then its first result stays. */
  insertPayment(payment: NewPayment): Promise<boolean>;
  findPayment(reference: string): Promise<StoredPayment | undefined>;
  /** Undefined when there is no such payment. */
  capture(reference: string): Promise<CapturedPayment | undefined>;
}

/** A statement at a time, so that no two wait for each other's rows. */
const ONE_AFTER_ANOTHER = { batchesInFlightMax: 1, itemsMax: 64 };

export function openCardBooks(database: Queryable): CardBooks {
  return {
    insertCard: makeBatcher<StoredCard, void>({
      ...ONE_AFTER_ANOTHER,
      keyOf: ({ token }) => token,
      run: async (cards) => {
        await insertCards(database, cards);
        return [];
      },
    }),
    findCard: makeBatcher<string, StoredCard | undefined>({
      ...ONE_AFTER_ANOTHER,
      keyOf: (token) => token,
      run: async (tokens) =>
        inOrder(tokens, await findCards(database, tokens), ({ token }) => token),
    }),
    insertPayment: makeBatcher<NewPayment, boolean>({
      ...ONE_AFTER_ANOTHER,
      keyOf: ({ reference }) => reference,
      run: async (payments) => {
        const added = await insertPayments(database, payments);
        return payments.map(({ reference }) => added.has(reference));
      },
    }),
    findPayment: makeBatcher<string, StoredPayment | undefined>({
      ...ONE_AFTER_ANOTHER,
      keyOf: (reference) => reference,
      run: async (references) =>
        inOrder(references, await findPayments(database, references), referenceOf),
    }),
    capture: makeBatcher<string, CapturedPayment | undefined>({
      ...ONE_AFTER_ANOTHER,
      keyOf: (reference) => reference,
      run: async (references) =>
        inOrder(references, await capturePayments(database, references), referenceOf),
    }),
  };
}

const referenceOf = ({ reference }: StoredPayment): string => reference;

/** The row of each key, in the order of the keys. */
function inOrder<Row>(
  keys: readonly string[],
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): (Row | undefined)[] {
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  return keys.map((key) => byKey.get(key));
}
