-- The sandbox's rails for every operation. As in 0005 the engine never reads these tables: they are the
-- other side's books. Tests and campaigns compare ours with them:
--   coins sent       sandbox.chain_transactions where mined_at is not null, one for each intent and nonce
--   coins received   sandbox.chain_deposits that are in a block
--   fiat paid out    sandbox.bank_payouts where outcome = 'settled', one for each intent
--   fiat received    sandbox.bank_transfers that are settled
--   cards            sandbox.card_captures, sandbox.card_refunds where status = 'refunded'

alter table sandbox.chain_transactions
  add column nonce numeric(38, 0),
  -- A replacement says the same with a higher fee.
  add column fee integer not null default 1 check (fee > 0),
  -- Null while it waits for a block, and for ever when another of its nonce was mined.
  add column mined_at timestamptz,
  -- Its first block is dropped a moment later and another one takes it.
  add column reorganised boolean not null default false;
update sandbox.chain_transactions set mined_at = broadcast_at;
-- Of all transactions at one place in a wallet's sequence a chain mines one.
create unique index chain_transactions_mined on sandbox.chain_transactions (network_code, nonce)
  where mined_at is not null and nonce is not null;

-- Networks with one account for all depositors tell them apart by a tag.
create table sandbox.destination_tags (
  network_code text not null,
  reference text not null,
  tag integer generated always as identity (start with 100000),
  primary key (network_code, reference)
);

-- Coins somebody sent. They have the confirmations they were given and get no more by themselves.
create table sandbox.chain_deposits (
  id uuid primary key,
  network_code text not null,
  address text not null,
  memo text,
  asset_reference text not null,
  units numeric(38, 0) not null check (units > 0),
  transaction_hash text not null,
  output integer not null default 0,
  confirmations integer not null check (confirmations >= 0),
  orphaned boolean not null default false,
  -- How many blocks have taken it: after a reorganisation it is another one.
  blocks integer not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  unique (network_code, transaction_hash, output),
  check (not orphaned or confirmations = 0)
);
create index chain_deposits_of_address on sandbox.chain_deposits (network_code, address);

-- Bank transfers somebody sent us. In flight they settle by business time.
create table sandbox.bank_transfers (
  id uuid primary key,
  reference text not null,
  asset_reference text not null,
  units numeric(38, 0) not null check (units > 0),
  rejected boolean not null default false,
  settles_at timestamptz not null,
  -- Whether the sender's bank takes its money back.
  returns text not null default 'accepted' check (returns in ('accepted', 'rejected')),
  returned_units numeric(38, 0) not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  check (returned_units between 0 and units)
);
create index bank_transfers_of_reference on sandbox.bank_transfers (reference);

-- Money we told the bank to pay. Who gets it is kept as a digest.
create table sandbox.bank_payouts (
  intent_id text primary key,
  reference text not null unique,
  method text not null,
  currency text not null,
  units numeric(38, 0) not null check (units > 0),
  beneficiary_digest text not null,
  returns uuid references sandbox.bank_transfers (id),
  outcome text not null check (outcome in ('settled', 'rejected')),
  reason text,
  -- Pending until then, by business time.
  decided_at timestamptz not null,
  -- False when the order to pay was lost on its way; submitting it again arrives.
  heard boolean not null default true,
  created_at timestamptz not null default clock_timestamp()
);

alter table sandbox.card_payments
  add column refunded numeric not null default 0,
  add column capture_calls integer not null default 0,
  -- Business time: what a card does late follows the sandbox's clock.
  add column started_at timestamptz not null default business_now(),
  add constraint card_payments_refunded check (refunded between 0 and amount);

-- The processor's own list of money given back.
create table sandbox.card_refunds (
  reference text primary key,
  payment_reference text not null,
  currency text not null,
  amount numeric not null check (amount > 0),
  status text not null check (status in ('refunded', 'rejected')),
  reason text,
  created_at timestamptz not null default clock_timestamp()
);
