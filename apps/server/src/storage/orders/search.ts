import { IS_PAID_BY_SEND } from "../payouts/lost-sends.ts";
import { type Queryable, statement } from "../postgres/database.ts";

/** The facts of an order by which a search finds it. */
export type FoundBy =
  | "order id"
  | "session id"
  | "quote id"
  | "payout id"
  | "payment id"
  | "deposit id"
  | "payment reference"
  | "deposit address"
  | "bank transfer received"
  | "transaction received"
  | "payout reference"
  | "transaction sent"
  | "destination address"
  | "refund address"
  | "e-mail"
  | "customer reference"
  | "last four digits of the card";

/** An order that a text leads to, and what of the order the text is. */
export interface FoundOrder {
  readonly orderId: bigint;
  readonly foundBy: FoundBy;
}

/** The texts to look for. */
export interface SearchTexts {
  readonly text: string;
  /** The letter cases in which the text may be stored as an address or as the hash of a transaction. */
  readonly spellings: readonly string[];
  /** The text as an order's id; null when it is not one. */
  readonly orderId: bigint | null;
  /** The text as a UUID; null when it is not one. */
  readonly uuid: string | null;
}

const MERCHANT_IDS = "array(select id from merchants)";
const NETWORK_CODES = "array(select code from networks)";

// Every part reads an index, so a search costs the same with ten million orders. `banks` steps from one source of
// deposits to the next, because an index of deposits begins with it.
const FIND = statement(
  "orders_search",
  `with recursive banks (source) as (
     select min(source) from deposits where rail = 'bank'
     union all
     select (select min(d.source) from deposits d where d.rail = 'bank' and d.source > banks.source)
     from banks where source is not null)
   select id as "orderId", 'order id' as "foundBy" from orders where id = $2
   union all
   select id, 'session id' from orders where merchant_id = any(${MERCHANT_IDS}) and session_id = $1
   union all
   select consumed_by_order_id, 'quote id' from quotes
     where id = $1 and consumed_by_order_id is not null
   union all
   select order_id, 'payout id' from payout_intents where id = $3
   union all
   select order_id, 'payment id' from payment_attempts where id = $3
   union all
   select order_id, 'deposit id' from deposits where id = $3
   union all
   select order_id, 'payment reference' from payment_instructions where reference = $1
   union all
   select order_id, 'deposit address' from payment_instructions
     where rail = 'chain' and network_code = any(${NETWORK_CODES}) and address = any($4) and memo is null
   union all
   select order_id, 'bank transfer received' from deposits
     where rail = 'bank' and source = any(array(select source from banks)) and external_id = $1
   union all
   select order_id, 'transaction received' from deposits
     where rail = 'chain' and source = any(${NETWORK_CODES})
       and (external_id ^@ ($5::text[])[1] or external_id ^@ ($5::text[])[2])
   union all
   select order_id, 'payout reference' from payout_intents
     where rail <> 'chain' and transaction_hash = $1
   union all
   select intent.order_id, 'transaction sent'
     from chain_transactions signed
       join chain_send_outputs output on output.send_id = signed.send_id
       join payout_intents intent on intent.id = output.intent_id
     where signed.hash = any($4) and ${IS_PAID_BY_SEND}`,
);

/** A deposit's id begins with its transaction. A shorter text would be the beginning of many. */
const HASH_LENGTH_MIN = 32;

/** Finds the orders that an id, a reference, a deposit address of one order or a transaction belongs to. */
export function searchOrders(
  queryable: Queryable,
  { text, spellings, orderId, uuid }: SearchTexts,
): Promise<FoundOrder[]> {
  const hashes = text.length < HASH_LENGTH_MIN ? [] : spellings;
  return read(queryable.query<FoundRow>(FIND, [text, orderId, uuid, spellings, hashes]));
}

/** A popular address or card, or a customer, has many orders: the newest are found. */
const NEWEST = 50;

