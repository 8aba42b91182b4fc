-- Changes of price rules by people. The rules of the catalogue's files are the base, and an approved change replaces one
-- of them from its time on. See docs/decisions/0095-change-prices-with-two-people.md.

create table price_changes (
  id bigint generated always as identity primary key,
  reference text not null check (reference ~ '^[a-z0-9-]{1,64}$'),
  -- Whether the change returns the rule to the files. The columns of the rule are then null.
  is_of_files boolean not null,
  merchant_id text references merchants (id),
  operation text check (operation in ('buy', 'sell', 'crypto_to_crypto', 'fiat_to_fiat')),
  payment_method_reference text references payment_methods (reference),
  currency text,
  spread_basis_points integer check (spread_basis_points between 0 and 2000),
  fee_basis_points integer check (fee_basis_points between 0 and 2000),
  fixed_fee_euro numeric check (fixed_fee_euro >= 0),
  min_euro numeric check (min_euro >= 0),
  max_euro numeric check (max_euro >= min_euro),
  enabled boolean,
  -- The change that this one takes back.
  undoes bigint references price_changes (id),
  reason text not null check (length(reason) between 3 and 500),
  -- Null: as soon as it is approved.
  wanted_from timestamptz,
  proposed_by text not null check (proposed_by <> ''),
  proposed_account text not null check (proposed_account <> ''),
  proposed_at timestamptz not null default business_now(),
  state text not null default 'proposed' check (state in ('proposed', 'approved', 'rejected')),
  effective_from timestamptz,
  decided_by text,
  decided_account text,
  decided_at timestamptz,
  decided_why text check (length(decided_why) between 3 and 500),
  check (num_nulls(spread_basis_points, fee_basis_points, fixed_fee_euro, min_euro, max_euro, enabled)
    = case when is_of_files then 6 else 0 end),
  check (not is_of_files or num_nonnulls(merchant_id, operation, payment_method_reference, currency) = 0),
  check (num_nonnulls(decided_by, decided_account, decided_at) = case state when 'proposed' then 0 else 3 end),
  check ((state = 'approved') = (effective_from is not null)),
  check (effective_from >= wanted_from),
  -- Nobody approves their own change.
  constraint price_changes_two_people check
    (state <> 'approved' or (decided_by <> proposed_by and decided_account <> proposed_account))
);
-- People decide about one proposal of a rule before the next one is made.
create unique index price_changes_one_proposal on price_changes (reference) where state = 'proposed';
create index price_changes_by_effect on price_changes (reference, effective_from, id) where state = 'approved';

-- A proposal is decided once. It is otherwise never changed.
create function keep_price_change() returns trigger language plpgsql as $$
begin
  if old.state <> 'proposed' then
    raise exception 'price change % was decided', old.id using errcode = 'check_violation';
  end if;
  old.state := new.state;
  old.effective_from := new.effective_from;
  old.decided_by := new.decided_by;
  old.decided_account := new.decided_account;
  old.decided_at := new.decided_at;
  old.decided_why := new.decided_why;
  if new is distinct from old then
    raise exception 'price change % cannot be changed', new.id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger price_changes_keep before update on price_changes
  for each row execute function keep_price_change();
-- Every process reads an approved change at once, and applies it when it takes effect.
create trigger price_changes_approved after update on price_changes
  for each row when (new.state = 'approved') execute function bump_config_version();
