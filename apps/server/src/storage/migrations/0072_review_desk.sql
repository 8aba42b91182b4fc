-- A person takes an order in review, and others see who has it. The key lets one person take it.
create table order_reviewers (
  order_id bigint primary key references orders (id),
  person text not null check (person <> ''),
  -- The account that counts as one person.
  account text not null check (account <> ''),
  taken_at timestamptz not null default business_now()
);
create index order_reviewers_of_account on order_reviewers (account);

-- An order that leaves review is nobody's. Under review again, it is free to take.
create function end_review() returns trigger language plpgsql as $$
begin
  delete from order_reviewers where order_id = new.id;
  return null;
end $$;
create trigger orders_review_ends after update on orders for each row
  when (old.status = 'in_review' and new.status <> 'in_review')
  execute function end_review();

-- The lists of the operator by status and its reason, of all merchants and of one: each index has the page in order.
-- Most orders have no reason and are not in the other two.
create index orders_of_status on orders (status, created_at desc, id desc);
drop index orders_in_review;
create index orders_of_reason on orders (status, status_reason, created_at desc, id desc)
  where status_reason is not null;
create index orders_of_merchants_reason on orders (merchant_id, status, status_reason, created_at desc, id desc)
  where status_reason is not null;

-- Stops of a currency, a network and a payment method. They refuse new business as stops of a pair do.
alter table stops drop constraint stops_kind_check;
alter table stops add constraint stops_kind_check
  check (kind in ('all', 'rail', 'network', 'currency', 'method', 'pair', 'merchant'));

-- A refund of a stopped coin is stopped, and a refund in another currency is not.
create or replace function stops_of_payout(payout payout_intents) returns setof stops language sql stable as $$
  select stop.* from stops stop
    join orders o on o.id = payout.order_id
    join currencies spend on spend.id = o.spend_asset_id
    join currencies receive on receive.id = o.receive_asset_id
    join currencies paid on paid.id = payout.asset_id
    join delivery_methods delivery on delivery.id = o.delivery_method_id
    join payment_methods method on method.id =
      case payout.purpose when 'payout' then delivery.rail_id else o.payment_method_id end
  where case stop.kind
    when 'all' then true
    when 'merchant' then stop.subject = payout.merchant_id
    when 'pair' then stop.subject = spend.reference || '-' || receive.reference
    when 'currency' then stop.subject = paid.reference
    when 'network' then stop.subject = payout.network_code
    when 'method' then stop.subject = method.reference
    else stop.subject in (rail_of_payout(payout), split_part(rail_of_payout(payout), ':', 1)) end
  order by array_position(array['all', 'rail', 'network', 'currency', 'method', 'pair', 'merchant'], stop.kind),
    stop.subject
$$;