// One merchant's orders may be few among millions at the address, so each merchant's newest are read by themselves.
const FIND_SHARED_ADDRESS = statement(
  "orders_search_shared_address",
  `select shared.order_id as "orderId", 'deposit address' as "foundBy"
   from merchants merchant cross join unnest($1::text[]) as wanted (address) cross join lateral (
     select order_id, created_at from payment_instructions
     where rail = 'chain' and memo is not null and address = wanted.address and merchant_id = merchant.id
     order by created_at desc limit ${NEWEST}) shared
   where $2::text is null or merchant.id = $2
   order by shared.created_at desc limit ${NEWEST}`,
);

/** Finds the newest orders that are paid to an address with a memo. */
export function searchSharedAddress(
  queryable: Queryable,
  {
    spellings,
    merchantId,
  }: { readonly spellings: readonly string[]; readonly merchantId: string | null },
): Promise<FoundOrder[]> {
  return read(queryable.query<FoundRow>(FIND_SHARED_ADDRESS, [spellings, merchantId]));
}

const FIND_DESTINATION = statement(
  "orders_search_destination",
  `with wanted as (select lower($1::text) as address, right(lower($1::text), 16) as ending)
   (select o.id as "orderId", 'destination address' as "foundBy" from orders o, wanted
    where o.wallet_address is not null and right(lower(o.wallet_address), 16) = wanted.ending
      and lower(o.wallet_address) = wanted.address and ($2::text is null or o.merchant_id = $2)
    order by o.created_at desc, o.id desc limit ${NEWEST})
   union all
   (select o.id, 'refund address' from orders o, wanted
    where o.refund_address is not null and right(lower(o.refund_address), 16) = wanted.ending
      and lower(o.refund_address) = wanted.address and ($2::text is null or o.merchant_id = $2)
    order by o.created_at desc, o.id desc limit ${NEWEST})`,
);

/** Finds the newest orders that pay to an address or are refunded to it, in any letter case. */
export function searchDestinations(
  queryable: Queryable,
  { address, merchantId }: { readonly address: string; readonly merchantId: string | null },
): Promise<FoundOrder[]> {
  return read(queryable.query<FoundRow>(FIND_DESTINATION, [address, merchantId]));
}

const FIND_CUSTOMER = statement(
  "orders_search_customer",
  `select o.id as "orderId",
     case when k.email_digest = wanted.digest then 'e-mail' else 'customer reference' end as "foundBy"
   from unnest($1::text[], $2::bytea[]) as wanted (merchant_id, digest)
     join data_keys k on k.merchant_id = wanted.merchant_id and k.kind = 'session'
       and k.locked_at is null
       and (k.email_digest = wanted.digest or k.reference_digest = wanted.digest)
     join orders o on o.merchant_id = k.merchant_id and o.session_id = k.row_key
   order by o.created_at desc, o.id desc limit ${NEWEST}`,
);

/** A digest of an e-mail address or a reference, as one merchant's customers are found by. */
export interface CustomerDigest {
  readonly merchantId: string;
  readonly digest: Uint8Array;
}

/** Finds the newest orders of a customer. Those whose data was erased or is locked are not found. */
export function searchCustomers(
  queryable: Queryable,
  digests: readonly CustomerDigest[],
): Promise<FoundOrder[]> {
  const columns = [digests.map((one) => one.merchantId), digests.map((one) => one.digest)];
  return read(queryable.query<FoundRow>(FIND_CUSTOMER, columns));
}

const FIND_CARD = statement(
  "orders_search_card",
  `select order_id as "orderId", 'last four digits of the card' as "foundBy"
   from payment_attempts
   where last_four = $1 and ($2::text is null or merchant_id = $2)
   order by created_at desc limit ${NEWEST}`,
);

/** Finds the orders that a card with these digits paid for, or tried to, from the newest attempts. */
export function searchCards(
  queryable: Queryable,
  { lastFour, merchantId }: { readonly lastFour: string; readonly merchantId: string | null },
): Promise<FoundOrder[]> {
  return read(queryable.query<FoundRow>(FIND_CARD, [lastFour, merchantId]));
}

interface FoundRow {
  readonly orderId: string;
  readonly foundBy: FoundBy;
}

const read = async (rows: Promise<FoundRow[]>): Promise<FoundOrder[]> =>
  (await rows).map(({ orderId, foundBy }) => ({ orderId: BigInt(orderId), foundBy }));
