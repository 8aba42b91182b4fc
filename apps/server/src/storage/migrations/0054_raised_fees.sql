-- The fees of sends that spend coins are raised, by another version of the transaction or by one that spends its change.
-- A raised transaction takes along what was built on its old change (docs/decisions/0067-raise-fees-of-coins.md).

alter table chain_sends
  drop constraint chain_sends_purpose_check,
  add constraint chain_sends_purpose_check
    check (purpose in ('payout', 'sweep', 'top_up', 'cancel', 'rebalance', 'raise')),
  -- The payout's send whose fee this one raises: it moves our change to our change.
  add column raises uuid references chain_sends,
  add constraint chain_sends_raises_check check ((purpose = 'raise') = (raises is not null));
create index chain_sends_raise on chain_sends (raises) where purpose = 'raise';
create index chain_sends_raise_under_way on chain_sends (created_at)
  where purpose = 'raise' and state in ('bound', 'signed', 'sent');

-- The transaction of a coin.
create index chain_coins_transaction on chain_coins (split_part(outpoint, ':', 1));

create function guard_raise() returns trigger language plpgsql as $$
begin
  if new.raises is distinct from old.raises then
    raise exception 'a send raises the fee of one send' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger chain_sends_raise_guarded before update on chain_sends
  for each row when (new.purpose = 'raise') execute function guard_raise();

-- Whether a send is dead because a final transaction of ours made it impossible: another version of what it builds on.
create function is_lost_send(send uuid) returns boolean stable language sql as $$
  select exists (select from chain_sends s join chain_transactions t on t.hash = s.dead_by
    where s.id = send and s.state = 'dead')
$$;

-- Whether nothing can spend the coins of a send any more: it is dead, or it was given up before anything was released.
-- The coins of a lost send are free for others when its payouts are signed with other coins. The signer refuses them
-- earlier. A raise is vacated only after the signer refused it.
create or replace function has_left_coins(send uuid) returns boolean stable language sql as $$
  select exists (select from chain_sends s where s.id = send and (
    s.state = 'dead' and not (is_lost_send(s.id) and exists (
      select from chain_send_outputs o join payout_intents intent on intent.id = o.intent_id
      where o.send_id = s.id and intent.state = 'created'))
    or s.purpose = 'raise' and s.state = 'vacated'
    or s.state in ('bound', 'vacated')
      and not exists (select from payout_releases r where r.send_id = s.id and r.voided_at is null)
      and not exists (
        select from chain_send_outputs o join payout_intents intent on intent.id = o.intent_id
        where o.send_id = s.id and not o.is_vacated and intent.state <> 'void')
      and exists (select from chain_send_outputs o where o.send_id = s.id)))
$$;

-- Whether a send pays again what a lost one should have paid. It may take the coins of the lost one.
create function pays_again(send uuid, lost uuid) returns boolean stable language sql as $$
  select is_lost_send(lost) and exists (
    select from chain_send_outputs before
      join chain_send_outputs again on again.intent_id = before.intent_id and not again.is_vacated
    where before.send_id = lost and before.is_vacated and again.send_id = send)
$$;

create or replace function guard_chain_coin() returns trigger language plpgsql as $$
begin
  if (new.network_code, new.outpoint, new.account, new.branch, new.key_index, new.units)
     is distinct from (old.network_code, old.outpoint, old.account, old.branch, old.key_index, old.units) then
    raise exception 'what the coin % says cannot be changed', old.outpoint using errcode = 'check_violation';
  end if;
  if old.send_id is not null and new.send_id is distinct from old.send_id
     and not has_left_coins(old.send_id) and not pays_again(new.send_id, old.send_id) then
    raise exception 'the coin % belongs to a send that is not dead', old.outpoint
      using errcode = 'check_violation';
  end if;
  return new;
end $$;

-- A payout leaves its send only when that was given up before it was signed, or was lost.
create function guard_vacated_output() returns trigger language plpgsql as $$
begin
  if not is_lost_send(new.send_id)
     and not exists (select from chain_sends where id = new.send_id and state = 'bound') then
    raise exception 'a payout leaves a send that is lost or was never signed'
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger chain_send_outputs_left before update on chain_send_outputs
  for each row when (new.is_vacated and not old.is_vacated) execute function guard_vacated_output();

-- A payout that was signed is planned again only when its send is lost: then no transaction of it can be mined.
create function is_planned_again(intent payout_intents) returns boolean stable language sql as $$
  select intent.rail = 'chain' and intent.transaction_hash is null and intent.adopted_at is null
    and not exists (select from chain_send_outputs o where o.intent_id = intent.id and not o.is_vacated)
    and exists (select from chain_send_outputs o
      where o.intent_id = intent.id and o.is_vacated and is_lost_send(o.send_id))
$$;

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
  if old.state in ('confirmed', 'void') and new.state <> old.state then
    raise exception 'a % payout intent stays so', old.state using errcode = 'check_violation';
  end if;
  if new.state = 'created' and old.state in ('signed', 'broadcast') then
    if is_planned_again(new) then
      return new;
    end if;
  end if;
  -- Void after signing only where the rail proves that nothing was paid and nothing will be.
  if new.state = 'void' and old.state in ('signed', 'broadcast') then
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
