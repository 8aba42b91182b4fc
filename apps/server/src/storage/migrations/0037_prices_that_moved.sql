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

create or replace function guard_order() returns trigger language plpgsql as $$
begin
  if new.status <> old.status and not exists (
    select 1 from order_moves where from_status = old.status and to_status = new.status
  ) then
    raise exception 'an order cannot go from % to %', old.status, new.status
      using errcode = 'check_violation', constraint = 'order_moves';
  end if;
  if (new.id, new.merchant_id, new.session_id, new.operation, new.spend_asset_id,
      new.spend_units, new.receive_asset_id, new.payment_method_id, new.delivery_method_id)
     is distinct from
     (old.id, old.merchant_id, old.session_id, old.operation, old.spend_asset_id,
      old.spend_units, old.receive_asset_id, old.payment_method_id, old.delivery_method_id)
     or (new.wallet_address, new.network_code, new.memo, new.payout_sealed)
     is distinct from (old.wallet_address, old.network_code, old.memo, old.payout_sealed) then
    raise exception 'what an order promises cannot be changed' using errcode = 'check_violation';
  end if;
  -- The price changes only while the order waits for the customer's answer, and only to one that was used for it.
  if (new.quote_id, new.receive_units) is distinct from (old.quote_id, old.receive_units)
     and not (old.status = 'in_review' and old.status_reason = 'rate_moved'
       and old.held_from = 'processing' and new.status = 'processing'
       and exists (select from quotes q where q.id = new.quote_id
         and q.consumed_by_order_id = new.id and q.reprices_order_id = new.id
         and q.receive_units = new.receive_units)) then
    raise exception 'what an order promises cannot be changed' using errcode = 'check_violation';
  end if;
  if new.version <> old.version + 1 then
    raise exception 'an order changes one version at a time' using errcode = 'check_violation';
  end if;
  return new;
end $$;
