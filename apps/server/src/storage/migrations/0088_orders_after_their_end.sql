-- The observer looks for refunds of an excess that were rejected. They are few, however many payouts there are.
create index payout_intents_excess_void on payout_intents (order_id)
  where purpose = 'excess_refund' and state = 'void';

-- Orders that were held for long, or released with a payment under way, may have lost these jobs.
insert into jobs (kind, key, order_id, merchant_id, run_at)
  select 'expire_order', 'expire_order:' || id, id, merchant_id, greatest(payment_expires_at, business_now())
  from orders where status in ('awaiting_payment', 'payment_pending')
  on conflict (key) do nothing;
insert into jobs (kind, key, order_id, merchant_id)
  select 'watch_payment', 'watch_payment:' || o.id, o.id, o.merchant_id
  from orders o join payment_instructions i on i.order_id = o.id
  where o.status not in ('completed', 'failed', 'expired', 'cancelled', 'refunded')
  on conflict (key) do nothing;
