-- The catalogue (what can be exchanged, how it is paid and delivered, what it costs) and quotes.
-- Catalogue rows are written by loading the files of apps/server/catalogue; nothing is ever deleted.

create table networks (
  code text primary key check (code ~ '^[a-z0-9-]+$'),
  name text not null,
  address_format text not null check (address_format in
    ('bitcoin', 'bitcoin_cash', 'dogecoin', 'evm', 'litecoin', 'solana', 'tron', 'xrp')),
  memo text not null check (memo in ('none', 'optional', 'required')),
  confirmations integer not null check (confirmations > 0),
  explorer_transaction_url text not null check (explorer_transaction_url like 'https://%{hash}%'),
  position integer not null,
  enabled boolean not null
);

create table currencies (
  id integer primary key check (id > 0),
  reference text not null unique check (reference ~ '^[a-z0-9-]+$'),
  code text not null check (code ~ '^[A-Z0-9]+$'),
  kind text not null check (kind in ('crypto', 'fiat')),
  name text not null,
  short_name text,
  symbol text not null,
  decimals integer not null check (decimals between 0 and 18),
  published_decimals integer not null check (published_decimals between 0 and 8),
  network_code text references networks (code),
  is_default_network boolean not null,
  contract_address text,
  -- Coins per euro, for limits and fixed fees only.
  per_euro numeric not null check (per_euro > 0),
  min_euro numeric check (min_euro >= 0),
  max_euro numeric check (max_euro >= min_euro),
  position integer not null,
  enabled boolean not null,
  check (published_decimals <= decimals),
  check ((kind = 'fiat') = (network_code is null)),
  check (contract_address is null or network_code is not null),
  -- One network is what a bare code means. Deferred, so that one load can move the mark.
  constraint currencies_one_default exclude (code with =)
    where (is_default_network and enabled) deferrable initially deferred
);

create table payment_methods (
  id integer primary key check (id > 0),
  reference text not null unique check (reference ~ '^[a-z0-9_]+$'),
  name text not null,
  type text not null check (type in ('card', 'bank_transfer', 'crypto', 'cash', 'mobile_money')),
  operations text[] not null check
    (operations <@ array['buy', 'sell', 'crypto_to_crypto', 'fiat_to_fiat']),
  -- Null means all of them.
  country_codes text[],
  currency_codes text[],
  min_euro numeric check (min_euro >= 0),
  max_euro numeric check (max_euro >= min_euro),
  position integer not null,
  enabled boolean not null
);

create table delivery_methods (
  id integer primary key check (id > 0),
  reference text not null unique check (reference ~ '^[a-z0-9_]+$'),
  name text not null,
  type text not null check
    (type in ('on_chain', 'bank_transfer', 'card_push', 'cash_pickup', 'mobile_money')),
  -- The payment method that names the rail to the customer.
  rail_id integer not null references payment_methods (id),
  operations text[] not null check
    (operations <@ array['buy', 'sell', 'crypto_to_crypto', 'fiat_to_fiat']),
  country_codes text[],
  currency_codes text[],
  fee_basis_points integer not null check (fee_basis_points between 0 and 5000),
  fixed_fee_euro numeric not null check (fixed_fee_euro >= 0),
  min_days integer check (min_days >= 0),
  max_days integer check (max_days >= min_days),
  required_fields jsonb not null check (jsonb_typeof(required_fields) = 'array'),
  min_euro numeric check (min_euro >= 0),
  max_euro numeric check (max_euro >= min_euro),
  position integer not null,
  enabled boolean not null
);

create table countries (
  code text primary key check (code ~ '^[A-Z]{2}$'),
  name text not null,
  currency_code text not null check (currency_code ~ '^[A-Z]{3}$'),
  min_euro numeric check (min_euro >= 0),
  max_euro numeric check (max_euro >= min_euro),
  position integer not null,
  enabled boolean not null
);

create table pricing_rules (
  reference text primary key check (reference ~ '^[a-z0-9-]+$'),
  -- A merchant's id; not a foreign key, since the file may be written before the merchant is made.
  merchant_id text,
  operation text check (operation in ('buy', 'sell', 'crypto_to_crypto', 'fiat_to_fiat')),
  payment_method_reference text references payment_methods (reference),
  currency text,
  spread_basis_points integer not null check (spread_basis_points between 0 and 5000),
  fee_basis_points integer not null check (fee_basis_points between 0 and 5000),
  fixed_fee_euro numeric not null check (fixed_fee_euro >= 0),
  min_euro numeric check (min_euro >= 0),
  max_euro numeric check (max_euro >= min_euro),
  position integer not null,
  enabled boolean not null
);

-- Loading writes only rows that differ, so a load without news bumps nothing.
create trigger networks_changed after insert or update or delete on networks
  for each row execute function bump_config_version();
create trigger currencies_changed after insert or update or delete on currencies
  for each row execute function bump_config_version();
create trigger payment_methods_changed after insert or update or delete on payment_methods
  for each row execute function bump_config_version();
create trigger delivery_methods_changed after insert or update or delete on delivery_methods
  for each row execute function bump_config_version();
create trigger countries_changed after insert or update or delete on countries
  for each row execute function bump_config_version();
create trigger pricing_rules_changed after insert or update or delete on pricing_rules
  for each row execute function bump_config_version();

-- Quotes of the popup. An order is priced from its row alone. Amounts are smallest units.
create table quotes (
  id text primary key check (id ~ '^quo_[0-9a-f]{32}$'),
  merchant_id text not null,
  session_id text not null,
  operation text not null check
    (operation in ('buy', 'sell', 'crypto_to_crypto', 'fiat_to_fiat')),
  spend_currency_id integer not null references currencies (id),
  spend_units numeric(38, 0) not null check (spend_units > 0),
  receive_currency_id integer not null references currencies (id),
  receive_units numeric(38, 0) not null check (receive_units > 0),
  rate numeric not null check (rate > 0),
  mid_rate numeric not null,
  -- [{ "type": "percentage" | "fixed", "units": "123" }], in the currency received.
  fees jsonb not null check (jsonb_typeof(fees) = 'array'),
  transaction_fee_units numeric(38, 0) not null check (transaction_fee_units >= 0),
  delivery_fee_units numeric(38, 0) not null check (delivery_fee_units >= 0),
  spread_units numeric(38, 0) not null check (spread_units >= 0),
  payment_method_id integer not null references payment_methods (id),
  delivery_method_id integer not null references delivery_methods (id),
  delivery_days_min integer,
  delivery_days_max integer,
  limit_min_units numeric(38, 0) not null,
  limit_max_units numeric(38, 0) not null,
  rate_source text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  consumed_by_order_id bigint unique,
  consumed_at timestamptz,
  foreign key (merchant_id, session_id) references sessions (merchant_id, session_id),
  check (spend_currency_id <> receive_currency_id),
  check (mid_rate >= rate),
  check (spend_units between limit_min_units and limit_max_units),
  check (expires_at > created_at),
  check ((consumed_by_order_id is null) = (consumed_at is null))
);

-- A quote is consumed once and otherwise never changes.
create function keep_quote() returns trigger language plpgsql as $$
begin
  if old.consumed_by_order_id is not null then
    raise exception 'quote % was already consumed', old.id using errcode = 'check_violation';
  end if;
  old.consumed_by_order_id := new.consumed_by_order_id;
  old.consumed_at := new.consumed_at;
  if new is distinct from old then
    raise exception 'quote % cannot be changed', new.id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger quotes_keep before update on quotes
  for each row execute function keep_quote();
