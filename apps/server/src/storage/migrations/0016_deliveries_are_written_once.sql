-- A delivery is written when one of its attempts ends, not when it is claimed. Who holds which deliveries
-- stands beside them, one row for each worker at each endpoint. What the attempt that delivered it says
-- stands in the delivery itself.

-- Attempts were counted as they began: what was leased until now was broken off.
insert into delivery_attempts (merchant_id, delivery_id, number, started_at, error_class)
  select merchant_id, id, attempts, attempted_at, 'interrupted' from deliveries
  where lease_token is not null
  on conflict do nothing;

drop index deliveries_leased;
alter table deliveries
  drop column lease_token,
  drop column leased_until,
  -- Grows when whoever holds the delivery lets go of it, for whatever reason. A worker that claimed it
  -- under an older number has lost it.
  add column fence integer not null default 0,
  -- The attempt that delivered it; attempted_at is when that one began.
  add column duration_ms integer check (duration_ms >= 0),
  add column status smallint,
  add column response_excerpt bytea check (octet_length(response_excerpt) <= 256),
  add column planted_fault text,
  add constraint deliveries_taken check (status is null or (state = 'delivered' and attempts > 0));

alter table delivery_attempts rename to past_attempts;
create view delivery_attempts as
  select merchant_id, delivery_id, number, started_at, duration_ms, status, error_class,
    response_excerpt, planted_fault
  from past_attempts
  union all
  select merchant_id, id, attempts, attempted_at, duration_ms, status, null, response_excerpt,
    planted_fault
  from deliveries where status is not null;

-- What a worker holds of an endpoint. An entry holds its delivery as long as the delivery is pending and
-- its fence is the entry's: so nothing is written here when an attempt ends.
create table delivery_leases (
  merchant_id text not null,
  endpoint_id uuid not null,
  worker uuid not null,
  -- Real time, not business time: a sandbox clock that jumps ahead must not end a lease.
  leased_until timestamptz not null,
  claimed_at timestamptz not null,
  delivery_ids uuid[] not null,
  fences integer[] not null,
  primary key (merchant_id, endpoint_id, worker),
  foreign key (merchant_id, endpoint_id) references webhook_endpoints (merchant_id, id),
  check (cardinality(delivery_ids) = cardinality(fences))
) with (fillfactor = 50);

-- Whether an attempt of it was begun and has not ended, as far as anybody knows.
create function is_held(delivery deliveries) returns boolean language sql stable as $$
  select delivery.state = 'pending' and exists (
    select from delivery_leases lease, unnest(lease.delivery_ids, lease.fences) as held (id, fence)
    where lease.merchant_id = delivery.merchant_id and lease.endpoint_id = delivery.endpoint_id
      and held.id = delivery.id and held.fence = delivery.fence)
$$;

-- Ids that grow with time (UUID version 7): what is written at the same time stands together in the
-- indexes, however many rows there are.
create function ordered_uuid() returns uuid language sql volatile as $$
  select encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) placing
    substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
    from 1 for 6), 52, 1), 53, 1), 'hex')::uuid
$$;
alter table events alter column id set default ordered_uuid();
alter table deliveries alter column id set default ordered_uuid();
