-- The time until a payment by this method arrives. Null means unknown.
alter table payment_methods
  add column min_days integer check (min_days >= 0),
  add column max_days integer check (max_days >= min_days);

-- As in 0050_service_roles.sql, with the change of a payment method
-- (docs/decisions/0078-let-a-refused-card-become-a-transfer.md).
create or replace function guard_order() returns trigger language plpgsql as $$
begin
  if new.status <> old.status and not exists (
    select 1 from order_moves where from_status = old.status and to_status = new.status
      and (by_request and (old.status <> 'in_review' or old.status_reason is distinct from 'screening_hit'
        and (new.status <> 'processing' or old.status_reason = 'rate_moved')) or may_decide())
  ) then
    raise exception 'an order cannot go from % to %', old.status, new.status
      using errcode = 'check_violation', constraint = 'order_moves';
  end if;
  if new.status = old.status and new.status_reason is distinct from old.status_reason and not may_decide() then
    raise exception 'the reason of a status changes with it' using errcode = 'check_violation';
  end if;
  if (new.id, new.merchant_id, new.session_id, new.operation, new.spend_asset_id,
      new.spend_units, new.receive_asset_id, new.delivery_method_id)
     is distinct from
     (old.id, old.merchant_id, old.session_id, old.operation, old.spend_asset_id,
      old.spend_units, old.receive_asset_id, old.delivery_method_id)
     or (new.wallet_address, new.network_code, new.memo)
     is distinct from (old.wallet_address, old.network_code, old.memo) then
    raise exception 'what an order promises cannot be changed' using errcode = 'check_violation';
  end if;
  -- The price changes only while the order waits for the customer's answer, and only to one that was used for it. A
  -- refused card may be replaced by a transfer, while no money is under way: price and payment method change together.
  if (new.quote_id, new.receive_units, new.payment_method_id)
     is distinct from (old.quote_id, old.receive_units, old.payment_method_id)
     and not (exists (select from quotes q where q.id = new.quote_id
         and q.consumed_by_order_id = new.id and q.reprices_order_id = new.id
         and q.receive_units = new.receive_units and q.payment_method_id = new.payment_method_id)
       and (old.status = 'in_review' and old.status_reason = 'rate_moved'
           and old.held_from = 'processing' and new.status = 'processing'
           and new.payment_method_id = old.payment_method_id
         or old.status = 'awaiting_payment' and new.status = 'awaiting_payment'
           and coalesce(old.received_units, 0) = 0
           and exists (select from payment_methods m where m.id = old.payment_method_id and m.type = 'card')
           and not exists (select from payment_instructions i where i.order_id = old.id)
           and not exists (select from payment_attempts a where a.order_id = old.id
             and a.status in ('processing', 'challenge', 'authorized', 'captured')))) then
    raise exception 'what an order promises cannot be changed' using errcode = 'check_violation';
  end if;
  -- The fields of the payout are a promise too. They are sealed once, and stay.
  if old.personal is not null
     and (new.personal, new.payout_sealed) is distinct from (old.personal, old.payout_sealed)
     or new.personal is null and new.payout_sealed is distinct from old.payout_sealed then
    raise exception 'what an order promises cannot be changed' using errcode = 'check_violation';
  end if;
  if new.version <> old.version + 1 then
    raise exception 'an order changes one version at a time' using errcode = 'check_violation';
  end if;
  return new;
end $$;
