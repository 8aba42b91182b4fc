-- The issuer of a token may freeze the account in which our wallet has it. The tokens are ours, and no payout can be made of them.
-- A payout that is there already waits, and goes on by itself after the thaw. An order that is paid meanwhile goes to review with
-- no_liquidity, and a person releases it after the thaw.
-- An earlier release does not ask, and leaves the column as it is.
alter table wallet_balances add column is_frozen boolean not null default false;

-- Returns the coins of an asset that payouts can be made of, and null where the stock is unlimited.
create or replace function stock_on_hand(asset integer) returns numeric language plpgsql stable
  security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  network text;
  hot text;
  hot_kind text;
  fold_cluster bigint;
  fold_base bigint;
  fold_counted bigint;
  fold_watermark xid8;
  folded numeric;
  tail numeric;
begin
  select network_code into network from currencies where id = asset;
  if exists (select from live_networks where network_code = network) then
    select id, kind into hot, hot_kind from chain_wallets
      where network_code = network and role = 'hot' and state = 'open';
    -- Coins that no send has taken. Our own change is one of them as soon as it is in a block.
    if hot_kind = 'coins' then
      return (select coalesce(sum(coin.units), 0)
        from chain_coins coin join chain_cursors cursor using (network_code)
        where coin.network_code = network and coin.spent_by is null and coin.send_id is null
          and (coin.height <= cursor.final_height or coin.height is not null and exists (
            select from chain_transactions t where t.hash = split_part(coin.outpoint, ':', 1))));
    end if;
    return coalesce((select units from wallet_balances
      where wallet_id = hot and asset_id = asset and not is_frozen), 0);
  end if;
  if network is null or not exists (select from treasury_limits where asset_id = asset) then
    return null;
  end if;
  -- The same sum as the statements of storage/ledger/balances.ts.
  select cluster, base_entry_id, counted_entry_id, watermark
    into fold_cluster, fold_base, fold_counted, fold_watermark
    from ledger_fold where cluster = ledger_cluster();
  select coalesce(sum(balance.units), 0) into folded
    from ledger_accounts account join ledger_balances balance on balance.account_id = account.id
    where account.purpose = 'chain_wallet' and account.asset_id = asset and fold_cluster is not null;
  select coalesce(sum(posting.units), 0) into tail
    from ledger_entries entry
      join ledger_postings posting on posting.entry_id = entry.id
      join ledger_accounts account on account.id = posting.account_id
    where entry.recorded_by >= case when fold_counted >= fold_base then fold_watermark else '0'::xid8 end
      and entry.id > coalesce(fold_counted, 0)
      and account.purpose = 'chain_wallet' and account.asset_id = asset;
  return folded + tail;
end $$;
