-- Orders, their payments and payouts, the ledger, and the jobs that move them on.

create table orders (
  id bigint primary key check (id > 0 and id < 9007199254740992),
  merchant_id text not null,
  session_id text not null,
  quote_id text not null unique references quotes (id),
  operation text not null
    check (operation in ('buy', 'sell', 'crypto_to_crypto', 'fiat_to_fiat')),
  status text not null,
  status_reason text,
  payment_method_id integer not null references payment_methods (id),
  delivery_method_id integer not null references delivery_methods (id),
  spend_asset_id integer not null references currencies (id),
  spend_units numeric(38, 0) not null check (spend_units > 0),
  -- What was received for it: null until the money is final.
  received_units numeric(38, 0),
  receive_asset_id integer not null references currencies (id),
  receive_units numeric(38, 0) not null check (receive_units > 0),
  wallet_address text,
  network_code text,
  memo text,
  customer jsonb not null default '{}',
  metadata jsonb not null default '{}',
  card_attempts smallint not null default 0 check (card_attempts between 0 and 5),
  payment_expires_at timestamptz not null,
  version integer not null default 1,
  created_at timestamptz not null default business_now(),
  updated_at timestamptz not null default business_now(),
  completed_at timestamptz,
  -- One session, one order.
  unique (merchant_id, session_id),
  foreign key (merchant_id, session_id) references sessions (merchant_id, session_id)
);
create index orders_of_merchant on orders (merchant_id, created_at desc, id desc);

-- Numbers orders; the id shown is a keyed permutation of it.
create sequence order_numbers;

-- The state table of completion section 6. A test compares it with the domain's ORDER_MOVES.
create table order_moves (
  from_status text not null,
  to_status text not null,
  primary key (from_status, to_status)
);
insert into order_moves (from_status, to_status) values
  ('awaiting_payment', 'payment_pending'), ('awaiting_payment', 'in_review'),
  ('awaiting_payment', 'processing'), ('awaiting_payment', 'cancelled'),
  ('awaiting_payment', 'expired'), ('awaiting_payment', 'failed'),
  ('payment_pending', 'awaiting_payment'), ('payment_pending', 'processing'),
  ('payment_pending', 'in_review'), ('payment_pending', 'cancelled'),
  ('payment_pending', 'failed'),
  ('in_review', 'awaiting_payment'), ('in_review', 'payment_pending'),
  ('in_review', 'processing'), ('in_review', 'sending'), ('in_review', 'refund_pending'),
  ('in_review', 'cancelled'), ('in_review', 'expired'),
  ('processing', 'sending'), ('processing', 'in_review'), ('processing', 'refund_pending'),
  ('sending', 'completed'), ('sending', 'in_review'), ('sending', 'refund_pending'),
  ('expired', 'in_review'),
  ('cancelled', 'in_review'),
  ('refund_pending', 'refunded'), ('refund_pending', 'in_review');

create function guard_order() returns trigger language plpgsql as $$
begin
  if new.status <> old.status and not exists (
    select 1 from order_moves where from_status = old.status and to_status = new.status
  ) then
    raise exception 'an order cannot go from % to %', old.status, new.status
      using errcode = 'check_violation', constraint = 'order_moves';
  end if;
  if (new.id, new.merchant_id, new.session_id, new.quote_id, new.operation, new.spend_asset_id,
      new.spend_units, new.receive_asset_id, new.receive_units, new.payment_method_id,
      new.delivery_method_id)
     is distinct from
     (old.id, old.merchant_id, old.session_id, old.quote_id, old.operation, old.spend_asset_id,
      old.spend_units, old.receive_asset_id, old.receive_units, old.payment_method_id,
      old.delivery_method_id)
     or (new.wallet_address, new.network_code, new.memo)
     is distinct from (old.wallet_address, old.network_code, old.memo) then
    raise exception 'what an order promises cannot be changed' using errcode = 'check_violation';
  end if;
  if new.version <> old.version + 1 then
    raise exception 'an order changes one version at a time' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger orders_guarded before update on orders
  for each row execute function guard_order();

create function check_new_order() returns trigger language plpgsql as $$
begin
  if new.status <> 'awaiting_payment' then
    raise exception 'a new order awaits its payment' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger orders_start before insert on orders
  for each row execute function check_new_order();

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is insert-only', tg_table_name using errcode = 'check_violation';
end $$;

-- The order's timeline: who moved it, when and why.
create table order_events (
  order_id bigint not null references orders (id),
  sequence integer not null,
  merchant_id text not null,
  status text not null,
  status_reason text,
  actor text not null check (actor in ('customer', 'merchant', 'operator', 'system')),
  note text not null,
  at timestamptz not null default business_now(),
  primary key (order_id, sequence)
);
create trigger order_events_insert_only before update or delete on order_events
  for each row execute function refuse_change();

-- One try to take the money by card. Its id is the reference the processor knows.
create table payment_attempts (
  id uuid primary key,
  order_id bigint not null references orders (id),
  merchant_id text not null,
  number smallint not null check (number between 1 and 5),
  card_token text not null,
  brand text not null,
  last_four text not null check (last_four ~ '^[0-9]{4}$'),
  asset_id integer not null references currencies (id),
  units numeric(38, 0) not null check (units > 0),
  status text not null check (status in ('processing', 'challenge', 'authorized', 'captured',
    'declined', 'authentication_failed', 'failed', 'voided')),
  decline_reason text,
  challenge_url text,
  three_d_secure jsonb,
  billing_address jsonb not null,
  created_at timestamptz not null default business_now(),
  updated_at timestamptz not null default business_now(),
  unique (order_id, number)
);
create unique index payment_attempts_one_open on payment_attempts (order_id)
  where status in ('processing', 'challenge', 'authorized');
