-- An order that is paid or ended holds no price, so its row leaves the open orders with the step that pays or ends it.
-- Each statement that places orders sums the rows of its merchant and its pair. Until now paid orders were summed too, up
-- to the number at which a cap is reached. The row of an order in review stays, because it may be paid again; the guard
-- removes such rows where a cap is reached.
create function end_open_order() returns trigger language plpgsql as $$
begin
  delete from open_orders where order_id = new.id;
  return null;
end $$;
create trigger orders_end_open after update of status on orders for each row
  when (old.status in ('awaiting_payment', 'payment_pending', 'in_review')
    and new.status not in ('awaiting_payment', 'payment_pending', 'in_review'))
  execute function end_open_order();

delete from open_orders o where not exists (select from orders
  where orders.id = o.order_id and orders.status in ('awaiting_payment', 'payment_pending', 'in_review'));
