-- The part of an order's timeline that the calls of a merchant to advance it have followed.
create table if not exists sandbox.advances (
  merchant_id text not null references merchants (id),
  order_id bigint not null,
  timeline_items integer not null check (timeline_items > 0),
  primary key (merchant_id, order_id)
);
