import type { Database } from "../../../apps/server/src/storage/postgres/database.ts";
import { sql } from "../stage.ts";

/** What the others' books say: the card processor's, the chain's and the bank's. Never ours. */
export interface Books {
  readonly captures: number;
  readonly cardRefunds: number;
  readonly transfers: number;
  readonly bankPayouts: number;
}

const COUNT = `select
  (select count(*) from sandbox.card_captures)::int as captures,
  (select count(*) from sandbox.card_refunds where status = 'refunded')::int as "cardRefunds",
  (select count(*) from sandbox.chain_transactions where mined_at is not null)::int as transfers,
  (select count(*) from sandbox.bank_payouts where outcome = 'settled')::int as "bankPayouts"`;

export async function readBooks(database: Database): Promise<Books> {
  const [books] = await database.query<Books>(sql(COUNT));
  if (!books) throw new Error("the sandbox keeps no books");
  return books;
}

/** What happened outside between two looks. */
export const movedSince = (before: Books, after: Books): Books => ({
  captures: after.captures - before.captures,
  cardRefunds: after.cardRefunds - before.cardRefunds,
  transfers: after.transfers - before.transfers,
  bankPayouts: after.bankPayouts - before.bankPayouts,
});

const SENT_AS_PROMISED = `select count(*)::int as wrong
  from sandbox.chain_transactions sent left join payout_intents intent
    on intent.id::text = sent.intent_id
  where sent.mined_at is not null
    and (intent.id is null or intent.units <> sent.units or intent.address <> sent.address
      or intent.state <> 'confirmed')`;

/** Coins that moved without an intent, to another address or in another amount. */
export async function countStrayTransfers(database: Database): Promise<number> {
  const [row] = await database.query<{ wrong: number }>(sql(SENT_AS_PROMISED));
  return row?.wrong ?? -1;
}
