import type { BoundPayout, PayoutIntent } from "../../domain/payouts/payout-intent.ts";
import type { SignedTransaction } from "../../domain/ports/chain-gateway.ts";
import { makeBatcher } from "../postgres/batches.ts";
import { type Database, lookup, type Queryable, statement, type Tx } from "../postgres/database.ts";
import { jsonRows } from "../postgres/json-rows.ts";
import { bytes } from "../postgres/table.ts";
import { retryOnConflict } from "../postgres/transaction.ts";
import { PAYOUT_INTENTS, SHOWN_PAYOUTS, toShownPayout } from "./table.ts";

export type { PayoutIntent } from "../../domain/payouts/payout-intent.ts";

const WITH_SEND = `select payout_intents.*, send.id as bound_send, send.place as bound_place,
     is_first_of_send(output.send_id, output.number) as is_first_of_send,
     ceil(extract(epoch from send.joins_until - business_now()) * 1000)::integer as joins_for_ms
   from payout_intents
     left join chain_send_outputs output
       on output.intent_id = payout_intents.id and not output.is_vacated
     left join chain_sends send on send.id = output.send_id`;
const FIND = lookup("payout_intents_find", ["uuid"], `${WITH_SEND} where payout_intents.id = $1`);
const LOCK = statement(
  "payout_intents_lock",
  `${WITH_SEND} where payout_intents.id = any($1::uuid[]) order by payout_intents.id
   for update of payout_intents`,
);
const LIST = statement(
  "payout_intents_list",
  `select ${SHOWN_PAYOUTS.names} from payout_intents where order_id = $1 order by created_at, id`,
);

/**
 * Returns the condition that an intent is in one of the states, for statements that find it by its id. The
 * concatenation keeps PostgreSQL from the index of unfinished intents. A plan that was made while they were few would
 * use it instead of the id.
 */
export const isIn = (states: string): string => `payout_intents.state || '' in (${states})`;
// A payout on a chain stores its first transaction with its send, which may pay others too. A send that was vacated
// meanwhile is not signed. A signed payout no longer waits: as a bound one it may have waited for coins.
const STORE_SIGNED = statement(
  "payout_intents_store_signed",
  `with wanted as materialized (${jsonRows("wanted", "intent_id uuid, send_id uuid, hash text, bytes bytea")}),
   send as (
     update chain_sends set state = 'signed', updated_at = business_now()
     from wanted where chain_sends.id = wanted.send_id and chain_sends.state = 'bound'
     returning chain_sends.id),
   stored as (
     insert into chain_transactions (send_id, number, hash, bytes)
     select distinct on (send.id) send.id, 1, wanted.hash, wanted.bytes
     from send join wanted on wanted.send_id = send.id order by send.id, wanted.intent_id
     returning send_id, hash),
   paid as materialized (
     select intent_id, hash, bytes, null::uuid as send_id from wanted where wanted.send_id is null
     union all
     select output.intent_id, stored.hash, null, stored.send_id
     from stored join chain_send_outputs output on output.send_id = stored.send_id and not output.is_vacated),
   waited as (
     delete from payout_waits using paid where payout_waits.intent_id = paid.intent_id)
   update payout_intents set state = 'signed', transaction_hash = paid.hash, signed_bytes = paid.bytes,
     updated_at = business_now()
   from paid
   where payout_intents.id = paid.intent_id and ${isIn("'created'")}
     and (paid.send_id is null) = (payout_intents.rail <> 'chain')
   returning payout_intents.id`,
);
const ADVANCE = statement(
  "payout_intents_advance",
  `with advanced as (
     update payout_intents set state = $2, confirmations = $3, settled_hash = $4,
       updated_at = business_now()
     where id = $1 and ${isIn("'signed', 'broadcast'")} returning id)
   update chain_sends send set state = 'sent', updated_at = business_now()
   from advanced join chain_send_outputs output on output.intent_id = advanced.id and not output.is_vacated
   where send.id = output.send_id and send.state = 'signed' and $2 = 'broadcast'`,
);

