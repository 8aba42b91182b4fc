-- Orders from __FIRST__ to __LAST__ of the merchant __MERCHANT__ with all that belongs to them, as the
-- service would have written them: every operation, every kind of end, a third of them never paid.
-- Order n was placed at __AT__. Ids are as the service's own: an order's begins with its hour, of three
-- thousand orders, those of what belongs to it with the time, a session's with nothing. Each event was
-- delivered to each of the merchant's endpoints at the first try; those older than 90 days are left out,
-- as the service clears them away. Foreign keys and triggers are left out by the session's role;
-- `exchange ledger check` is what proves the result.

create temporary table if not exists book_orders (
  n bigint primary key, kind text, operation text, id bigint, session_id text, quote_id text,
  attempt_id uuid, deposit_id uuid, payout_id uuid, refund_id uuid,
  status text, status_reason text, held_from text, steps text[],
  spend_asset integer, spend_units numeric, receive_asset integer, receive_units numeric,
  fee numeric, delivery_fee numeric, spread numeric, method integer, delivery integer,
  rail_in text, account_in text, rail_out text, account_out text,
  received numeric, refund_units numeric, refund_purpose text, at timestamptz
);
create temporary table if not exists book_entries (
  n bigint, step integer, key text, kind text, asset integer, link text, reverses text,
  purposes text[], units numeric[], id bigint
);
create temporary table if not exists book_events (
  n bigint, id uuid, order_id bigint, event_type text, payload text, sequence bigint, at timestamptz
);
truncate book_orders, book_entries, book_events;

insert into book_orders
select n, shape, operation, orders.id, md5('session' || n)::uuid::text,
  'quo_' || ordered || substr(md5('quote' || n), 13),
  case when rail_in = 'card' and paid then (ordered || substr(md5('attempt' || n), 13))::uuid end,
  case when rail_in <> 'card' and paid then (ordered || substr(md5('deposit' || n), 13))::uuid end,
  case when shape in ('completed', 'excess', 'undone')
    then (ordered || substr(md5('payout' || n), 13))::uuid end,
  case when shape in ('excess', 'undone', 'refunded')
    then (ordered || substr(md5('refund' || n), 13))::uuid end,
  case shape when 'excess' then 'completed' when 'undone' then 'refunded' else shape end,
  case shape when 'in_review' then 'overpaid' when 'expired' then 'payment_timeout' end,
  case shape when 'in_review' then 'payment_pending' end,
  case shape
    when 'completed' then array['awaiting_payment', 'payment_pending', 'processing', 'sending', 'completed']
    when 'excess' then array['awaiting_payment', 'payment_pending', 'in_review', 'processing', 'sending', 'completed']
    when 'undone' then array['awaiting_payment', 'payment_pending', 'processing', 'sending', 'in_review', 'refund_pending', 'refunded']
    when 'refunded' then array['awaiting_payment', 'payment_pending', 'processing', 'in_review', 'refund_pending', 'refunded']
    when 'in_review' then array['awaiting_payment', 'payment_pending', 'in_review']
    when 'awaiting_payment' then array['awaiting_payment']
    else array['awaiting_payment', shape] end,
  spend.id, 10000 + n % 5000, receive.id, 150000 + n % 7000, 3000, n % 3 * 100, 2000 + n % 100,
  method.id, delivery.id, rail_in,
  case rail_in when 'card' then 'card_processor' when 'chain' then 'chain_wallet' else 'bank_account' end,
  rail_out, case rail_out when 'chain' then 'chain_wallet' else 'bank_account' end,
  case when paid then 10000 + n % 5000 + excess end,
  case when shape = 'excess' then excess when shape in ('undone', 'refunded') then 10000 + n % 5000 end,
  case when shape = 'excess' then 'excess_refund' else 'refund' end,
  __AT__
