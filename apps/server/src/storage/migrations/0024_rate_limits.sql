-- Requests that all processes have counted against a rate limit. A crash of the server may forget them, so
-- the table is unlogged (docs/decisions/0049-hold-rate-limits-over-all-processes.md).
create unlogged table rate_windows (
  rate_limit text not null,
  key text not null,
  count bigint not null check (count > 0),
  ends_at timestamptz not null,
  primary key (rate_limit, key)
);
create index rate_windows_ends_at on rate_windows (ends_at);
