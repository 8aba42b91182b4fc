-- The fingerprint of a wallet's account, as its coins have it. Coins of an earlier hot wallet are not spent by the new one, so they
-- are not stock. Null for a wallet without coins, and until a worker of this release registers one.
alter table chain_wallets add column account text;

-- The transaction that settled a send. A restored database may lack it among those that were signed.
create index chain_sends_settled on chain_sends (settled_hash) where settled_hash is not null;

-- A coin whose send is dead, or was given up before anything was signed, is spent by other sends. So it is stock.
-- Returns the coins of an asset that payouts can be made of, and null where the stock is unlimited.
create or replace function stock_on_hand(asset integer) returns numeric language plpgsql stable
  security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  network text;
  hot text;
  hot_kind text;
  hot_account text;
  fold_cluster bigint;
  fold_base bigint;
  fold_counted bigint;
  fold_watermark xid8;
  folded numeric;
  tail numeric;
begin
  select network_code into network from currencies where id = asset;
  if exists (select from live_networks where network_code = network) then
    select id, kind, account into hot, hot_kind, hot_account from chain_wallets
      where network_code = network and role = 'hot' and state = 'open';
    -- Coins that no send has taken, and those of a send that can never spend them. Our own change is one of them as soon as
    -- it is in a block.
    if hot_kind = 'coins' then
      return (select coalesce(sum(coin.units), 0)
        from chain_coins coin join chain_cursors cursor using (network_code)
        where coin.network_code = network and coin.spent_by is null
          and (hot_account is null or coin.account = hot_account)
          and (coin.send_id is null or has_left_coins(coin.send_id))
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
