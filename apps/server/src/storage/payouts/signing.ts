import type { PayoutIntent } from "../../domain/payouts/payout-intent.ts";
import type { SignedTransaction } from "../../domain/ports/chain-gateway.ts";
import { sharedBatcher } from "../postgres/batches.ts";
import type { Database, Queryable } from "../postgres/database.ts";
import { jsonRows } from "../postgres/json-rows.ts";
import { statement } from "../postgres/statement.ts";
import { againWhereAsked } from "../postgres/transaction.ts";
import { findPayoutIntent, isIn } from "./intents.ts";

type Signed = Pick<SignedTransaction, "transactionHash" | "bytes">;

interface Signing {
  readonly intent: PayoutIntent;
  readonly signed: Signed;
}

// The first signature wins: the bytes of any other signing are thrown away unsent. Locked in the order
// of their ids, so that two batches do not wait for each other in a circle.
const STORE_SIGNED = statement(
  "payout_intents_store_signed",
  `with signed as materialized (
     ${jsonRows("signed", "line int, intent_id uuid, transaction_hash text, bytes text")}),
   open as materialized (
     select intent.id, signed.line, signed.transaction_hash, signed.bytes
     from signed join payout_intents intent on intent.id = signed.intent_id
     where ${isIn("'created'", "intent")} order by intent.id for no key update of intent)
   update payout_intents intent
   set state = 'signed', transaction_hash = open.transaction_hash,
     signed_bytes = decode(open.bytes, 'base64'), updated_at = business_now()
   from open where intent.id = open.id
   returning open.line`,
);

async function storeAll(
  queryable: Queryable,
  signings: readonly Signing[],
): Promise<PayoutIntent[]> {
  const rows = signings.map(({ intent, signed }, line) => ({
    is_a: "signed",
    line,
    intent_id: intent.id,
    transaction_hash: signed.transactionHash,
    bytes: Buffer.from(signed.bytes).toString("base64"),
  }));
  const input = JSON.stringify({ signed: rows });
  const stored = await againWhereAsked(() =>
    queryable.query<{ readonly line: number }>(STORE_SIGNED, [input]),
  );
  const lines = new Set(stored.map(({ line }) => line));
  return Promise.all(
    signings.map(async (signing, line) =>
      lines.has(line) ? asSigned(signing) : requireStored(queryable, signing),
    ),
  );
}

const asSigned = ({ intent, signed }: Signing): PayoutIntent => ({
  ...intent,
  state: "signed",
  transactionHash: signed.transactionHash,
  signedBytes: signed.bytes,
});

async function requireStored(queryable: Queryable, { intent }: Signing): Promise<PayoutIntent> {
  const stored = await findPayoutIntent(queryable, intent.id);
  if (!stored) throw new Error(`there is no payout intent ${intent.id}`);
  return stored;
}

const storeShared = sharedBatcher<Database, Signing, PayoutIntent>((database) => ({
  run: (signings) => storeAll(database, signings),
  keyOf: ({ intent }) => intent.id,
  batchesInFlightMax: 1,
  itemsMax: 64,
}));

/**
 * Stores the signed bytes unless the intent has some already; returns the intent as it is stored. One
 * database transaction, shared with those that are stored at the same time. Throws `PayoutStopped` of
 * the database for one that is stopped.
 */
export const storeSigned = (
  database: Database,
  intent: PayoutIntent,
  signed: Signed,
): Promise<PayoutIntent> => storeShared(database, { intent, signed });
