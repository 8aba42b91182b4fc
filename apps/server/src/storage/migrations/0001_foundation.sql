-- What every other table stands on: the installation, merchants and their keys, sessions.
-- One database serves one environment, so the environment is a fact of the installation.

create table installation (
  singleton boolean primary key default true check (singleton),
  environment text not null check (environment in ('dev', 'staging', 'prod')),
  -- The sandbox's business clock runs this far ahead of the database's.
  clock_offset interval not null default '0',
  -- Keys the permutation that makes order ids look unordered.
  order_id_key bytea not null,
  created_at timestamptz not null default clock_timestamp()
);

create function business_now() returns timestamptz language sql stable as $$
  select clock_timestamp() + coalesce((select clock_offset from installation), interval '0')
$$;

-- Catalogue, merchants and keys are held in memory by the service; a higher version means "read again".
create table config_version (
  singleton boolean primary key default true check (singleton),
  version bigint not null
);
insert into config_version (version) values (1);

create function bump_config_version() returns trigger language plpgsql as $$
begin
  update config_version set version = version + 1;
  perform pg_notify('config_changed', '');
  return null;
end $$;

create table merchants (
  id text primary key,
  name text not null check (name <> ''),
  settings jsonb not null default '{}',
  created_at timestamptz not null default business_now(),
  disabled_at timestamptz
);
create trigger merchants_changed after insert or update or delete on merchants
  for each statement execute function bump_config_version();

create table api_keys (
  id text primary key,
  merchant_id text not null references merchants (id),
  digest bytea not null check (octet_length(digest) = 32),
  slot smallint not null check (slot in (1, 2)),
  created_at timestamptz not null default business_now(),
  revoked_at timestamptz
);
-- Two active keys at most: enough to roll without downtime.
create unique index api_keys_active_slot on api_keys (merchant_id, slot) where revoked_at is null;
create trigger api_keys_changed after insert or update or delete on api_keys
  for each statement execute function bump_config_version();

create table sessions (
  merchant_id text not null references merchants (id),
  session_id text not null check (session_id ~ '^[A-Za-z0-9._:-]{1,128}$'),
  status text not null default 'active' check (status in ('active', 'expired')),
  -- The one token that works: a newer one replaces it.
  token_jti uuid not null,
  token_expires_at timestamptz not null,
  scope text[] not null,
  lock jsonb not null default '{}',
  customer jsonb not null default '{}',
  return_url text,
  locale text,
  metadata jsonb not null default '{}',
  order_id bigint,
  created_at timestamptz not null default business_now(),
  updated_at timestamptz not null default business_now(),
  primary key (merchant_id, session_id),
  check ((status = 'expired') = (order_id is not null))
);

create table idempotency_keys (
  merchant_id text not null references merchants (id),
  key text not null check (length(key) between 1 and 255),
  route text not null,
  fingerprint bytea not null,
  -- Null while the first request runs; until locked_until no other may take over.
  status smallint,
  response bytea,
  locked_until timestamptz not null,
  created_at timestamptz not null default business_now(),
  primary key (merchant_id, key)
);
create index idempotency_keys_created_at on idempotency_keys (created_at);
