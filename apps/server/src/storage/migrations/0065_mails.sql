-- Mails to customers, and messages to the operator by mail (docs/decisions/0097-send-mail-from-an-outbox.md).

-- The row is written before anything is sent. One mail of a kind goes to an address once for each order.
create table mails (
  merchant_id text not null references merchants (id),
  order_id bigint not null references orders (id),
  kind text not null check (kind in ('link', 'receipt')),
  -- A keyed digest, so that the key of the row holds no address.
  address_digest bytea not null check (length(address_digest) > 0),
  -- Sealed with the data key of the order. Null once the mail has ended.
  address bytea,
  language text not null check (language <> ''),
  created_at timestamptz not null default clock_timestamp(),
  attempts integer not null default 0 check (attempts >= 0),
  next_attempt_at timestamptz not null default clock_timestamp(),
  last_fault text,
  ended_at timestamptz,
  outcome text check (outcome in ('sent', 'refused', 'dropped', 'given_up')),
  primary key (merchant_id, order_id, kind, address_digest),
  check ((ended_at is null) = (outcome is null)),
  check ((ended_at is null) = (address is not null))
);
create index mails_of_order on mails (order_id);
create index mails_waiting on mails (next_attempt_at) where ended_at is null;
create index mails_ended on mails (ended_at) where ended_at is not null;

-- A message to the operator has a row for each way in which it is sent.
alter table operator_alert_messages
  add column channel text not null default 'webhook' check (channel in ('webhook', 'mail'));
alter table operator_alert_messages drop constraint operator_alert_messages_pkey;
alter table operator_alert_messages add primary key (alert_id, what, channel);
