-- An API key may be limited to scopes, to a time and to networks. Keys of before keep every scope.

alter table api_keys
  add column scopes text[] not null default '{read,orders.write,refunds.write,webhooks.write}'
    check (cardinality(scopes) > 0
      and scopes <@ array['read', 'orders.write', 'refunds.write', 'webhooks.write']),
  -- By the real clock, as the times of tokens are. Null: the key does not expire.
  add column expires_at timestamptz,
  -- Null: the key works from every address.
  add column networks cidr[] check (cardinality(networks) between 1 and 20);
alter table api_keys alter column scopes drop default;

-- The addresses that a key was used from: an IPv4 address or an IPv6 network of 64 bits. The rows are in a
-- table of their own, because each change of api_keys makes every process read the keys again.
create table api_key_addresses (
  key_id text not null references api_keys (id),
  address inet not null,
  first_used_at timestamptz not null default clock_timestamp(),
  last_used_at timestamptz not null default clock_timestamp(),
  primary key (key_id, address)
);
