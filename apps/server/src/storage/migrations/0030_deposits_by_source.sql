-- Two networks may have the same transaction hash, and two banks may use the same number. A deposit is therefore
-- identified by its network or bank too.
alter table deposits add column source text;
alter table deposits disable trigger deposits_guarded;
-- The sandbox's bank is the only one that earlier versions had.
update deposits set source = coalesce(
  (select network_code from payment_instructions i where i.order_id = deposits.order_id), 'sandbox');
alter table deposits enable trigger deposits_guarded;
alter table deposits
  alter column source set not null,
  drop constraint deposits_rail_external_id_key,
  add unique (rail, source, external_id);

create or replace function guard_deposit() returns trigger language plpgsql as $$
begin
  if (new.id, new.order_id, new.merchant_id, new.rail, new.source, new.external_id, new.asset_id, new.units)
     is distinct from
     (old.id, old.order_id, old.merchant_id, old.rail, old.source, old.external_id, old.asset_id, old.units)
  then
    raise exception 'what a deposit is cannot be changed' using errcode = 'check_violation';
  end if;
  if old.state = 'final' and new.state <> 'final' then
    raise exception 'a final deposit stays final' using errcode = 'check_violation';
  end if;
  return new;
end $$;