create unique index payment_attempts_one_captured on payment_attempts (order_id)
  where status = 'captured';

-- What an order owes its customer on a chain. One intent for an order; no way back from signed.
create table payout_intents (
  id uuid primary key,
  order_id bigint not null unique references orders (id),
  merchant_id text not null,
  asset_id integer not null references currencies (id),
  units numeric(38, 0) not null check (units > 0),
  network_code text not null,
  address text not null,
  memo text,
  state text not null default 'created'
    check (state in ('created', 'signed', 'broadcast', 'confirmed')),
  transaction_hash text unique,
  signed_bytes bytea,
  confirmations integer not null default 0,
  created_at timestamptz not null default business_now(),
  updated_at timestamptz not null default business_now(),
  check ((state = 'created') = (signed_bytes is null)),
  check ((signed_bytes is null) = (transaction_hash is null))
);

create function guard_payout_intent() returns trigger language plpgsql as $$
declare
  states constant text[] := array['created', 'signed', 'broadcast', 'confirmed'];
begin
  if (new.id, new.order_id, new.merchant_id, new.asset_id, new.units, new.network_code,
      new.address)
     is distinct from
     (old.id, old.order_id, old.merchant_id, old.asset_id, old.units, old.network_code,
      old.address)
     or new.memo is distinct from old.memo then
    raise exception 'what a payout intent says cannot be changed' using errcode = 'check_violation';
  end if;
  if array_position(states, new.state) < array_position(states, old.state) then
    raise exception 'a payout intent cannot go back from % to %', old.state, new.state
      using errcode = 'check_violation';
  end if;
  if old.signed_bytes is not null and (new.signed_bytes, new.transaction_hash)
     is distinct from (old.signed_bytes, old.transaction_hash) then
    raise exception 'a payout intent is signed once' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger payout_intents_guarded before update on payout_intents
  for each row execute function guard_payout_intent();

-- The ledger. An entry is in one asset; an exchange is two entries with the same link.
-- Debits are positive, credits negative.
create table ledger_accounts (
  id bigint generated always as identity primary key,
  merchant_id text not null references merchants (id),
  purpose text not null,
  asset_id integer not null references currencies (id),
  unique (merchant_id, purpose, asset_id),
  unique (id, asset_id)
);

create table ledger_entries (
  id bigint generated always as identity primary key,
  merchant_id text not null,
  -- The natural name of what happened, such as capture:<attempt>: it happens once.
  key text not null unique,
  kind text not null,
  asset_id integer not null references currencies (id),
  order_id bigint references orders (id),
  link text,
  effective_at timestamptz not null,
  recorded_at timestamptz not null default business_now(),
  recorded_by xid8 not null default pg_current_xact_id(),
  unique (id, asset_id)
);
create index ledger_entries_of_order on ledger_entries (order_id);

create table ledger_postings (
  entry_id bigint not null,
  line smallint not null,
  account_id bigint not null,
  asset_id integer not null,
  units numeric(38, 0) not null check (units <> 0),
  primary key (entry_id, line),
  foreign key (entry_id, asset_id) references ledger_entries (id, asset_id),
  foreign key (account_id, asset_id) references ledger_accounts (id, asset_id)
);
create index ledger_postings_of_account on ledger_postings (account_id);

create function check_entry_open() returns trigger language plpgsql as $$
begin
  if (select recorded_by from ledger_entries where id = new.entry_id) <> pg_current_xact_id() then
    raise exception 'a recorded entry takes no more postings' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger ledger_postings_of_open_entries before insert on ledger_postings
  for each row execute function check_entry_open();

create function check_entry_balances() returns trigger language plpgsql as $$
declare
  total numeric;
  lines integer;
begin
  select coalesce(sum(units), 0), count(*) into total, lines
    from ledger_postings where entry_id = new.id;
  if lines < 2 or total <> 0 then
    raise exception 'ledger entry % does not balance: % postings, sum %', new.key, lines, total
      using errcode = 'check_violation', constraint = 'ledger_entries_balance';
  end if;
  return null;
end $$;
create constraint trigger ledger_entries_balance after insert on ledger_entries
  deferrable initially deferred for each row execute function check_entry_balances();

create trigger ledger_entries_insert_only before update or delete on ledger_entries
  for each row execute function refuse_change();
create trigger ledger_postings_insert_only before update or delete on ledger_postings
  for each row execute function refuse_change();
create trigger ledger_accounts_insert_only before update or delete on ledger_accounts
  for each row execute function refuse_change();
create trigger ledger_entries_kept before truncate on ledger_entries
  for each statement execute function refuse_change();
create trigger ledger_postings_kept before truncate on ledger_postings
  for each statement execute function refuse_change();

-- What is done later. A job is deleted in the database transaction that records its result.
create table jobs (
  id bigint generated always as identity primary key,
  kind text not null,
  -- The natural name of the work: enqueued once however often it is asked for.
  key text not null unique,
  order_id bigint not null references orders (id),
  merchant_id text not null,
  run_at timestamptz not null default business_now(),
  attempts integer not null default 0,
  lease_token uuid,
  leased_until timestamptz,
  last_error text,
  created_at timestamptz not null default business_now()
);
create index jobs_due on jobs (run_at);
