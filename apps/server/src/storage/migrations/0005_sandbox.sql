-- The outside world of the sandbox: what its card processor and its chain remember.
-- The engine never reads these tables; only the sandbox adapters do, on connections of their own.

create schema sandbox;

-- A tokenized card: what it will do, never its number.
create table sandbox.cards (
  token text primary key,
  brand text not null,
  last_four text not null,
  outcome text not null,
  created_at timestamptz not null default clock_timestamp()
);

create table sandbox.card_payments (
  reference text primary key,
  card_token text not null references sandbox.cards (token),
  currency text not null,
  amount numeric not null,
  status text not null,
  decline_reason text,
  challenge_id uuid unique,
  three_d_secure jsonb,
  created_at timestamptz not null default clock_timestamp()
);

-- The processor's own list of money taken.
create table sandbox.card_captures (
  id bigint generated always as identity primary key,
  reference text not null,
  currency text not null,
  amount numeric not null,
  captured_at timestamptz not null default clock_timestamp()
);

-- The chain's own list of transfers.
create table sandbox.chain_transactions (
  network_code text not null,
  transaction_hash text not null,
  intent_id text not null,
  asset_reference text not null,
  address text not null,
  memo text,
  units numeric(38, 0) not null,
  broadcast_at timestamptz not null default clock_timestamp(),
  primary key (network_code, transaction_hash)
);
