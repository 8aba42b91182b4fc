-- What is still to be sent stands in a table of its own, which is small. A delivery's own row is found by
-- its key alone, so that recording how it ended changes no index.

create table pending_deliveries (
  merchant_id text not null,
  endpoint_id uuid not null,
  order_id bigint not null,
  sequence bigint not null,
  delivery_id uuid not null,
  event_id uuid not null,
  next_attempt_at timestamptz not null default business_now(),
  -- Those of its schedule, which a replay begins anew.
  attempts integer not null default 0 check (attempts >= 0),
  -- Held back on purpose in the sandbox: later events of its order pass it.
  out_of_order boolean not null default false,
  -- Of one order the earliest goes first.
  primary key (merchant_id, endpoint_id, order_id, sequence)
);
insert into pending_deliveries (merchant_id, endpoint_id, order_id, sequence, delivery_id, event_id,
    next_attempt_at, attempts, out_of_order)
  select merchant_id, endpoint_id, order_id, sequence, id, event_id, next_attempt_at,
    attempts - attempts_before, out_of_order
  from deliveries where state = 'pending';
create index pending_deliveries_due
  on pending_deliveries (merchant_id, endpoint_id, next_attempt_at, sequence);

drop function is_held;
alter table deliveries
  add column given_up text check (given_up in ('exhausted', 'dropped')),
  drop constraint deliveries_taken;
update deliveries set given_up = state where state in ('exhausted', 'dropped');
drop index deliveries_given_up, deliveries_due, deliveries_order;
alter table deliveries
  drop column state,
  drop column next_attempt_at,
  drop column attempts_before,
  drop column out_of_order,
  add constraint deliveries_ended check (status is null or (given_up is null and attempts > 0)),
  -- Room beside each row for the one that says how it ended.
  set (fillfactor = 45);
create index deliveries_given_up on deliveries (merchant_id, given_up, created_at, number)
  where given_up is not null;

-- Pending until an endpoint has taken it or it was given up.
create function delivery_state(delivery deliveries) returns text language sql immutable as $$
  select case when delivery.status is not null then 'delivered'
    else coalesce(delivery.given_up, 'pending') end
$$;

-- Whether an attempt of it was begun and has not ended, as far as anybody knows.
create function is_held(delivery deliveries) returns boolean language sql stable as $$
  select delivery.status is null and delivery.given_up is null and exists (
    select from delivery_leases lease, unnest(lease.delivery_ids, lease.fences) as held (id, fence)
    where lease.merchant_id = delivery.merchant_id and lease.endpoint_id = delivery.endpoint_id
      and held.id = delivery.id and held.fence = delivery.fence)
$$;
