import { sharedBatcher } from "../postgres/batches.ts";
import type { Database, Queryable } from "../postgres/database.ts";
import { jsonRows } from "../postgres/json-rows.ts";
import { statement } from "../postgres/statement.ts";
import { againWhereAsked } from "../postgres/transaction.ts";
import { isIn, type PayoutIntent } from "./intents.ts";

// Where no limit is set the database has the last word by what guards a release: a stop refuses it.
// Places in a wallet's sequence are taken for the locked intents and bound to them, or neither.
const LET_GO = statement(
  "payout_intents_let_go",
  `with going as materialized (
     ${jsonRows("going", "line int, intent_id uuid, order_id bigint")}),
   asked as materialized (
     select going.line, intent.id, intent.rail, intent.network_code
     from going join orders on orders.id = going.order_id
       join payout_intents intent on intent.id = going.intent_id
     where orders.status = 'sending' and intent.purpose = 'payout' and ${isIn("'created'", "intent")}
       and intent.released_at is null and intent.nonce is null
       and not exists (select from payout_limits)
       and not exists (select from payout_waits where payout_waits.intent_id = intent.id)
     order by intent.id for update of orders, intent),
   placed as (
     select *, row_number() over (partition by network_code order by id) as place,
       count(*) over (partition by network_code) as places
     from asked where rail = 'chain'),
   wallet as (
     insert into wallet_nonces as wallet (network_code, next)
     select network_code, max(places) from placed group by network_code order by network_code
     on conflict (network_code) do update set next = wallet.next + excluded.next
     returning network_code, next)
   update payout_intents intent
   set released_at = business_now(), updated_at = business_now(), nonce = bound.nonce
   from (select asked.id, asked.line, wallet.next - placed.places + placed.place - 1 as nonce
     from asked left join placed using (id)
       left join wallet on wallet.network_code = placed.network_code) bound
   where intent.id = bound.id
   returning bound.line, intent.nonce, intent.released_at`,
);

interface GoneRow {
  readonly line: number;
  readonly nonce: string | null;
  readonly released_at: Date;
}

async function letAllGo(
  queryable: Queryable,
  intents: readonly PayoutIntent[],
): Promise<(PayoutIntent | undefined)[]> {
  const going = intents.map(({ id, orderId }, line) => ({
    is_a: "going",
    line,
    intent_id: id,
    order_id: String(orderId),
  }));
  const input = JSON.stringify({ going });
  const rows = await againWhereAsked(() => queryable.query<GoneRow>(LET_GO, [input]));
  const gone = new Map(rows.map((row) => [row.line, row]));
  return intents.map((intent, line) => {
    const row = gone.get(line);
    if (!row) return undefined;
    const nonce = row.nonce === null ? null : BigInt(row.nonce);
    return { ...intent, nonce, releasedAt: row.released_at };
  });
}

/**
 * Lets a payout that no limit is for go, and binds it to its place in the wallet's sequence: one
 * database transaction, shared with those that go at the same time. Gives nothing, and has changed
 * nothing, where more has to be asked. Throws `PayoutStopped` of the database for one that is stopped.
 */
export const letPayoutGo = (
  database: Database,
  intent: PayoutIntent,
): Promise<PayoutIntent | undefined> => letGoShared(database, intent);

const letGoShared = sharedBatcher<Database, PayoutIntent, PayoutIntent | undefined>((database) => ({
  run: (intents) => letAllGo(database, intents),
  keyOf: ({ id }) => id,
  // Two would wait for each other's place in the wallet's sequence.
  batchesInFlightMax: 1,
  itemsMax: 64,
}));
