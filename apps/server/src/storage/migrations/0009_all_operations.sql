-- Every operation: money that comes in by bank or on a chain, payouts on any rail, refunds, review.

alter table orders
  -- Where coins the customer sent go back to; told with the order or later.
  add column refund_address text,
  add column refund_memo text,
  -- What the delivery method asks for, such as an IBAN: sealed with a key outside the database.
  add column payout_sealed bytea,
  -- The same with all but the last signs hidden, for people to recognise.
  add column payout_shown jsonb not null default '{}',
  -- While in review: the status it was held in.
  add column held_from text;

create or replace function guard_order() returns trigger language plpgsql as $$
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
     or (new.wallet_address, new.network_code, new.memo, new.payout_sealed)
     is distinct from (old.wallet_address, old.network_code, old.memo, old.payout_sealed) then
    raise exception 'what an order promises cannot be changed' using errcode = 'check_violation';
  end if;
  if new.version <> old.version + 1 then
    raise exception 'an order changes one version at a time' using errcode = 'check_violation';
  end if;
  return new;
end $$;

-- Until now only money that came after an order's end was held.
update orders set held_from = 'expired', version = version + 1 where status = 'in_review';
alter table orders
  add constraint orders_held_from check ((status = 'in_review') = (held_from is not null));

-- Where an order's bank transfer or coins are to be sent. Told once, never changed.
create table payment_instructions (
  order_id bigint primary key references orders (id),
  merchant_id text not null,
  rail text not null check (rail in ('bank', 'chain')),
  asset_id integer not null references currencies (id),
  units numeric(38, 0) not null check (units > 0),
  network_code text,
  address text,
  memo text,
  -- What the payer writes beside a bank transfer; what the rail knows the order by.
  reference text not null unique,
  -- The account's details by label, in the order they are shown.
  account jsonb not null default '[]',
  created_at timestamptz not null default business_now(),
  check ((rail = 'chain') = (network_code is not null and address is not null))
);
create unique index payment_instructions_of_address
  on payment_instructions (network_code, address, coalesce(memo, '')) where rail = 'chain';
create trigger payment_instructions_kept before update or delete on payment_instructions
  for each row execute function refuse_change();

-- Money seen at an order's instruction. Only what is final is booked.
create table deposits (
  id uuid primary key,
  order_id bigint not null references orders (id),
  merchant_id text not null,
  rail text not null check (rail in ('bank', 'chain')),
  -- The rail's own name of it: transaction hash and output, or the bank's id.
  external_id text not null,
  asset_id integer not null references currencies (id),
  units numeric(38, 0) not null check (units > 0),
  state text not null default 'seen' check (state in ('seen', 'final', 'lost')),
  confirmations integer not null default 0,
  block_hash text,
  created_at timestamptz not null default business_now(),
  updated_at timestamptz not null default business_now(),
  unique (rail, external_id)
);
create index deposits_of_order on deposits (order_id, created_at, id);

create function guard_deposit() returns trigger language plpgsql as $$
begin
  if (new.id, new.order_id, new.merchant_id, new.rail, new.external_id, new.asset_id, new.units)
     is distinct from
     (old.id, old.order_id, old.merchant_id, old.rail, old.external_id, old.asset_id, old.units)
  then
    raise exception 'what a deposit is cannot be changed' using errcode = 'check_violation';
  end if;
  if old.state = 'final' and new.state <> 'final' then
    raise exception 'a final deposit stays final' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger deposits_guarded before update on deposits
  for each row execute function guard_deposit();

-- An asset we owe, on any rail: an order's payout, or a refund of what was received for it.
alter table payout_intents
  add column purpose text not null default 'payout'
    check (purpose in ('payout', 'refund', 'excess_refund')),
  add column rail text not null default 'chain' check (rail in ('chain', 'bank', 'card')),
  -- What a refund gives back: a captured card payment or a deposit.
  add column attempt_id uuid references payment_attempts (id),
  add column deposit_id uuid references deposits (id),
  -- The binding of a transaction to its place in our wallet's sequence; committed before it is signed.
  add column nonce bigint,
  -- When the controls let it go; null while it waits for limits or an approval.
  add column released_at timestamptz,
  -- The stable value that limits count, in euro cents.
  add column euro_cents bigint not null default 0 check (euro_cents >= 0),
  add column void_reason text,
  -- Which of its transactions was mined, where one was replaced.
  add column settled_hash text,
  alter column network_code drop not null,
  alter column address drop not null,
  drop constraint payout_intents_order_id_key,
  drop constraint payout_intents_state_check,
  drop constraint payout_intents_check,
  add constraint payout_intents_state_check
    check (state in ('created', 'signed', 'broadcast', 'confirmed', 'void')),
  add constraint payout_intents_signed check (
    case state when 'created' then signed_bytes is null
      when 'void' then true else signed_bytes is not null end),
  add constraint payout_intents_void check ((state = 'void') = (void_reason is not null)),
  add constraint payout_intents_where check (
    rail <> 'chain' or (network_code is not null and address is not null)),
  add constraint payout_intents_source check (
    case purpose when 'payout' then attempt_id is null and deposit_id is null
      else num_nonnulls(attempt_id, deposit_id) = 1 end);
