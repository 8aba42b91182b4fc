-- Merchants fetch their events in an order that never changes behind them. `sequence` is drawn before
-- its transaction commits, so a lower one may appear after a higher one was read. A position is given
-- only to what has committed, by whoever reads first, one at a time for each merchant.

create table event_feeds (
  merchant_id text primary key references merchants (id),
  -- Kept apart from the events, so that clearing old ones away never gives a position twice.
  last_position bigint not null default 0
);

alter table events add column position bigint check (position > 0);
create unique index events_position on events (merchant_id, position) where position is not null;
create index events_unplaced on events (merchant_id, sequence) where position is null;

-- A fact does not change, but it gets its place in the feed, once.
create or replace function refuse_event_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and old.created_at < business_now() - interval '90 days' then
    return old;
  end if;
  if tg_op = 'UPDATE' then
    if old.position is null and new.position is not null
       and to_jsonb(new) - 'position' = to_jsonb(old) - 'position' then
      return new;
    end if;
  end if;
  raise exception 'events are insert-only' using errcode = 'restrict_violation';
end $$;
