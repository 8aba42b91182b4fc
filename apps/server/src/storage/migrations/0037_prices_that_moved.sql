-- An order whose price moved before its money was final is exchanged only at a price that its customer accepts.

-- A quote that offers a new price for an order. The order's first quote has none.
alter table quotes add column reprices_order_id bigint;

-- An order has one quote from its placing, and one for each new price that its customer accepted.
drop index quotes_one_order;
create unique index quotes_one_order on quotes (consumed_by_order_id)
  where consumed_by_order_id is not null and reprices_order_id is null;
alter table quotes add constraint quotes_reprice_their_order
  check (reprices_order_id is null or consumed_by_order_id is null
    or consumed_by_order_id = reprices_order_id);

-- `guard_order` allows the new price (0039_sealed_personal_data.sql).
