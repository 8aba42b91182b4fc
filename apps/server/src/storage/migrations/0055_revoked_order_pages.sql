-- Every order has a page of its own for its customer. The secret in its address is derived from the order's id and a
-- key that the database does not hold, so only a revoked page needs a row.
create table revoked_order_pages (
  order_id bigint primary key references orders (id),
  merchant_id text not null references merchants (id),
  revoked_at timestamptz not null default business_now()
);