-- One payout of an order is alive at a time; another only after the first was void.
create unique index payout_intents_one_payout on payout_intents (order_id)
  where purpose = 'payout' and state <> 'void';
create unique index payout_intents_nonce on payout_intents (network_code, nonce);
create index payout_intents_of_order on payout_intents (order_id, created_at);
create index payout_intents_released on payout_intents (released_at) where released_at is not null;

-- The next place in our wallet's sequence on each network.
create table wallet_nonces (network_code text primary key, next bigint not null check (next >= 0));

-- What replaced a transaction that was stuck: the same transfer at the same place, so one can win.
create table payout_replacements (
  intent_id uuid not null references payout_intents (id),
  number integer not null check (number > 0),
  transaction_hash text not null unique,
  signed_bytes bytea not null,
  created_at timestamptz not null default business_now(),
  primary key (intent_id, number)
);
create trigger payout_replacements_kept before update or delete on payout_replacements
  for each row execute function refuse_change();

create or replace function guard_payout_intent() returns trigger language plpgsql as $$
declare
  states constant text[] := array['created', 'signed', 'broadcast', 'confirmed'];
begin
  if (new.id, new.order_id, new.merchant_id, new.asset_id, new.units, new.purpose, new.rail)
     is distinct from
     (old.id, old.order_id, old.merchant_id, old.asset_id, old.units, old.purpose, old.rail)
     or (new.network_code, new.address, new.memo, new.attempt_id, new.deposit_id)
     is distinct from
     (old.network_code, old.address, old.memo, old.attempt_id, old.deposit_id) then
    raise exception 'what a payout intent says cannot be changed' using errcode = 'check_violation';
  end if;
  if old.nonce is not null and new.nonce is distinct from old.nonce then
    raise exception 'a payout intent keeps its nonce' using errcode = 'check_violation';
  end if;
  if old.state in ('confirmed', 'void') and new.state <> old.state then
    raise exception 'a % payout intent stays so', old.state using errcode = 'check_violation';
  end if;
  -- Void after signing only where the rail says that it rejected the transfer.
  if new.state = 'void' and old.state in ('signed', 'broadcast')
     and new.void_reason <> 'rejected' then
    raise exception 'a signed payout intent is void only when its rail rejected it'
      using errcode = 'check_violation';
  end if;
  if new.state <> 'void'
     and array_position(states, new.state) < array_position(states, old.state) then
    raise exception 'a payout intent cannot go back from % to %', old.state, new.state
      using errcode = 'check_violation';
  end if;
  if old.signed_bytes is not null and (new.signed_bytes, new.transaction_hash)
     is distinct from (old.signed_bytes, old.transaction_hash) then
    raise exception 'a payout intent is signed once' using errcode = 'check_violation';
  end if;
  return new;
end $$;

-- Something happened that the job asks for while it was running: it runs again at once.
alter table jobs add column hurried boolean not null default false;

-- Jobs that send are about an intent now, not about an order.
update jobs set key = 'send_payout:' || intent.id
  from payout_intents intent
  where jobs.kind = 'send_payout' and jobs.key = 'send_payout:' || intent.order_id;

-- A reversal undoes one entry, once.
alter table ledger_entries add column reverses bigint unique references ledger_entries (id);

-- What is held for an order can be used once: neither side of it goes below nothing, so a payout and
-- a refund exclude each other in the books, whatever the code above them does.
create or replace function check_entry_balances() returns trigger language plpgsql as $$
declare
  total numeric;
  lines integer;
  overdrawn text;
begin
  select coalesce(sum(units), 0), count(*) into total, lines
    from ledger_postings where entry_id = new.id;
  if lines < 2 or total <> 0 then
    raise exception 'ledger entry % does not balance: % postings, sum %', new.key, lines, total
      using errcode = 'check_violation', constraint = 'ledger_entries_balance';
  end if;
  if new.order_id is null then
    return null;
  end if;
  perform 1 from orders where id = new.order_id for no key update;
  select account.purpose into overdrawn
    from ledger_entries entry
    join ledger_postings posting on posting.entry_id = entry.id
    join ledger_accounts account on account.id = posting.account_id
    where entry.order_id = new.order_id
      and account.purpose in
        ('customer_funds', 'customer_payable', 'payouts_in_flight', 'refunds_in_flight')
    group by account.id, account.purpose having sum(posting.units) > 0 limit 1;
  if overdrawn is not null then
    raise exception 'ledger entry % takes more from % than order % holds', new.key, overdrawn,
      new.order_id using errcode = 'check_violation', constraint = 'ledger_entries_covered';
  end if;
  return null;
end $$;
