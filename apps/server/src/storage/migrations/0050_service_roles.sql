-- The functions through which the API's role writes what it has no rights to write by itself. They run with the
-- rights of the tables' owner, on a fixed search path.
-- See docs/decisions/0064-give-the-api-a-database-role-of-its-own.md.

-- A payment that was just started has one status, and no request names another.
alter table payment_attempts alter column status set default 'processing';

-- A request moves an order along these only. All other moves take a role that may write payouts: a worker's, or the
-- owner's. Outside prod the sandbox acts for operators in the API, so there a request may do what they may.
alter table order_moves add column by_request boolean not null default false;
update order_moves set by_request = true where (from_status, to_status) in (
  ('awaiting_payment', 'payment_pending'), ('awaiting_payment', 'in_review'), ('awaiting_payment', 'cancelled'),
  ('payment_pending', 'cancelled'), ('in_review', 'processing'),
  ('in_review', 'refund_pending'), ('processing', 'refund_pending'));

create function may_decide() returns boolean language sql stable as $$
  select has_table_privilege(session_user, 'payout_intents', 'insert')
    or (select environment <> 'prod' from installation)
$$;

create or replace function guard_order() returns trigger language plpgsql as $$
begin
  if new.status <> old.status and not exists (
    select 1 from order_moves where from_status = old.status and to_status = new.status
      and (by_request and (old.status <> 'in_review' or old.status_reason is distinct from 'screening_hit'
        and (new.status <> 'processing' or old.status_reason = 'rate_moved')) or may_decide())
  ) then
    raise exception 'an order cannot go from % to %', old.status, new.status
      using errcode = 'check_violation', constraint = 'order_moves';
  end if;
  if new.status = old.status and new.status_reason is distinct from old.status_reason and not may_decide() then
    raise exception 'the reason of a status changes with it' using errcode = 'check_violation';
  end if;
  if (new.id, new.merchant_id, new.session_id, new.operation, new.spend_asset_id,
      new.spend_units, new.receive_asset_id, new.payment_method_id, new.delivery_method_id)
     is distinct from
     (old.id, old.merchant_id, old.session_id, old.operation, old.spend_asset_id,
      old.spend_units, old.receive_asset_id, old.payment_method_id, old.delivery_method_id)
     or (new.wallet_address, new.network_code, new.memo)
     is distinct from (old.wallet_address, old.network_code, old.memo) then
    raise exception 'what an order promises cannot be changed' using errcode = 'check_violation';
  end if;
  -- The price changes only while the order waits for the customer's answer, and only to one that was used for it.
  if (new.quote_id, new.receive_units) is distinct from (old.quote_id, old.receive_units)
     and not (old.status = 'in_review' and old.status_reason = 'rate_moved'
       and old.held_from = 'processing' and new.status = 'processing'
       and exists (select from quotes q where q.id = new.quote_id
         and q.consumed_by_order_id = new.id and q.reprices_order_id = new.id
         and q.receive_units = new.receive_units)) then
    raise exception 'what an order promises cannot be changed' using errcode = 'check_violation';
  end if;
  -- The fields of the payout are a promise too. They are sealed once, and stay.
  if old.personal is not null
     and (new.personal, new.payout_sealed) is distinct from (old.personal, old.payout_sealed)
     or new.personal is null and new.payout_sealed is distinct from old.payout_sealed then
    raise exception 'what an order promises cannot be changed' using errcode = 'check_violation';
  end if;
  if new.version <> old.version + 1 then
    raise exception 'an order changes one version at a time' using errcode = 'check_violation';
  end if;
  return new;
end $$;

-- A line of an operator lets a held order go on, so a request cannot write one.
create function guard_operator_event() returns trigger language plpgsql as $$
begin
  if not may_decide() then
    raise exception 'a request writes no line of an operator' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger order_events_of_operators before insert on order_events
  for each row when (new.actor = 'operator') execute function guard_operator_event();

