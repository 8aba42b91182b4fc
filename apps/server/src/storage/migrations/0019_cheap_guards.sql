-- The same promises for less: what every order pays for is asked once, not row by row.

-- A posting belongs to an entry that its own database transaction records, and the entry, the posting
-- and the account are in one asset. One look at all new postings stands for a trigger and two foreign
-- keys on each: entries and accounts are insert-only, so what was there stays there.
create function check_new_postings() returns trigger language plpgsql as $$
declare
  strays boolean;
  late boolean;
begin
  select bool_or(entry.id is null or account.id is null),
      bool_or(entry.recorded_by <> pg_current_xact_id())
    into strays, late
    from added
      left join ledger_entries entry on entry.id = added.entry_id and entry.asset_id = added.asset_id
      left join ledger_accounts account
        on account.id = added.account_id and account.asset_id = added.asset_id;
  if strays then
    raise exception 'a posting violates the foreign keys to its entry and its account, in its asset'
      using errcode = 'foreign_key_violation', constraint = 'ledger_postings_belong';
  end if;
  if late then
    raise exception 'a recorded entry takes no more postings' using errcode = 'check_violation';
  end if;
  return null;
end $$;
create trigger ledger_postings_belong after insert on ledger_postings
  referencing new table as added for each statement execute function check_new_postings();
drop trigger ledger_postings_of_open_entries on ledger_postings;
drop function check_entry_open();
alter table ledger_postings
  drop constraint ledger_postings_entry_id_asset_id_fkey,
  drop constraint ledger_postings_account_id_asset_id_fkey;
create trigger ledger_accounts_kept before truncate on ledger_accounts
  for each statement execute function refuse_change();

-- An entry's asset is that of its postings and so of their accounts; its order is looked up below.
alter table ledger_entries
  drop constraint ledger_entries_asset_id_fkey,
  drop constraint ledger_entries_order_id_fkey;

-- What is held for an order can be used once: neither side of it goes below nothing, so a payout and
-- a refund exclude each other in the books, whatever the code above them does. An entry can overdraw
-- only what it debits.
create or replace function check_entry_balances() returns trigger language plpgsql as $$
declare
  total numeric;
  lines integer;
  debited bigint[];
  overdrawn text;
begin
  select coalesce(sum(posting.units), 0), count(*),
      array_agg(account.id) filter (where posting.units > 0 and account.purpose in
        ('customer_funds', 'customer_payable', 'payouts_in_flight', 'refunds_in_flight'))
    into total, lines, debited
    from ledger_postings posting join ledger_accounts account on account.id = posting.account_id
    where posting.entry_id = new.id;
  if lines < 2 or total <> 0 then
    raise exception 'ledger entry % does not balance: % postings, sum %', new.key, lines, total
      using errcode = 'check_violation', constraint = 'ledger_entries_balance';
  end if;
  if new.order_id is null then
    return null;
  end if;
  perform 1 from orders where id = new.order_id for no key update;
  if not found then
    raise exception 'ledger entry % is of no order', new.key
      using errcode = 'foreign_key_violation', constraint = 'ledger_entries_of_order';
  end if;
  if debited is null then
    return null;
  end if;
  select account.purpose into overdrawn
    from ledger_entries entry
    join ledger_postings posting on posting.entry_id = entry.id
    join ledger_accounts account on account.id = posting.account_id
    where entry.order_id = new.order_id and posting.account_id = any (debited)
    group by account.id having sum(posting.units) > 0 limit 1;
  if overdrawn is not null then
    raise exception 'ledger entry % takes more from % than order % holds', new.key, overdrawn,
      new.order_id using errcode = 'check_violation', constraint = 'ledger_entries_covered';
  end if;
  return null;
end $$;

-- Orders are never deleted: nothing that names one is left without it.
create trigger orders_kept before delete or truncate on orders
  for each statement execute function refuse_change();

-- Whoever releases or signs shares the lock of the stops, so a stop that is committed is seen here. Where
-- nothing at all is stopped, the stops of the payout are not looked for.
create or replace function refuse_stopped_payout(payout payout_intents) returns void
language plpgsql as $$
declare
  stop stops;
begin
  perform pg_advisory_xact_lock_shared(7265390128);
  if not exists (select from stops) then
    return;
  end if;
  select * into stop from stops_of_payout(payout) limit 1;
  if found then
    raise exception 'payout % is stopped: %', payout.id, stop.reason
      using errcode = 'check_violation', constraint = 'payouts_stopped';
  end if;
end $$;

-- Time is asked for in every row: read without a query of its own. The installation's row says how far
-- the clock runs ahead; a sequence repeats it when that is committed.
create sequence business_clock_offset minvalue 0;
create function keep_business_clock() returns trigger language plpgsql as $$
begin
  perform setval('business_clock_offset', (extract(epoch from new.clock_offset) * 1000000)::bigint);
  return null;
end $$;
create constraint trigger installation_clock after insert or update of clock_offset on installation
  deferrable initially deferred for each row execute function keep_business_clock();
select setval('business_clock_offset', (extract(epoch from clock_offset) * 1000000)::bigint)
  from installation;
create or replace function business_now() returns timestamptz language plpgsql stable as $$
begin
  return clock_timestamp()
    + coalesce(pg_sequence_last_value('business_clock_offset'), 0) * interval '1 microsecond';
end $$;
