-- Events of merchants (the outbox), where they are to go, and every try to bring them there.

-- What happened, with the exact JSON that is sent and signed. Written in the transaction of the
-- change it tells of.
create table events (
  merchant_id text not null references merchants (id),
  id uuid not null default gen_random_uuid(),
  order_id bigint not null,
  sequence bigserial not null,
  event_type text not null
    check (event_type in ('OrderCreated', 'OrderFulfillment', 'OrderUpdated', 'OrderRefunded')),
  payload text not null check (octet_length(payload) <= 20480),
  created_at timestamptz not null default business_now(),
  primary key (merchant_id, id)
);
create unique index events_sequence on events (merchant_id, sequence);
create index events_order on events (merchant_id, order_id, sequence);

-- A fact does not change. What is past its 90 days may be cleared away.
create function refuse_event_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and old.created_at < business_now() - interval '90 days' then
    return old;
  end if;
  raise exception 'events are insert-only' using errcode = 'restrict_violation';
end $$;
create trigger events_insert_only before update or delete on events
  for each row execute function refuse_event_change();
create trigger events_no_truncate before truncate on events
  for each statement execute function refuse_event_change();

create table webhook_endpoints (
  merchant_id text not null references merchants (id),
  id uuid not null,
  url text not null check (length(url) between 1 and 2048),
  event_types text[] not null check (
    cardinality(event_types) > 0
    and event_types <@ array['OrderCreated', 'OrderFulfillment', 'OrderUpdated', 'OrderRefunded']
  ),
  -- Encrypted with a key outside the database and bound to this row; forgotten with the endpoint.
  secret_sealed bytea,
  state text not null default 'active' check (state in ('active', 'disabled', 'removed')),
  -- The first failure since the last success; null while the endpoint is healthy.
  first_failure_at timestamptz,
  disabled_at timestamptz,
  disabled_reason text check (disabled_reason in ('gone', 'failing', 'operator')),
  created_at timestamptz not null default business_now(),
  primary key (merchant_id, id),
  check ((state = 'removed') = (secret_sealed is null)),
  check (state <> 'disabled' or (disabled_at is not null and disabled_reason is not null))
);
create index webhook_endpoints_active on webhook_endpoints (merchant_id) where state = 'active';
-- A failure that is noted changes no setting, so it wakes nobody.
create trigger webhook_endpoints_changed
  after insert or delete or update of url, event_types, secret_sealed, state on webhook_endpoints
  for each statement execute function bump_config_version();

-- One event for one endpoint. The id is the X-Webhook-Id of every attempt.
create table deliveries (
  merchant_id text not null,
  id uuid not null default gen_random_uuid(),
  event_id uuid not null,
  endpoint_id uuid not null,
  order_id bigint not null,
  sequence bigint not null,
  state text not null default 'pending'
    check (state in ('pending', 'delivered', 'exhausted', 'dropped')),
  -- Attempts begun, the one that is under way included.
  attempts integer not null default 0 check (attempts >= 0),
  attempted_at timestamptz,
  next_attempt_at timestamptz not null default business_now(),
  -- The fencing token of the worker that holds this delivery. Until when it holds it is real time,
  -- not business time: a sandbox clock that jumps ahead must not end a lease.
  lease_token uuid,
  leased_until timestamptz,
  created_at timestamptz not null default business_now(),
  primary key (merchant_id, id),
  unique (merchant_id, event_id, endpoint_id),
  foreign key (merchant_id, event_id) references events (merchant_id, id) on delete cascade,
  foreign key (merchant_id, endpoint_id) references webhook_endpoints (merchant_id, id),
  check ((lease_token is null) = (leased_until is null)),
  check (lease_token is null or state = 'pending')
);
create index deliveries_due on deliveries (merchant_id, endpoint_id, next_attempt_at, sequence)
  where state = 'pending';
create index deliveries_order on deliveries (merchant_id, endpoint_id, order_id, sequence)
  where state = 'pending';
create index deliveries_leased on deliveries (merchant_id, endpoint_id, leased_until)
  where lease_token is not null;

create table delivery_attempts (
  merchant_id text not null,
  delivery_id uuid not null,
  number integer not null check (number > 0),
  started_at timestamptz not null,
  duration_ms integer check (duration_ms >= 0),
  status smallint,
  -- Null: the endpoint took it.
  error_class text,
  -- The first bytes as they came, for the operator; never shown to merchants.
  response_excerpt bytea check (octet_length(response_excerpt) <= 256),
  primary key (merchant_id, delivery_id, number),
  foreign key (merchant_id, delivery_id) references deliveries (merchant_id, id) on delete cascade
);
