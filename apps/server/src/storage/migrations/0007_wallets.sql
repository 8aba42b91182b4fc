-- Addresses that merchants keep for their customers.

create table wallets (
  merchant_id text not null references merchants (id),
  id bigint generated always as identity check (id < 9007199254740992),
  -- One coin on one network.
  currency_id integer not null references currencies (id),
  -- As it was told.
  wallet_address text not null check (length(wallet_address) between 1 and 128),
  -- The same for every way to write the same address.
  address_key text not null check (length(address_key) between 1 and 128),
  first_name text not null default '',
  last_name text not null default '',
  created_at timestamptz not null default business_now(),
  primary key (merchant_id, id),
  unique (merchant_id, currency_id, address_key)
);
