-- Balances that are fast without a row everybody waits for: what is folded, plus the tail of entries
-- that are not. Folding is done behind the payments, by the auditor; all of it can be derived again.

-- Whose entries are in `ledger_balances`: of those up to `base_entry_id`, which was the highest while
-- all writers were shut out, the ones up to `counted_entry_id`; and when all of these are counted, those
-- after it that were recorded by a database transaction before `watermark`, which no running one is.
create table ledger_fold (
  singleton boolean primary key default true check (singleton),
  -- Transaction numbers mean something in one database cluster only: after a restore all is counted anew.
  cluster bigint not null,
  base_entry_id bigint not null default 0,
  counted_entry_id bigint not null default 0,
  watermark xid8 not null,
  folded_at timestamptz not null default clock_timestamp()
);

create table ledger_balances (
  account_id bigint primary key references ledger_accounts (id),
  units numeric(38, 0) not null
);

-- What moved on each UTC day, by the time it took effect: the end of a day is the sum up to it.
create table ledger_days (
  account_id bigint not null references ledger_accounts (id),
  day date not null,
  debit_units numeric(38, 0) not null,
  credit_units numeric(38, 0) not null,
  primary key (account_id, day)
);

create index ledger_entries_recorded_by on ledger_entries (recorded_by);

-- Which database cluster this is: a copy restored elsewhere has another number.
create function ledger_cluster() returns bigint language sql stable as $$
  select system_identifier from pg_control_system()
$$;

-- Moves since a point, in the order of commits, for the auditor. Older rows have none.
alter table order_events add column recorded_by xid8;
alter table order_events alter column recorded_by set default pg_current_xact_id();
create index order_events_recorded_by on order_events (recorded_by);

-- Orders that are not at an end: looked at again and again.
create index orders_open on orders (id)
  where status in ('awaiting_payment', 'payment_pending', 'in_review', 'processing', 'sending',
    'refund_pending');

-- How far the auditor has come. Whoever holds the lease is the only auditor of all processes. Leases
-- run on the real clock: moving the sandbox's clock must not end them.
create table audit_progress (
  singleton boolean primary key default true check (singleton),
  cluster bigint not null,
  -- What database transactions before it recorded has been looked at.
  watermark xid8 not null,
  -- Where the rounds are: over orders that are not at an end, and over all of them.
  open_order_id bigint not null default 0,
  round_order_id bigint not null default 0,
  rounds integer not null default 0,
  lease_token uuid,
  leased_until timestamptz,
  passed_at timestamptz
);

-- What the auditor found. While it stands it is told once: what stopped the payouts can be explained
-- and the payouts let go, without a stop at the next look.
create table audit_breaks (
  id bigint generated always as identity primary key,
  check_name text not null,
  -- What it is about: order:<id>, ledger, or a rail's line.
  subject text not null,
  problem text not null,
  found_at timestamptz not null default business_now(),
  gone_at timestamptz
);
create unique index audit_breaks_standing on audit_breaks (subject, check_name, problem)
  where gone_at is null;

-- Reports go by time. Entries come nearly in the order they take effect, so a small index finds a span.
create index ledger_entries_effective on ledger_entries using brin (effective_at);
create index payout_intents_created on payout_intents (created_at, id);
