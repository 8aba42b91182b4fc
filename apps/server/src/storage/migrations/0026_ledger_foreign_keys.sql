-- The ledger's foreign keys, which 0019 replaced by lookups in triggers. A trigger sees what its own
-- function looks at; a foreign key is checked by the database for every writer. These hold for new rows at
-- once; the next migration validates the rows that are there, without keeping writers out.
alter table ledger_postings
  add constraint ledger_postings_of_entry foreign key (entry_id, asset_id)
    references ledger_entries (id, asset_id) not valid,
  add constraint ledger_postings_on_account foreign key (account_id, asset_id)
    references ledger_accounts (id, asset_id) not valid;
alter table ledger_entries
  add constraint ledger_entries_in_asset foreign key (asset_id)
    references currencies (id) not valid,
  add constraint ledger_entries_of_known_order foreign key (order_id)
    references orders (id) not valid;

-- An entry takes postings only in the database transaction that records it. Each posting looks its entry up
-- by key: a join, planned while the tables are small, would read all entries (docs/internals/query-plans.md).
create or replace function check_new_postings() returns trigger language plpgsql as $$
begin
  if (select bool_or((select entry.recorded_by from ledger_entries entry
        where entry.id = added.entry_id) <> pg_current_xact_id()) from added) then
    raise exception 'a recorded entry takes no more postings' using errcode = 'check_violation';
  end if;
  return null;
end $$;

-- As in 0021, without the lookup that the foreign key to the order now makes. The order's row is locked,
-- so that two entries that take from the same balance are checked one after the other.
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
  if debited is null then
    return null;
  end if;
  select account.purpose into overdrawn
    from ledger_entries entry
    join ledger_postings posting on posting.entry_id = entry.id
    join ledger_accounts account on account.id = posting.account_id
    -- No index is on the sum: the postings are found by the order's entries and not by their account.
    where entry.order_id = new.order_id and posting.account_id + 0 = any (debited)
    group by account.id having sum(posting.units) > 0 limit 1;
  if overdrawn is not null then
    raise exception 'ledger entry % takes more from % than order % holds', new.key, overdrawn,
      new.order_id using errcode = 'check_violation', constraint = 'ledger_entries_covered';
  end if;
  return null;
end $$;
