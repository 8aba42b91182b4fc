-- One value for each secret key that the installation has used. It shows that a key of the same id has other bytes, and
-- says nothing about the key. See docs/decisions/0088-check-secret-keys-at-the-start.md.
create table key_checks (
  key_id text primary key check (key_id ~ '^[a-z0-9-]{1,32}$'),
  value bytea not null check (octet_length(value) = 8),
  created_at timestamptz not null default business_now()
);