from (
  select n, operation, shape,
    2099511627776 + n / 3000 * 4194304 + n * 2654435761 % 4194304 as id, lpad(to_hex(n), 12, '0') as ordered,
    shape not in ('expired', 'cancelled', 'awaiting_payment') as paid,
    case when shape in ('excess', 'in_review') then 500 else 0 end as excess,
    case operation when 'buy' then 'card' when 'fiat_to_fiat' then 'bank' else 'chain' end as rail_in,
    case when operation in ('buy', 'crypto_to_crypto') then 'chain' else 'bank' end as rail_out
  from (
    select n, case when n % 20 <= 4 or n % 20 = 15 then 'expired'
        when n % 20 <= 13 then 'completed' when n % 20 = 14 then 'excess'
        when n % 40 = 16 then 'refunded' when n % 40 = 36 then 'undone'
        when n % 20 = 17 then 'in_review' when n % 20 = 18 then 'awaiting_payment'
        else 'cancelled' end as shape,
      case when n % 20 in (11, 12) then 'sell' when n % 20 = 13 then 'crypto_to_crypto'
        when n % 20 in (14, 17) then 'fiat_to_fiat' else 'buy' end as operation
    from generate_series(__FIRST__::bigint, __LAST__::bigint) n) kinds
) orders
join currencies spend on spend.reference =
  case when operation in ('buy', 'fiat_to_fiat') then 'eur' else 'btc' end
join currencies receive on receive.reference = case operation when 'buy' then 'btc'
  when 'sell' then 'eur' when 'crypto_to_crypto' then 'eth' else 'usd' end
join payment_methods method on method.reference =
  case rail_in when 'card' then 'card' when 'bank' then 'sepa' else 'crypto' end
join delivery_methods delivery on delivery.reference = case when rail_out = 'chain'
  then 'blockchain_transfer' when operation = 'sell' then 'sepa' else 'ach' end;
analyze book_orders;

insert into sessions (merchant_id, session_id, status, token_jti, token_expires_at, scope, order_id,
  created_at, updated_at)
select '__MERCHANT__', session_id, 'expired', md5('token' || n)::uuid, at + interval '30 minutes', '{}',
  id, at, at from book_orders order by n;

insert into quotes (id, merchant_id, session_id, operation, spend_currency_id, spend_units,
  receive_currency_id, receive_units, rate, mid_rate, fees, transaction_fee_units, delivery_fee_units,
  spread_units, payment_method_id, delivery_method_id, limit_min_units, limit_max_units, rate_source,
  created_at, expires_at, consumed_by_order_id, consumed_at)
select quote_id, '__MERCHANT__', session_id, operation, spend_asset, spend_units, receive_asset,
  receive_units, 15, 16, '[{"type": "percentage", "units": "3000"}]', fee, delivery_fee, spread, method,
  delivery, 1, 1000000, 'volume', at - interval '10 seconds', at + interval '20 seconds', id, at
from book_orders order by n;

-- The personal data of these orders was erased: they have no data keys.
insert into orders (id, merchant_id, session_id, quote_id, operation, status, status_reason, held_from,
  payment_method_id, delivery_method_id, spend_asset_id, spend_units, received_units, receive_asset_id,
  receive_units, wallet_address, network_code, personal, payment_expires_at, version, created_at,
  updated_at, completed_at)
select id, '__MERCHANT__', session_id, quote_id, operation, status, status_reason, held_from, method,
  delivery, spend_asset, spend_units, received, receive_asset, receive_units,
  case when rail_out = 'chain' then 'address-' || n end, case when rail_out = 'chain' then 'bitcoin' end,
  decode(repeat('00', 120), 'hex'), at + interval '30 minutes', cardinality(steps), at,
  at + interval '1 minute', case when status = 'completed' then at + interval '1 minute' end
from book_orders order by n;

insert into order_events (order_id, sequence, merchant_id, status, actor, note, at, recorded_by)
select id, sequence, '__MERCHANT__', step, 'system', 'a step of the volume', at + sequence * interval '5 seconds',
  null
from book_orders, unnest(steps) with ordinality as told (step, sequence) order by n, sequence;

