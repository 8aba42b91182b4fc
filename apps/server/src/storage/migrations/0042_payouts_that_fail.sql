-- A signed payout may end without a payment in three ways: its rail rejected it, its transaction was mined and
-- moved nothing, or a transaction that we did not sign has its place.
alter table payout_intents add constraint payout_intents_void_reason
  check (void_reason in ('rejected', 'withdrawn', 'failed', 'dead'));

create or replace function guard_payout_intent() returns trigger language plpgsql as $$
declare
  states constant text[] := array['created', 'signed', 'broadcast', 'confirmed'];
begin
  if (new.id, new.order_id, new.merchant_id, new.asset_id, new.units, new.purpose, new.rail)
     is distinct from
     (old.id, old.order_id, old.merchant_id, old.asset_id, old.units, old.purpose, old.rail)
     or (new.network_code, new.address, new.memo, new.attempt_id, new.deposit_id)
     is distinct from
     (old.network_code, old.address, old.memo, old.attempt_id, old.deposit_id) then
    raise exception 'what a payout intent says cannot be changed' using errcode = 'check_violation';
  end if;
  if old.nonce is not null and new.nonce is distinct from old.nonce then
    raise exception 'a payout intent keeps its nonce' using errcode = 'check_violation';
  end if;
  if old.state in ('confirmed', 'void') and new.state <> old.state then
    raise exception 'a % payout intent stays so', old.state using errcode = 'check_violation';
  end if;
  -- Void after signing only where the rail proves that nothing was paid and nothing will be.
  if new.state = 'void' and old.state in ('signed', 'broadcast')
     and new.void_reason = 'withdrawn' then
    raise exception 'a signed payout intent is void only when its rail rejected it'
      using errcode = 'check_violation';
  end if;
  if new.state <> 'void'
     and array_position(states, new.state) < array_position(states, old.state) then
    raise exception 'a payout intent cannot go back from % to %', old.state, new.state
      using errcode = 'check_violation';
  end if;
  if old.signed_bytes is not null and (new.signed_bytes, new.transaction_hash)
     is distinct from (old.signed_bytes, old.transaction_hash) then
    raise exception 'a payout intent is signed once' using errcode = 'check_violation';
  end if;
  return new;
end $$;
