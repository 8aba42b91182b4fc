-- A payout on a live network is done before its block is final. Its send is followed until it is
-- (docs/decisions/0076-complete-a-payout-before-it-is-final.md).

alter table payout_intents add column awaits_finality boolean not null default false;
drop index payout_intents_under_way;
create index payout_intents_under_way on payout_intents (created_at desc, id desc)
  where state in ('created', 'signed', 'broadcast') or awaits_finality;

-- The chain dropped the payout of a completed order, and it can never be made any more.
insert into order_moves (from_status, to_status) values ('completed', 'in_review');

-- A send ends with its payout: at once where that is final, and otherwise when it becomes final.
drop trigger payout_intents_end_send on payout_intents;
create trigger payout_intents_end_send after update on payout_intents for each row
  when (new.rail = 'chain' and new.state = 'confirmed' and not new.awaits_finality
    and (old.state <> 'confirmed' or old.awaits_finality))
  execute function end_chain_send();

create function guard_awaited_finality() returns trigger language plpgsql as $$
begin
  if new.awaits_finality and (new.rail <> 'chain' or new.state <> 'confirmed'
     or not old.awaits_finality and old.state not in ('signed', 'broadcast')) then
    raise exception 'only a payout on a chain that was just paid awaits its final block'
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger payout_intents_awaited before update on payout_intents for each row
  when (new.awaits_finality) execute function guard_awaited_finality();

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
  -- A payout whose block is not final may still be dropped by its chain.
  if old.state in ('confirmed', 'void') and new.state <> old.state
     and not (old.awaits_finality and new.state = 'void') then
    raise exception 'a % payout intent stays so', old.state using errcode = 'check_violation';
  end if;
  if new.state = 'created' and old.state in ('signed', 'broadcast') then
    if is_planned_again(new) then
      return new;
    end if;
  end if;
  -- Void after signing only where the rail proves that nothing was paid and nothing will be.
  if new.state = 'void' and old.state in ('signed', 'broadcast', 'confirmed') then
    if (new.rail = 'chain') <> (new.void_reason in ('failed', 'dead'))
       or new.void_reason = 'withdrawn' then
      raise exception 'a signed payout intent is void only when its rail rejected it'
        using errcode = 'check_violation';
    end if;
    if new.rail = 'chain' and not exists (
      select from chain_send_outputs o join chain_sends send on send.id = o.send_id
      where o.intent_id = new.id and not o.is_vacated and send.state = new.void_reason
    ) then
      raise exception 'payout % is void only when its send is %', new.id, new.void_reason
        using errcode = 'check_violation';
    end if;
  end if;
  if new.state <> 'void'
     and array_position(states, new.state) < array_position(states, old.state) then
    raise exception 'a payout intent cannot go back from % to %', old.state, new.state
      using errcode = 'check_violation';
  end if;
  if old.transaction_hash is not null and (new.signed_bytes, new.transaction_hash)
     is distinct from (old.signed_bytes, old.transaction_hash) then
    raise exception 'a payout intent is signed once' using errcode = 'check_violation';
  end if;
  return new;
end $$;
