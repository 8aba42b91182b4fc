-- What the scanners have read of the live networks (docs/operating/chains.md).

-- One scanner at a time follows a network. Each of its steps is one database transaction, which moves the cursor.
create table chain_cursors (
  network_code text primary key,
  height bigint not null check (height >= 0),
  hash text not null,
  -- Nothing at or below this height is ever taken back.
  final_height bigint not null check (final_height >= 0),
  lease_token uuid,
  leased_until timestamptz,
  -- Why the scanner cannot go on. Null while it can.
  problem text,
  moved_at timestamptz not null default clock_timestamp(),
  check (final_height <= height)
);

-- The newest blocks, to find the last one that two branches have in common.
create table chain_blocks (
  network_code text not null references chain_cursors,
  height bigint not null,
  hash text not null,
  parent text not null,
  primary key (network_code, height)
);

-- Deposit addresses. The index leads to the key: path 0/<index> of the account with the fingerprint.
create sequence chain_key_index minvalue 0 maxvalue 2147483647;
create table chain_addresses (
  network_code text not null,
  reference text not null,
  account_fingerprint text not null,
  key_index integer not null,
  address text not null,
  created_at timestamptz not null default business_now(),
  watched_until timestamptz not null,
  primary key (network_code, reference),
  unique (network_code, address)
);
create index chain_addresses_watched on chain_addresses (network_code, watched_until);

-- Coins that reached a deposit address. `event` and `value` were read in a block. `balance` is the part of a balance
-- that no other movement explains, as of coins that a contract paid.
create table chain_movements (
  network_code text not null references chain_cursors,
  id text not null,
  address text not null,
  asset_id integer not null references currencies,
  units numeric(38, 0) not null check (units > 0),
  height bigint not null,
  block_hash text not null,
  transaction_hash text,
  source text not null check (source in ('event', 'value', 'balance')),
  state text not null check (state in ('seen', 'final', 'orphaned')),
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (network_code, id),
  check ((source = 'balance') = (transaction_hash is null)),
  check (source <> 'balance' or state = 'final')
);
create index chain_movements_by_address on chain_movements (network_code, address);
create index chain_movements_by_time on chain_movements (recorded_at);
create index chain_movements_seen on chain_movements (network_code, height) where state = 'seen';

create function guard_chain_movement() returns trigger language plpgsql as $$
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
create trigger chain_movements_guarded before update on chain_movements
  for each row execute function guard_chain_movement();

create function guard_chain_cursor() returns trigger language plpgsql as $$
begin
  if new.final_height < old.final_height then
    raise exception 'the final height of % cannot fall', old.network_code
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger chain_cursors_guarded before update of final_height on chain_cursors
  for each row execute function guard_chain_cursor();