insert into payment_attempts (id, order_id, merchant_id, number, card_token, brand, last_four, asset_id,
  units, status, created_at, updated_at)
select attempt_id, id, '__MERCHANT__', 1, 'token-' || n, 'Visa', '2701', spend_asset, received,
  'captured', at, at from book_orders where attempt_id is not null order by n;

insert into deposits (id, order_id, merchant_id, rail, source, external_id, asset_id, units, state,
  confirmations, created_at, updated_at)
select deposit_id, id, '__MERCHANT__', rail_in, 'sandbox', 'volume-' || n, spend_asset, received, 'final', 6, at, at
from book_orders where deposit_id is not null order by n;

insert into payout_intents (id, order_id, merchant_id, asset_id, units, network_code, address, state,
  transaction_hash, signed_bytes, confirmations, purpose, rail, attempt_id, deposit_id, released_at,
  void_reason, created_at, updated_at)
select intent, id, '__MERCHANT__', asset, units, case when rail = 'chain' then 'bitcoin' end,
  case when rail = 'chain' then 'address-' || n end,
  case when void_reason is null then 'confirmed' else 'void' end,
  case when void_reason is null then 'hash-' || intent end,
  case when void_reason is null and rail <> 'chain' then '\x00'::bytea end,
  6, purpose, rail, attempt, deposit, at, void_reason, at, at
from (
  select n, id, payout_id as intent, receive_asset as asset, receive_units as units, rail_out as rail,
    'payout' as purpose, null::uuid as attempt, null::uuid as deposit, at,
    case when kind = 'undone' then 'withdrawn' end as void_reason
  from book_orders where payout_id is not null
  union all
  select n, id, refund_id, spend_asset, refund_units, rail_in, refund_purpose, attempt_id, deposit_id, at,
    null from book_orders where refund_id is not null
) intents order by n;

insert into book_events
select n, ordered_uuid(), id, told, format('{"eventType":"%s","sessionId":"%s","details":' ||
    '{"orderId":%s,"status":"%s","paymentMethod":"Credit or debit card","fulfilled":%s,' ||
    '"totalPrice":%s,"totalPriceCurrency":"EUR","exchangeDetails":{"baseCurrency":"EUR",' ||
    '"amountReceived":%s,"targetCurrency":"BTC","amountToSend":%s,"operationType":"B"}}}',
    told, session_id, id, status, (status = 'completed')::text, trim_scale(spend_units / 100),
    trim_scale(spend_units / 100), trim_scale(receive_units / 100000000)),
  nextval('events_sequence_seq'), at
from (
  select *, unnest(array['OrderCreated', case status when 'completed' then 'OrderFulfillment'
    when 'refunded' then 'OrderRefunded' end]) as told from book_orders) tellings
where told is not null and at > business_now() - interval '90 days' order by n;

-- They have been read: each has its place in the merchant's feed.
insert into events (merchant_id, id, order_id, sequence, event_type, payload, created_at, position)
select '__MERCHANT__', id, order_id, sequence, event_type, payload, at, sequence
from book_events order by sequence;

insert into deliveries (merchant_id, event_id, endpoint_id, order_id, sequence, attempts,
  attempted_at, created_at, duration_ms, status)
select '__MERCHANT__', event.id, endpoint.id, order_id, sequence, 1, at, at, 20 + n % 100, 204
from book_events event join webhook_endpoints endpoint on endpoint.merchant_id = '__MERCHANT__'
order by sequence;

insert into ledger_accounts (merchant_id, purpose, asset_id)
select distinct '__MERCHANT__', purpose, asset from book_orders,
  unnest(array['card_processor', 'bank_account', 'customer_funds', 'liquidity', 'customer_payable',
    'payouts_in_flight', 'refunds_in_flight', 'chain_wallet', 'spread_revenue', 'fee_revenue',
    'delivery_fee_revenue']) purpose, unnest(array[spend_asset, receive_asset]) asset
on conflict do nothing;

