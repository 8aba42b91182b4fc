-- Causes that need a person, and the messages about them (docs/operating/monitoring.md).

create table operator_alerts (
  id uuid primary key,
  -- The kind of the cause and its subject, such as `rail_down:chain:bitcoin`.
  cause text not null check (cause ~ '^[a-z_]+(:.+)?$'),
  summary text not null check (summary <> ''),
  began_at timestamptz not null default clock_timestamp(),
  -- When the cause was last found. A cause that was not found for a while has ended.
  seen_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz
);
-- A cause is reported once until it has ended.
create unique index operator_alerts_open on operator_alerts (cause) where ended_at is null;

-- One message when a cause begins and one when it has ended. The row is written before anything is sent.
create table operator_alert_messages (
  alert_id uuid not null references operator_alerts (id),
  what text not null check (what in ('began', 'ended')),
  created_at timestamptz not null default clock_timestamp(),
  attempts integer not null default 0 check (attempts >= 0),
  next_attempt_at timestamptz not null default clock_timestamp(),
  sent_at timestamptz,
  last_fault text,
  primary key (alert_id, what)
);
create index operator_alert_messages_unsent on operator_alert_messages (next_attempt_at)
  where sent_at is null;
