-- The same promise for the same work at any number of orders. What an account holds of an order is looked
-- for among the postings of that order's entries: by the account they would be all there are of it, and
-- the planner, asked while the tables are small, would rather read those too.
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
    -- The sum of nothing and the account: no index is of that.
    where entry.order_id = new.order_id and posting.account_id + 0 = any (debited)
    group by account.id having sum(posting.units) > 0 limit 1;
  if overdrawn is not null then
    raise exception 'ledger entry % takes more from % than order % holds', new.key, overdrawn,
      new.order_id using errcode = 'check_violation', constraint = 'ledger_entries_covered';
  end if;
  return null;
end $$;

-- Each new posting looks its entry and its account up. As a join they would be read whole for many
-- postings, which a plan that was made for small tables goes on doing when they are large.
create or replace function check_new_postings() returns trigger language plpgsql as $$
declare
  strays boolean;
  late boolean;
begin
  select bool_or(found.recorded_by is null or found.account_id is null),
      bool_or(found.recorded_by <> pg_current_xact_id())
    into strays, late
    from (
      select
        (select entry.recorded_by from ledger_entries entry
         where entry.id = added.entry_id and entry.asset_id = added.asset_id) as recorded_by,
        (select account.id from ledger_accounts account
         where account.id = added.account_id and account.asset_id = added.asset_id) as account_id
      from added
      -- Looked up once for each posting, however often they are compared.
      offset 0) as found;
  if strays then
    raise exception 'a posting violates the foreign keys to its entry and its account, in its asset'
      using errcode = 'foreign_key_violation', constraint = 'ledger_postings_belong';
  end if;
  if late then
    raise exception 'a recorded entry takes no more postings' using errcode = 'check_violation';
  end if;
  return null;
end $$;
