-- The books of the outside world that the sandbox simulates: card processor, chains and banks. Only the sandbox
-- reads and writes them, and `prod` does not have them. Tests and campaigns compare our books with these:
--   coins sent       sandbox.chain_transactions with mined_at, one for each intent and nonce
--   coins received   sandbox.chain_deposits in a block
--   fiat paid out    sandbox.bank_payouts with outcome 'settled', one for each intent
--   fiat received    sandbox.bank_transfers that are settled
--   cards            sandbox.card_captures, sandbox.card_refunds with status 'refunded'
--
-- A database of an earlier version has these tables already, so each is created only if it is missing.

create schema if not exists sandbox;

-- A tokenized card: its behaviour, never its number.
create table if not exists sandbox.cards (
  token text primary key,
  brand text not null,
  last_four text not null,
  outcome text not null,
  created_at timestamptz not null default clock_timestamp()
);

create table if not exists sandbox.card_payments (
  reference text primary key,
  card_token text not null references sandbox.cards (token),
  currency text not null,
  amount numeric not null,
  status text not null,
  decline_reason text,
  challenge_id uuid unique,
  three_d_secure jsonb,
  created_at timestamptz not null default clock_timestamp(),
  refunded numeric not null default 0,
  capture_calls integer not null default 0,
  -- Business time: a late answer follows the sandbox's clock.
  started_at timestamptz not null default business_now(),
  constraint card_payments_refunded check (refunded between 0 and amount)
);

-- The processor's own list of captures.
create table if not exists sandbox.card_captures (
  id bigint generated always as identity primary key,
  reference text not null,
  currency text not null,
  amount numeric not null,
  captured_at timestamptz not null default clock_timestamp()
);

-- The processor's own list of refunds.
create table if not exists sandbox.card_refunds (
  reference text primary key,
  payment_reference text not null,
  currency text not null,
  amount numeric not null check (amount > 0),
  status text not null check (status in ('refunded', 'rejected')),
  reason text,
  created_at timestamptz not null default clock_timestamp()
);

-- The chain's own list of transfers.
create table if not exists sandbox.chain_transactions (
  network_code text not null,
  transaction_hash text not null,
  intent_id text not null,
  asset_reference text not null,
  address text not null,
  memo text,
  units numeric(38, 0) not null,
  broadcast_at timestamptz not null default clock_timestamp(),
  nonce numeric(38, 0),
  -- A replacement has the same transfer and a higher fee.
  fee integer not null default 1 check (fee > 0),
  -- Null while the transaction waits for a block, and for ever when another one of its nonce was mined.
  mined_at timestamptz,
  -- A reorganisation drops its first block a moment later, and a second block includes it.
  reorganised boolean not null default false,
  primary key (network_code, transaction_hash)
);
-- A chain mines one transaction of each nonce.
create unique index if not exists chain_transactions_mined
  on sandbox.chain_transactions (network_code, nonce)
  where mined_at is not null and nonce is not null;

-- Networks with one account for all depositors tell them apart by a tag.
create table if not exists sandbox.destination_tags (
  network_code text not null,
  reference text not null,
  tag integer generated always as identity (start with 100000),
  primary key (network_code, reference)
);

-- Coins sent to us. They keep the confirmations they were given.
create table if not exists sandbox.chain_deposits (
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
  -- The number of blocks that included it: a reorganisation adds one.
  blocks integer not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  unique (network_code, transaction_hash, output),
  check (not orphaned or confirmations = 0)
);
create index if not exists chain_deposits_of_address
  on sandbox.chain_deposits (network_code, address);

-- Bank transfers sent to us. A transfer in flight settles by business time.
create table if not exists sandbox.bank_transfers (
  id uuid primary key,
  reference text not null,
  asset_reference text not null,
  units numeric(38, 0) not null check (units > 0),
  rejected boolean not null default false,
  settles_at timestamptz not null,
  -- The answer of the sender's bank to a return.
  returns text not null default 'accepted' check (returns in ('accepted', 'rejected')),
  returned_units numeric(38, 0) not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  check (returned_units between 0 and units)
);
create index if not exists bank_transfers_of_reference on sandbox.bank_transfers (reference);

-- Payment orders that we submitted. The beneficiary is stored as a digest.
create table if not exists sandbox.bank_payouts (
  intent_id text primary key,
  reference text not null unique,
  method text not null,
  currency text not null,
  units numeric(38, 0) not null check (units > 0),
  beneficiary_digest text not null,
  returns uuid references sandbox.bank_transfers (id),
  outcome text not null check (outcome in ('settled', 'rejected')),
  reason text,
  -- Pending until then, in business time.
  decided_at timestamptz not null,
  -- False if the payment order was lost. Submitting it again arrives.
  heard boolean not null default true,
  created_at timestamptz not null default clock_timestamp()
);

-- Faults that merchants planted into their next webhooks.
alter table if exists webhook_faults set schema sandbox;
create table if not exists sandbox.webhook_faults (
  merchant_id text not null references merchants (id),
  id uuid not null,
  number bigint generated always as identity,
  kind text not null check (kind in ('delay', 'drop', 'duplicate', 'reorder', 'corrupt_body',
    'corrupt_signature', 'stale_timestamp')),
  endpoint_id uuid,
  event_type text
    check (event_type in ('OrderCreated', 'OrderFulfillment', 'OrderUpdated', 'OrderRefunded')),
  delay_seconds integer check (delay_seconds between 1 and 86400),
  deliveries_left integer not null check (deliveries_left >= 0),
  created_at timestamptz not null default business_now(),
  primary key (merchant_id, id),
  foreign key (merchant_id, endpoint_id) references webhook_endpoints (merchant_id, id),
  check ((kind in ('delay', 'reorder')) = (delay_seconds is not null))
);
create index if not exists webhook_faults_left
  on sandbox.webhook_faults (merchant_id, number) where deliveries_left > 0;
