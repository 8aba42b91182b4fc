-- The orders that are placed and not paid yet, by the amount whose price they hold, so that caps can bound it.
-- The row of an order that was paid or ended stays until a cap is reached, so no step of an order pays for it.
-- Without caps the table stays empty.
create table open_orders (
  order_id bigint primary key,
  merchant_id text not null,
  spend_asset_id integer not null references currencies (id),
  receive_asset_id integer not null references currencies (id),
  -- The keyed digest of the merchant's reference of its customer, in hex; null where the merchant gave none.
  customer_digest text,
  euro_cents bigint not null check (euro_cents >= 0)
);
create index open_orders_of_merchant on open_orders (merchant_id, customer_digest);
create index open_orders_of_pair on open_orders (spend_asset_id, receive_asset_id);

-- Returns the scope of a cap that the rows of `open_orders` exceed, and null where they exceed none.
create function exceeded_open_orders_cap(placed jsonb) returns text language sql as $$
  with wanted as (
    select distinct merchant_id, spend_asset_id, receive_asset_id, customer_digest, pair_cap,
      merchant_cap, customer_cap
    from jsonb_to_recordset(placed) as p(merchant_id text, spend_asset_id int,
      receive_asset_id int, customer_digest text, pair_cap bigint, merchant_cap bigint,
      customer_cap bigint)),
  capped as (
    select distinct 'pair' as scope, spend_asset_id, receive_asset_id, null as merchant_id,
      null as customer_digest, pair_cap as cap
    from wanted where pair_cap is not null
    union all
    select distinct 'merchant', null::int, null::int, merchant_id, null, merchant_cap
    from wanted where merchant_cap is not null
    union all
    select distinct 'customer', null::int, null::int, merchant_id, customer_digest, customer_cap
    from wanted where customer_cap is not null and customer_digest is not null)
  select scope from capped
  where cap < case scope
      when 'pair' then (select sum(o.euro_cents) from open_orders o
        where o.spend_asset_id = capped.spend_asset_id
          and o.receive_asset_id = capped.receive_asset_id)
      when 'merchant' then (select sum(o.euro_cents) from open_orders o
        where o.merchant_id = capped.merchant_id)
      else (select sum(o.euro_cents) from open_orders o
        where o.merchant_id = capped.merchant_id and o.customer_digest = capped.customer_digest)
    end
  order by scope limit 1
$$;

-- Adds new orders to the open ones, and raises EX002 with the scope of a cap that they exceed. The locks come
-- first, in one order. The later statements then see every earlier commit, so two placements cannot both fit
-- into the same room.
create function guard_open_orders(placed jsonb) returns boolean language plpgsql strict as $$
declare
  exceeded text;
begin
  perform pg_advisory_xact_lock(38, sorted.number)
  from (
    select distinct hashtext(key) as number
    from jsonb_to_recordset(placed) as p(merchant_id text, spend_asset_id int, receive_asset_id int),
      lateral (values ('merchant:' || p.merchant_id),
        ('pair:' || p.spend_asset_id || ':' || p.receive_asset_id)) keys (key)
    order by number
  ) sorted;
  insert into open_orders (order_id, merchant_id, spend_asset_id, receive_asset_id, customer_digest,
    euro_cents)
  select p.id, p.merchant_id, p.spend_asset_id, p.receive_asset_id, p.customer_digest, p.euro_cents
  from jsonb_to_recordset(placed) as p(id bigint, merchant_id text, spend_asset_id int,
    receive_asset_id int, customer_digest text, euro_cents bigint);
  exceeded := exceeded_open_orders_cap(placed);
  if exceeded is null then
    return true;
  end if;
  -- An order that was paid or ended holds no price.
  delete from open_orders o
  where (o.merchant_id in (select p ->> 'merchant_id' from jsonb_array_elements(placed) p)
      or (o.spend_asset_id, o.receive_asset_id) in (
        select (p ->> 'spend_asset_id')::int, (p ->> 'receive_asset_id')::int
        from jsonb_array_elements(placed) p))
    and o.order_id not in (select (p ->> 'id')::bigint from jsonb_array_elements(placed) p)
    and not exists (select from orders where orders.id = o.order_id
      and orders.status in ('awaiting_payment', 'payment_pending'));
  exceeded := exceeded_open_orders_cap(placed);
  if exceeded is not null then
    raise exception '%', exceeded using errcode = 'EX002';
  end if;
  return true;
end $$;
