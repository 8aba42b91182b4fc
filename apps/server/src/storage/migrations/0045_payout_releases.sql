-- What the worker released for signing, and the terms of each signature. Both are written before the signer is asked,
-- so that the same question is asked again after a crash (docs/decisions/0060-release-before-signing.md).
create table payout_releases (
  send_id uuid not null references chain_sends,
  intent_id uuid not null references payout_intents,
  -- The text that was signed, as domain/payouts/release-text.ts writes it.
  text text not null,
  signature text not null,
  released_at timestamptz not null default clock_timestamp(),
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

-- A release may be renewed until its transaction is stored.
create function guard_payout_release_text() returns trigger language plpgsql as $$
begin
  if exists (select from chain_transactions where send_id = old.send_id) then
    raise exception 'the release of a signed send stays so' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger payout_releases_guarded before update on payout_releases
  for each row execute function guard_payout_release_text();
create trigger payout_releases_kept before delete on payout_releases
  for each row execute function refuse_change();

-- An approval that an operator signed with his own key, for the signer.
alter table payout_approvals
  add column key_name text,
  add column signature text,
  add constraint payout_approvals_signed check ((key_name is null) = (signature is null));
