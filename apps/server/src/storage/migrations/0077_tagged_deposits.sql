-- Deposits on the XRP Ledger have an account and a tag as their address, such as rHb9…?dt=17. Their coins are at the
-- account, which makes the payouts too (docs/decisions/0123-one-account-and-tags-for-deposits.md).

-- All deposits of an account, to compare them with its balance.
create index chain_movements_by_account on chain_movements (network_code, split_part(address, '?', 1))
  where address like '%?%';

-- Nothing collects them: they are in the hot wallet already.
create or replace function note_unswept_deposit() returns trigger language plpgsql as $$
begin
  insert into unswept_deposits (network_code, address, asset_id, since)
  select new.network_code, new.address, new.asset_id, new.recorded_at
  where new.address not like '%?%'
    and not exists (select from chain_transactions where hash = new.transaction_hash)
  on conflict do nothing;
  return null;
end $$;
