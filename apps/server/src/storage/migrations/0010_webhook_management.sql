-- Merchants manage their webhook endpoints: rotated secrets, tests, replays, a record of what became
-- of each endpoint, a circuit breaker, and faults planted in the sandbox.

alter table events
  -- Sent by a merchant to try an endpoint: about no order, and no part of the feed.
  add column is_test boolean not null default false;
drop index events_unplaced;
create index events_unplaced on events (merchant_id, sequence) where position is null and not is_test;
-- For clearing away what is past its 90 days; rows come in the order of time.
create index events_created on events using brin (created_at);

alter table webhook_endpoints
  -- The secret before the last rotation, while it still signs.
  add column previous_secret_sealed bytea,
  add column previous_secret_until timestamptz,
  -- Failed attempts since the last success, and when its failing for a day was told.
  add column failures integer not null default 0 check (failures >= 0),
  add column failing_told_at timestamptz,
  -- Requests since a failure began the breaker's window of 30 seconds.
  add column window_started_at timestamptz,
  add column window_requests integer not null default 0,
  add column window_failures integer not null default 0,
  -- Nothing is sent before; afterwards one request at a time, until one succeeds.
  add column paused_until timestamptz,
  -- The first success ever, and until when a slow answer is remembered: who is new, failing or slow
  -- shares a part of the workers' places, so that it holds up nobody else.
  add column proven_at timestamptz,
  add column slow_until timestamptz,
  drop constraint webhook_endpoints_disabled_reason_check,
  add constraint webhook_endpoints_disabled_reason_check
    check (disabled_reason in ('gone', 'failing', 'operator', 'merchant')),
  add constraint webhook_endpoints_previous_secret check (
    (previous_secret_sealed is null) = (previous_secret_until is null)
    and (state <> 'removed' or previous_secret_sealed is null));

-- What was done to an endpoint, by whom or by what it did: for the merchant's operator.
create table webhook_endpoint_log (
  merchant_id text not null,
  endpoint_id uuid not null,
  number bigint generated always as identity,
  at timestamptz not null default business_now(),
  what text not null check (what in ('added', 'changed', 'enabled', 'disabled', 'removed',
    'secret_rotated', 'overlap_ended', 'failing_for_a_day')),
  detail text not null default '' check (length(detail) <= 500),
  primary key (merchant_id, endpoint_id, number),
  foreign key (merchant_id, endpoint_id) references webhook_endpoints (merchant_id, id)
);
create trigger webhook_endpoint_log_kept before update or delete on webhook_endpoint_log
  for each row execute function refuse_change();

alter table deliveries
  -- Counts deliveries as they are made: their order in lists.
  add column number bigint generated always as identity,
  -- Attempts before a replay began the schedule anew.
  add column attempts_before integer not null default 0,
  -- Held back on purpose in the sandbox: later events of its order pass it.
  add column out_of_order boolean not null default false,
  add constraint deliveries_attempts_before check (attempts_before between 0 and attempts);
create unique index deliveries_number on deliveries (merchant_id, number);

alter table delivery_attempts
  -- The fault that was planted in the sandbox and hit this attempt.
  add column planted_fault text;

-- What the sandbox does to a merchant's next webhooks on purpose.
create table webhook_faults (
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
create index webhook_faults_left on webhook_faults (merchant_id, number) where deliveries_left > 0;
