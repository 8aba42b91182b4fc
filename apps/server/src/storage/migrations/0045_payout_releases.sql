-- What the worker released for signing, and the terms of each signature. Both are written before the signer is asked,
-- so that the same question is asked again after a crash (docs/decisions/0060-release-before-signing.md).
create table payout_releases (
  send_id uuid not null references chain_sends,
  intent_id uuid not null references payout_intents,
  -- The text that was signed, as domain/payouts/release-text.ts writes it.
  text text not null,
  signature text not null,
  -- The last time at which the signer was asked.
  asked_at timestamptz not null default clock_timestamp(),
  -- Set when the signer refused it, so that nothing was signed. Until then the signer may have signed.
  voided_at timestamptz,
  primary key (send_id, intent_id)
);
create index payout_releases_intent on payout_releases (intent_id);

create table chain_fee_terms (
  send_id uuid not null references chain_sends,
  -- The number of the transaction in chain_transactions.
  number integer not null check (number > 0),
  terms jsonb not null,
  primary key (send_id, number)
);

-- Approvals that operators signed with their own keys, which the signer asks for above its limit.
create table payout_approval_signatures (
  intent_id uuid not null references payout_intents,
  -- The name of the key in the signer's policy.
  key_name text not null check (key_name <> ''),
  person text not null,
  signature text not null,
  at timestamptz not null default business_now(),
  primary key (intent_id, key_name, signature)
);
create trigger payout_approval_signatures_insert_only before update or delete on payout_approval_signatures
  for each row execute function refuse_change();

-- The signer is asked after this row is committed. A stop that is committed earlier prevents the question.
create function guard_payout_request() returns trigger language plpgsql as $$
declare
  payout payout_intents;
begin
  if tg_op = 'UPDATE' and (new.text, new.signature) is distinct from (old.text, old.signature)
     and exists (select from chain_transactions where send_id = old.send_id) then
    raise exception 'the release of a signed send stays so' using errcode = 'check_violation';
  end if;
  if new.voided_at is null then
    select * into payout from payout_intents where id = new.intent_id;
    perform refuse_stopped_payout(payout);
  end if;
  return new;
end $$;
create trigger payout_releases_guarded before insert or update on payout_releases
  for each row execute function guard_payout_request();
create trigger payout_releases_kept before delete on payout_releases
  for each row execute function refuse_change();

-- The signer refuses a cancel at a place where it signed a payment, so such a place is not given up.
create function guard_vacated_send() returns trigger language plpgsql as $$
begin
  if exists (select from payout_releases where send_id = old.id and voided_at is null) then
    raise exception 'the signer may have signed send %', old.id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger chain_sends_vacated before update on chain_sends for each row
  when (new.state = 'vacated' and old.state <> 'vacated') execute function guard_vacated_send();

-- A payout on a live network is past the controls once its signer was asked: to throw the answer away would leave a
-- place that nothing else can fill.
create function is_signer_asked(send uuid) returns boolean language sql stable as $$
  select exists (select from payout_releases where send_id = send and voided_at is null)
    and not exists (select from chain_transactions where send_id = send)
$$;

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
    where o.send_id = new.send_id and intent.adopted_at is null
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

create or replace function guard_payout_release() returns trigger language plpgsql as $$
begin
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