-- The role of the API cannot approve the address that it asked for.
create or replace function guard_refund_address() returns trigger language plpgsql as $$
begin
  if (new.refund_address, new.refund_memo)
     is distinct from (old.requested_refund_address, old.requested_refund_memo)
     or not has_table_privilege(session_user, 'payout_intents', 'insert') then
    raise exception 'a refund address is replaced only as the customer asked and an operator approved'
      using errcode = 'check_violation', constraint = 'orders_refund_address';
  end if;
  return new;
end $$;

-- Sets a stop and logs it. A stop that needs two people is not weakened by one that needs one. After a change of the
-- stop, the people who agreed to end it have to agree again. Returns false when the same stop is set already.
create function put_stop(stop_kind text, stop_subject text, why text, person text, people smallint,
  log_subject text, os_user text, sudo_user text, account text) returns boolean language plpgsql as $$
declare
  earlier jsonb;
begin
  select jsonb_build_object('reason', reason, 'setBy', set_by, 'peopleToResume', people_to_resume)
    into earlier from stops where kind = stop_kind and subject = stop_subject;
  insert into stops as stop (kind, subject, reason, set_by, people_to_resume)
    values (stop_kind, stop_subject, why, person, people)
    on conflict (kind, subject) do update set reason = excluded.reason,
      set_by = excluded.set_by, people_to_resume = excluded.people_to_resume
    where excluded.people_to_resume > stop.people_to_resume
      or (excluded.people_to_resume = stop.people_to_resume and excluded.reason <> stop.reason);
  if not found then
    return false;
  end if;
  delete from stop_resumes where kind = stop_kind and subject = stop_subject;
  insert into control_log (person, action, subject, details, os_user, sudo_user, account, before, after)
    values (person, 'stop', log_subject, jsonb_build_object('reason', why), os_user, sudo_user, account, earlier,
      jsonb_build_object('reason', why, 'setBy', person, 'peopleToResume', people));
  return true;
end $$;

-- Moves the clock of a rehearsal forward, and returns the seconds by which it is then ahead of real time. Returns null
-- in prod, and beyond the dates that PostgreSQL and JavaScript hold: limits count by this clock.
create function advance_business_clock(seconds double precision) returns bigint
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  update installation set clock_offset = clock_offset + seconds * interval '1 second'
  where environment <> 'prod' and clock_offset + seconds * interval '1 second' <= interval '36500 days'
  returning extract(epoch from clock_offset)::bigint
$$;
-- Before PostgreSQL 18 a deferred trigger runs with the rights of the role that commits.
alter function keep_business_clock() security definer set search_path = pg_catalog, public, pg_temp;

-- Records that the database is older than the world: payouts stop, webhooks are held, and order numbers and the mark
-- jump past those that other machines remember. A process of the API can say so, and cannot take it back.
create function declare_restored(why text, last_mark bigint) returns void
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform from history for update;
  perform setval('order_numbers', last_value + 1000000) from order_numbers;
  update history set restored_at = coalesce(restored_at, clock_timestamp()),
    restored_why = coalesce(restored_why, why),
    compared_until = coalesce(compared_until, (select rails_compared_at from audit_progress),
      (select created_at from installation), 'epoch'), cluster = ledger_cluster(),
    -- The marks of several processes may differ by some.
    mark = greatest(mark, last_mark) + 1000;
  perform put_stop('all', '', 'the database is older than the world: ' || why, 'auditor', 2::smallint,
    'all payouts', null, null, null);
end $$;

-- Writes the money of a refund: voids a payout that was never released, reverses the exchange, reserves the money and
-- owes it. The step is the parameter of the service's statement for one order. It is a refund that was asked for, or
-- the excess of a settled order whose customer now named an address. A refund takes no destination from the caller: it
-- returns money that the order received to the card or account that paid, or to the refund address of the order. The
-- constraints of the ledger keep it within what the order holds.
create function owe_refunds(step jsonb) returns void
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  head jsonb := step -> 'steps' -> 0;
  asked orders;
  reason constant text := case when head ->> 'status' is null then 'excess_refund' else 'refund' end;
  faults integer;
  refund_to text;
  memo_to text;