interface SendRow {
  readonly bound_send: string | null;
  readonly bound_place: string | null;
  readonly is_first_of_send: boolean;
  readonly joins_for_ms: number | null;
}
const toBoundPayout = (row: SendRow): BoundPayout => ({
  ...PAYOUT_INTENTS.read(row),
  send:
    row.bound_send === null
      ? null
      : {
          id: row.bound_send,
          place: placeOf(row.bound_place),
          isFirst: row.is_first_of_send,
          joinsForMs: Math.max(0, row.joins_for_ms ?? 0),
        },
});
const placeOf = (place: string | null): bigint | null => (place === null ? null : BigInt(place));

export async function findPayoutIntent(
  queryable: Queryable,
  id: string,
): Promise<BoundPayout | undefined> {
  const [row] = await queryable.query<SendRow>(FIND, [id]);
  return row && toBoundPayout(row);
}

/** Reads intents and locks their rows, in the order of their ids, until the database transaction ends. */
export async function lockPayoutIntents(
  tx: Tx,
  ids: readonly string[],
): Promise<ReadonlyMap<string, BoundPayout>> {
  const rows = await tx.query<SendRow>(LOCK, [ids]);
  return new Map(rows.map((row) => toBoundPayout(row)).map((intent) => [intent.id, intent]));
}

/** Lists all payout intents of an order, oldest first and without their signed bytes. */
export async function listPayoutIntents(
  queryable: Queryable,
  orderId: bigint,
): Promise<PayoutIntent[]> {
  const rows = await queryable.query<object>(LIST, [orderId]);
  return rows.map(toShownPayout);
}

const BYTES = bytes();

interface Signing {
  readonly intent: BoundPayout;
  readonly signed: Pick<SignedTransaction, "transactionHash" | "bytes">;
}

/**
 * Stores the signed bytes unless the payout already has some, and returns the stored payout. The first signing
 * wins; the bytes of a later one are never sent. A payout whose send was vacated meanwhile stays `created`.
 * Throws the database's `payouts_stopped` for a stopped payout.
 */
export type StoreSigned = (
  intent: BoundPayout,
  signed: Pick<SignedTransaction, "transactionHash" | "bytes">,
) => Promise<BoundPayout>;

/** Payouts that were released in one turn are signed together, so their bytes share a statement and a commit. */
export function makeStoreSigned(database: Database): StoreSigned {
  const store = makeBatcher<Signing, BoundPayout | undefined>({
    run: (signings) => retryOnConflict(() => storeAll(database, signings)),
    keyOf: ({ intent }) => intent.id,
    batchesInFlightMax: 2,
    itemsMax: 64,
  });
  return async (intent, signed) => {
    const stored = await store({ intent, signed });
    if (stored) return stored;
    const found = await findPayoutIntent(database, intent.id);
    if (!found) throw new Error(`there is no payout intent ${intent.id}`);
    return found;
  };
}

/** Returns the stored payouts; undefined for those that were signed before or cannot be. */
async function storeAll(
  queryable: Queryable,
  signings: readonly Signing[],
): Promise<(BoundPayout | undefined)[]> {
  const wanted = signings.map(({ intent, signed }) => ({
    is_a: "wanted",
    intent_id: intent.id,
    send_id: intent.send?.id ?? null,
    hash: signed.transactionHash,
    bytes: BYTES.write(signed.bytes),
  }));
  const rows = await queryable.query<{ id: string }>(STORE_SIGNED, [JSON.stringify({ wanted })]);
  const stored = new Set(rows.map(({ id }) => id));
  return signings.map(({ intent, signed }) => {
    const { transactionHash } = signed;
    const signedBytes = intent.send === null ? signed.bytes : null;
    return stored.has(intent.id)
      ? { ...intent, state: "signed", transactionHash, signedBytes }
      : undefined;
  });
}

/** The progress of a transfer. */
export interface PayoutProgress {
  readonly state: "broadcast" | "confirmed";
  readonly confirmations: number;
  /** The hash of the mined transaction, or null while none is mined. */
  readonly settledHash: string | null;
}

/** Records the progress of a transfer. A settled transfer is not changed. */
export async function advancePayoutIntent(
  queryable: Queryable,
  intentId: string,
  progress: PayoutProgress,
): Promise<void> {
  const { state, confirmations, settledHash } = progress;
  await queryable.query(ADVANCE, [intentId, state, confirmations, settledHash]);
}
