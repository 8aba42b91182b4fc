-- A bank announces a transfer, and settles another amount where a bank on the way took a fee. So the asset and amount of
-- a bank's deposit can change until it is final.
create or replace function guard_deposit() returns trigger language plpgsql as $$
begin
  if (new.id, new.order_id, new.merchant_id, new.rail, new.source, new.external_id)
     is distinct from
     (old.id, old.order_id, old.merchant_id, old.rail, old.source, old.external_id)
     or (old.rail = 'chain' or old.state = 'final')
     and (new.asset_id, new.units) is distinct from (old.asset_id, old.units)
  then
    raise exception 'what a deposit is cannot be changed' using errcode = 'check_violation';
  end if;
  if old.state = 'final' and new.state <> 'final' then
    raise exception 'a final deposit stays final' using errcode = 'check_violation';
  end if;
  return new;
end $$;