begin
  select * into asked from orders o
    where o.id = (head ->> 'order_id')::bigint and o.merchant_id = head ->> 'merchant_id'
      and o.version = (head ->> 'version')::integer for update;
  if not found then
    perform refuse_write('the order changed concurrently');
  end if;
  if jsonb_array_length(step -> 'steps') <> 1 or jsonb_array_length(step -> 'intents') = 0
     or reason = 'refund' and (head ->> 'status' <> 'refund_pending'
       or asked.status not in ('in_review', 'processing')
       or asked.status_reason = 'screening_hit' and not may_decide())
     or reason <> 'refund' and (asked.status not in ('sending', 'completed', 'failed', 'refunded')
       or head ->> 'intent_id' is not null or jsonb_array_length(step -> 'reversals') > 0) then
    raise exception 'order % takes no refund', asked.id using errcode = 'check_violation';
  end if;
  refund_to := asked.refund_address;
  memo_to := asked.refund_memo;
  -- The step may name the first address, or another one that the customer asked for and an operator approves now.
  if head ->> 'refund_address' is not null and (refund_to is null
     or (head ->> 'refund_address', head ->> 'refund_memo')
       is not distinct from (asked.requested_refund_address, asked.requested_refund_memo)
       and has_table_privilege(session_user, 'payout_intents', 'insert')) then
    refund_to := head ->> 'refund_address';
    memo_to := head ->> 'refund_memo';
  end if;
  if head ->> 'intent_id' is not null then
    update payout_intents set state = 'void', void_reason = 'withdrawn', updated_at = business_now()
      where id = (head ->> 'intent_id')::uuid and order_id = asked.id and purpose = 'payout'
        and state = 'created' and released_at is null;
    if not found then
      perform refuse_write('the payout was released meanwhile');
    end if;
  end if;

  with wanted as materialized (
    select * from jsonb_to_recordset(step -> 'intents') as intent (id uuid, order_id bigint, merchant_id text,
      purpose text, rail text, asset_id int, units numeric, network_code text, address text, memo text,
      attempt_id uuid, deposit_id uuid)),
  sources as (
    select a.id, 'card' as rail, a.asset_id, a.units from payment_attempts a
      where a.order_id = asked.id and a.status = 'captured'
    union all
    select d.id, d.rail, d.asset_id, d.units from deposits d
      where d.order_id = asked.id and d.state = 'final'),
  sound as (
    select wanted.id from wanted
      join sources on sources.id = coalesce(wanted.attempt_id, wanted.deposit_id)
      join currencies currency on currency.id = sources.asset_id
    where wanted.order_id = asked.id and wanted.merchant_id = asked.merchant_id and wanted.purpose = reason
      and num_nonnulls(wanted.attempt_id, wanted.deposit_id) = 1
      and (wanted.attempt_id is not null) = (sources.rail = 'card')
      and (wanted.rail, wanted.asset_id) = (sources.rail, sources.asset_id)
      and wanted.units + (
        select coalesce(sum(other.units), 0) from payout_intents other
          where coalesce(other.attempt_id, other.deposit_id) = sources.id and other.state <> 'void')
        <= sources.units
      and case when wanted.rail = 'chain' then wanted.network_code = currency.network_code
          and wanted.address = refund_to and wanted.memo is not distinct from memo_to
        else num_nonnulls(wanted.network_code, wanted.address, wanted.memo) = 0 end)
  select (select count(*) from wanted) - (select count(distinct id) from sound)
    + (select count(*) - count(distinct coalesce(attempt_id, deposit_id)) from wanted)
    into faults;
  if faults <> 0 then
    raise exception 'a refund returns what order % received to its payer', asked.id
      using errcode = 'check_violation';
  end if;

  -- The limits count the value at the catalogue's stable rate, rounded up.
  insert into payout_intents (id, order_id, merchant_id, purpose, rail, asset_id, units, network_code, address,
      memo, attempt_id, deposit_id, euro_cents)
    select intent.id, asked.id, asked.merchant_id, reason, rail, asset_id, units, intent.network_code, address,
      memo, attempt_id, deposit_id,
      div(units * 100, cent) + (units * 100 > cent * div(units * 100, cent))::integer
    from jsonb_to_recordset(step -> 'intents') as intent (id uuid, rail text, asset_id int, units numeric,
        network_code text, address text, memo text, attempt_id uuid, deposit_id uuid)
      join currencies currency on currency.id = intent.asset_id
      cross join lateral (select currency.per_euro * 10::numeric ^ currency.decimals as cent) rate;
  -- The order's own entries alone can be reversed: the exchange, and the reservation of the payout just withdrawn.
  insert into ledger_entries (merchant_id, key, kind, asset_id, order_id, link, effective_at, reverses)
    select original.merchant_id, reversal.key, reversal.kind, original.asset_id, asked.id, original.link,
      business_now(), original.id
    from jsonb_to_recordset(step -> 'reversals') as reversal (of text, key text, kind text)
      join ledger_entries original on original.key = reversal.of and original.order_id = asked.id
    where (reversal.key, reversal.kind) = (reversal.of || ':reversed', 'reversal')
        and reversal.of in ('exchange:' || asked.id || ':spend', 'exchange:' || asked.id || ':receive')
      or (reversal.of, reversal.key, reversal.kind) = ('payout_reserved:' || (head ->> 'intent_id'),
        'payout_voided:' || (head ->> 'intent_id'), 'payout_voided');
  get diagnostics faults = row_count;
  if faults <> jsonb_array_length(step -> 'reversals') then
    perform refuse_write('there is no entry to reverse');
  end if;
  insert into ledger_postings (entry_id, line, account_id, asset_id, units)
    select reversal.id, posting.line, posting.account_id, posting.asset_id, -posting.units
    from jsonb_to_recordset(step -> 'reversals') as wanted (key text)
      join ledger_entries reversal on reversal.key = wanted.key
      join ledger_postings posting on posting.entry_id = reversal.reverses;
  insert into ledger_accounts (merchant_id, purpose, asset_id)
    select distinct asked.merchant_id, account.purpose, intent.asset_id
    from jsonb_to_recordset(step -> 'intents') as intent (asset_id int),
      (values ('customer_funds'), ('refunds_in_flight')) account (purpose)
    order by 3, 2 on conflict do nothing;
  with reserved as (
    insert into ledger_entries (merchant_id, key, kind, asset_id, order_id, effective_at)
      select asked.merchant_id, 'refund_reserved:' || id, 'refund_reserved', asset_id, asked.id, business_now()
      from jsonb_to_recordset(step -> 'intents') as intent (id uuid, asset_id int)
      returning id, key, asset_id)
  insert into ledger_postings (entry_id, line, account_id, asset_id, units)
    select reserved.id, posting.line, account.id, reserved.asset_id, posting.sign * intent.units
    from reserved
      join jsonb_to_recordset(step -> 'intents') as intent (id uuid, units numeric)
        on reserved.key = 'refund_reserved:' || intent.id
      cross join (values (1, 'customer_funds', 1), (2, 'refunds_in_flight', -1)) posting (line, purpose, sign)
      join ledger_accounts account on account.merchant_id = asked.merchant_id
        and account.purpose = posting.purpose and account.asset_id = reserved.asset_id;
  -- The deferred checks of the ledger would run at the commit, with the rights of the caller.
  set constraints all immediate;
end $$;

-- A request reads and claims the stock, and has no rights to the sends and payouts that it follows from.
alter function stock_on_hand(integer) security definer set search_path = pg_catalog, public, pg_temp;
alter function stock_promised(integer, bigint) security definer set search_path = pg_catalog, public, pg_temp;
alter function guard_stock(jsonb) security definer set search_path = pg_catalog, public, pg_temp;

revoke execute on function guard_stock, stock_on_hand, stock_promised, advance_business_clock, declare_restored, owe_refunds from public;
