-- The customer's refund address is set once. Another one takes the customer, who asks for it, and a person of the
-- operator, who approves it.
alter table orders
  add column requested_refund_address text,
  add column requested_refund_memo text,
  add constraint orders_requested_refund_memo
    check (requested_refund_memo is null or requested_refund_address is not null);

-- The subjects that the screener hit. Only operators see them.
alter table order_events add column screening_hits jsonb
  check (jsonb_typeof(screening_hits) = 'array' and jsonb_array_length(screening_hits) > 0);

create function guard_refund_address() returns trigger language plpgsql as $$
begin
  if (new.refund_address, new.refund_memo)
     is distinct from (old.requested_refund_address, old.requested_refund_memo) then
    raise exception 'a refund address is replaced only as the customer asked'
      using errcode = 'check_violation', constraint = 'orders_refund_address';
  end if;
  return new;
end $$;
create trigger orders_refund_address_guarded before update on orders
  for each row when (old.refund_address is not null
    and (new.refund_address is distinct from old.refund_address
      or new.refund_memo is distinct from old.refund_memo))
  execute function guard_refund_address();
