-- The last time at which the screener had nothing against the payout.
alter table payout_intents add column screened_at timestamptz;

-- A release ends before anything is signed, when a later screening finds something. The payout has left its send by then, so
-- that nothing can be signed for it.
create or replace function guard_payout_release() returns trigger language plpgsql as $$
begin
  if old.released_at is not null and new.released_at is null and new.state = 'created' and not exists (
    select from chain_send_outputs where intent_id = new.id and not is_vacated
  ) then
    return new;
  end if;
  if old.released_at is not null and new.released_at is distinct from old.released_at then
    raise exception 'a payout intent is released once' using errcode = 'check_violation';
  end if;
  -- Nothing is signed for an adopted payout, so a stop does not prevent it.
  if new.adopted_at is not null and old.adopted_at is null
     and coalesce(new.signed_bytes, '') = '' then
    return new;
  end if;
  if new.state = 'signed' and exists (
    select from payout_releases release join chain_sends send on send.id = release.send_id
    where release.intent_id = new.id and release.voided_at is null and not send.is_vacated
  ) then
    return new;
  end if;
  perform refuse_stopped_payout(new);
  return new;
end $$;

-- A plan that was made with a payout would pay its amount as a fee after it left. An unsigned send is planned again.
create function forget_plan() returns trigger language plpgsql as $$
begin
  delete from chain_fee_terms where send_id = new.send_id
    and not exists (select from chain_transactions signed where signed.send_id = new.send_id);
  return null;
end $$;
create trigger chain_send_outputs_plan after update on chain_send_outputs for each row
  when (new.is_vacated and not old.is_vacated) execute function forget_plan();

-- A payout that left the send is not paid by its transaction: its release may have ended, and it may be stopped.
create or replace function guard_chain_transaction() returns trigger language plpgsql as $$
declare
  send chain_sends;
  payout payout_intents;
begin
  select * into send from chain_sends where id = new.send_id;
  if send.state not in ('bound', 'signed', 'sent') then
    raise exception 'a % send is not signed', send.state using errcode = 'check_violation';
  end if;
  for payout in select intent.* from chain_send_outputs o join payout_intents intent on intent.id = o.intent_id
    where o.send_id = new.send_id and not o.is_vacated and intent.adopted_at is null
  loop
    if payout.released_at is null then
      raise exception 'payout % was not released', payout.id
        using errcode = 'check_violation', constraint = 'payout_intents_released';
    end if;
    if not is_signer_asked(new.send_id) then
      perform refuse_stopped_payout(payout);
    end if;
  end loop;
  return new;
end $$;
