-- The audit of live networks: what moved at addresses whose keys are ours, and whether the books agree with the
-- chain (docs/decisions/0062-compare-wallets-with-the-chain.md).

-- What reached or left a hot wallet, and what left a deposit address. `chain_movements` has what reached a deposit
-- address. `fee` is the cost of a transaction that the address sent. `balance` is the part of a balance that nothing
-- else explains.
create table chain_wallet_movements (
  network_code text not null references chain_cursors,
  id text not null,
  address text not null,
  asset_id integer not null references currencies,
  -- Negative for what left the address.
  units numeric(38, 0) not null check (units <> 0),
  -- The address at the other end. Null where there is none, or where it is unknown.
  counterparty text,
  height bigint not null,
  block_hash text not null,
  transaction_hash text,
  source text not null check (source in ('event', 'value', 'fee', 'balance')),
  state text not null check (state in ('seen', 'final', 'orphaned')),
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (network_code, id),
  check ((source = 'balance') = (transaction_hash is null)),
  check (source <> 'balance' or state = 'final')
);
create index chain_wallet_movements_by_address on chain_wallet_movements (network_code, address);
create index chain_wallet_movements_by_hash on chain_wallet_movements (transaction_hash);
create index chain_wallet_movements_by_time on chain_wallet_movements (recorded_at);
create index chain_wallet_movements_seen on chain_wallet_movements (network_code, height)
  where state = 'seen';

create function guard_chain_wallet_movement() returns trigger language plpgsql as $$
begin
  if old.state = 'final' then
    raise exception 'the final movement % of % stays so', old.id, old.network_code
      using errcode = 'check_violation';
  end if;
  if (new.address, new.asset_id, new.units, new.source)
     is distinct from (old.address, old.asset_id, old.units, old.source) then
    raise exception 'what the movement % of % says cannot be changed', old.id, old.network_code
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger chain_wallet_movements_guarded before update on chain_wallet_movements
  for each row execute function guard_chain_wallet_movement();
create trigger chain_wallet_movements_kept before delete on chain_wallet_movements
  for each row execute function refuse_change();

-- An address with coins is watched until they have left it.
alter table chain_addresses add column has_coins boolean not null default false;
update chain_addresses a set has_coins = true where exists (
  select from chain_movements m
  where m.network_code = a.network_code and m.address = a.address and m.state = 'final');
create index chain_addresses_with_coins on chain_addresses (network_code) where has_coins;

-- One row for each asset of a live network.
create table chain_books (
  network_code text not null references chain_cursors,
  asset_id integer not null references currencies,
  -- The books before the network was followed, as of a rehearsal.
  opening_units numeric(40, 0) not null,
  -- The sum of the final movements, which are the balances of our addresses.
  chain_units numeric(40, 0) not null default 0,
  -- The books minus the chain, without what is under way. Not zero since this final height.
  difference numeric(40, 0) not null default 0,
  since_height bigint,
  compared_height bigint,
  compared_at timestamptz,
  primary key (network_code, asset_id),
  check ((difference = 0) = (since_height is null))
);

-- Final movements that the books do not have. A row is deleted once they have it.
create table chain_unbooked (
  network_code text not null references chain_cursors,
  id text not null,
  address text not null,
  asset_id integer not null references currencies,
  units numeric(38, 0) not null,
  block_hash text not null,
  transaction_hash text,
  source text not null,
  -- Whether it reached a deposit address.
  is_deposit boolean not null,
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (network_code, id)
);

insert into chain_books (network_code, asset_id, opening_units, chain_units)
  select m.network_code, m.asset_id, coalesce((
      select sum(posting.units) from ledger_postings posting
        join ledger_accounts account on account.id = posting.account_id
      where account.purpose = 'chain_wallet' and account.asset_id = m.asset_id), 0)
    - coalesce((
      select sum(d.units) from deposits d
      where d.rail = 'chain' and d.source = m.network_code and d.asset_id = m.asset_id
        and d.state = 'final' and exists (select from chain_movements booked
          where booked.network_code = d.source and booked.id = d.external_id)), 0),
    sum(m.units)
  from chain_movements m where m.state = 'final' group by m.network_code, m.asset_id;
insert into chain_unbooked (network_code, id, address, asset_id, units, block_hash, transaction_hash,
    source, is_deposit)
  select network_code, id, address, asset_id, units, block_hash, transaction_hash, source, true
  from chain_movements where state = 'final';

-- Payouts whose final transaction moved something else than was owed. People decide how each ended.
create table payout_mismatches (
  intent_id uuid primary key references payout_intents (id),
  hash text not null,
  why text not null,
  -- What the transaction cost, in the network's own coin.
  fee_units numeric(38, 0) not null check (fee_units >= 0),
  found_at timestamptz not null default business_now(),
  -- `paid`: it counts as paid. `unpaid`: the customer has nothing. `left_units` left our wallet either way.
  outcome text check (outcome in ('paid', 'unpaid')),
  left_units numeric(38, 0) check (left_units >= 0),
  decided_at timestamptz,
  check ((decided_at is null) = (outcome is null) and (decided_at is null) = (left_units is null))
);
create function guard_payout_mismatch() returns trigger language plpgsql as $$
begin
  if old.decided_at is not null or (new.intent_id, new.hash, new.why, new.fee_units, new.found_at)
     is distinct from (old.intent_id, old.hash, old.why, old.fee_units, old.found_at) then
    raise exception 'what payout % moved, and a decision about it, cannot be changed', old.intent_id
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger payout_mismatches_guarded before update on payout_mismatches
  for each row execute function guard_payout_mismatch();
create trigger payout_mismatches_kept before delete on payout_mismatches
  for each row execute function refuse_change();

-- What each person says. Another answer of the same person replaces the first.
create table payout_resolutions (
  intent_id uuid not null references payout_mismatches (intent_id),
  person text not null check (person <> ''),
  account text,
  outcome text not null check (outcome in ('paid', 'unpaid')),
  left_units numeric(38, 0) not null check (left_units >= 0),
  at timestamptz not null default business_now(),
  primary key (intent_id, person),
  unique (intent_id, account)
);

create index chain_sends_ended on chain_sends (updated_at) where state in ('final', 'failed');