with lines as (
  select *, 'exchange:' || id as link, kind in ('completed', 'excess', 'undone') as exchanged,
    kind = 'undone' as undone, receive_units + fee + delivery_fee + spread as given,
    array['liquidity', 'customer_payable', 'fee_revenue', 'delivery_fee_revenue', 'spread_revenue'] as priced
  from book_orders)
insert into book_entries
select entry.*, nextval('ledger_entries_id_seq') from (
select n, 1 as step, 'capture:' || attempt_id, 'capture', spend_asset, null, null,
  array['card_processor', 'customer_funds'], array[received, -received]
from lines where attempt_id is not null
union all select n, 1, 'deposit:' || deposit_id, 'deposit', spend_asset, null, null,
  array[account_in, 'customer_funds'], array[received, -received] from lines where deposit_id is not null
union all select n, 2, link || ':spend', 'exchange', spend_asset, link, null,
  array['customer_funds', 'liquidity'], array[spend_units, -spend_units] from lines where exchanged
union all select n, 3, link || ':receive', 'exchange', receive_asset, link, null, priced,
  array[given, -receive_units, -fee, -delivery_fee, -spread] from lines where exchanged
union all select n, 4, 'payout_reserved:' || payout_id, 'payout_reserved', receive_asset, null, null,
  array['customer_payable', 'payouts_in_flight'], array[receive_units, -receive_units] from lines where exchanged
union all select n, 5, 'payout:' || payout_id, 'payout', receive_asset, null, null,
  array['payouts_in_flight', account_out], array[receive_units, -receive_units]
from lines where exchanged and not undone
union all select n, 5, 'payout_voided:' || payout_id, 'payout_voided', receive_asset, null,
  'payout_reserved:' || payout_id, array['customer_payable', 'payouts_in_flight'],
  array[-receive_units, receive_units] from lines where undone
union all select n, 6, link || ':spend:reversed', 'reversal', spend_asset, link, link || ':spend',
  array['customer_funds', 'liquidity'], array[-spend_units, spend_units] from lines where undone
union all select n, 6, link || ':receive:reversed', 'reversal', receive_asset, link, link || ':receive', priced,
  array[-given, receive_units, fee, delivery_fee, spread] from lines where undone
union all select n, 7, 'refund_reserved:' || refund_id, 'refund_reserved', spend_asset, null, null,
  array['customer_funds', 'refunds_in_flight'], array[refund_units, -refund_units] from lines where refund_id is not null
union all select n, 8, 'refund:' || refund_id, 'refund', spend_asset, null, null,
  array['refunds_in_flight', account_in], array[refund_units, -refund_units] from lines where refund_id is not null
order by n, step) entry;
analyze book_entries;

-- History: recorded before the auditor's watermark, so it is nobody's news.
insert into ledger_entries (id, merchant_id, key, kind, asset_id, order_id, link, effective_at,
  recorded_by, reverses)
overriding system value
select entry.id, '__MERCHANT__', entry.key, entry.kind, entry.asset, o.id, entry.link,
  o.at + entry.step * interval '5 seconds', '1', undone.id
from book_entries entry join book_orders o using (n)
  left join book_entries undone on undone.key = entry.reverses order by entry.id;
insert into ledger_postings (entry_id, line, account_id, asset_id, units)
select entry.id, line.number, account.id, entry.asset, line.units
from book_entries entry
  cross join unnest(entry.purposes, entry.units) with ordinality as line (purpose, units, number)
  join ledger_accounts account on account.merchant_id = '__MERCHANT__' and account.purpose = line.purpose
    and account.asset_id = entry.asset
where line.units <> 0 order by entry.id, line.number;

-- The folded balances are counted anew with them, and the feed continues after them.
delete from ledger_fold;
insert into event_feeds (merchant_id, last_position)
select '__MERCHANT__', max(sequence) from book_events having max(sequence) is not null
on conflict (merchant_id) do update
  set last_position = greatest(event_feeds.last_position, excluded.last_position);
