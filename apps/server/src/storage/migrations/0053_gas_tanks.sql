-- Sends between addresses of ours: raised fees, filled holes, a wallet of their own, and how they end
-- (docs/decisions/0068-let-a-gas-tank-pay-for-sweeps.md).

-- The name of the deposit address by which the signer was asked. Until it answers, it may have signed, so the place
-- of the send is not given up. The same name asks the same question, also after the rails file was changed.
alter table chain_sends add column asked_as text;

create or replace function guard_vacated_send() returns trigger language plpgsql as $$
begin
  if new.asked_as is not null
     or exists (select from payout_releases where send_id = old.id and voided_at is null) then
    raise exception 'the signer may have signed send %', old.id using errcode = 'check_violation';
  end if;
  return new;
end $$;

-- A gas tank pays for the transactions of deposit addresses, and nothing else.
alter table chain_wallets drop constraint chain_wallets_role_check,
  add constraint chain_wallets_role_check check (role in ('hot', 'gas', 'deposits', 'cold'));
create unique index chain_wallets_gas on chain_wallets (network_code) where role = 'gas' and state = 'open';

-- The transaction of a sweep or a top-up may move something else too. Its row has the id of the send.
alter table payout_mismatches drop constraint payout_mismatches_intent_id_fkey,
  drop constraint payout_mismatches_outcome_check,
  add constraint payout_mismatches_outcome_check check (outcome in ('paid', 'unpaid', 'moved'));
alter table payout_resolutions drop constraint payout_resolutions_outcome_check,
  add constraint payout_resolutions_outcome_check check (outcome in ('paid', 'unpaid', 'moved'));
create function guard_mismatch_subject() returns trigger language plpgsql as $$
begin
  if not exists (select from payout_intents where id = new.intent_id)
     and not exists (select from chain_sends where id = new.intent_id and purpose in ('sweep', 'top_up')) then
    raise exception '% is neither a payout nor a sweep', new.intent_id using errcode = 'foreign_key_violation';
  end if;
  return new;
end $$;
create trigger payout_mismatches_subject before insert on payout_mismatches
  for each row execute function guard_mismatch_subject();

-- Tokens that do not say their balances since a final block. They wait, and the other assets of the network go on.
create table chain_silent_assets (
  network_code text not null references chain_cursors,
  asset_id integer not null references currencies,
  since_height bigint not null,
  primary key (network_code, asset_id)
);
