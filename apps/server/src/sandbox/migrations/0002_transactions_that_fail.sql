-- A block may hold a transaction that moved nothing, or less than it says.
alter table sandbox.chain_transactions
  add column if not exists moved_units numeric(38, 0) check (moved_units between 0 and units);
comment on column sandbox.chain_transactions.moved_units is 'null: all of the units';

-- The first place of each payout that the signer refused.
create table if not exists sandbox.refused_places (
  intent_id text primary key,
  nonce numeric(38, 0) not null
);
