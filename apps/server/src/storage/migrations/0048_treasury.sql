-- The coins that we have, beside the coins that we promised (docs/decisions/0063-promise-no-more-than-the-stock.md).

-- The networks that are followed on a real chain. Their stock is the chain's own balance.
create table live_networks (
  network_code text primary key
);

-- What the chain says that an account of ours has, as of a final block.
create table wallet_balances (
  wallet_id text not null references chain_wallets (id),
  asset_id integer not null references currencies (id),
  units numeric(38, 0) not null check (units >= 0),
  height bigint not null check (height >= 0),
  -- Sends at lower places are in the balance.
  used_places bigint not null check (used_places >= 0),
  read_at timestamptz not null default clock_timestamp(),
  primary key (wallet_id, asset_id)
);

-- The float that the operator wants to have of an asset. In the sandbox an asset with a row has the stock that our
-- books say, and every other one has an unlimited stock.
create table treasury_limits (
  asset_id integer primary key references currencies (id),
  -- Below it nobody is quoted the asset.
  floor_units numeric(38, 0) check (floor_units >= 0),
  -- Below it the operator is warned.
  low_units numeric(38, 0) check (low_units >= coalesce(floor_units, 0)),
  -- The amount to refill to, and to come down to.
  target_units numeric(38, 0) check (target_units >= coalesce(low_units, floor_units, 0)),
  -- Above it coins belong into cold storage.
  ceiling_units numeric(38, 0)
    check (ceiling_units >= coalesce(target_units, low_units, floor_units, 0)),
  set_by text not null check (set_by <> ''),
  set_at timestamptz not null default business_now()
);

create trigger live_networks_changed after insert or delete on live_networks
  for each statement execute function bump_config_version();
create trigger treasury_limits_changed after insert or update or delete on treasury_limits
  for each statement execute function bump_config_version();

-- The coins that placed orders wait for. The claim of an order that was sent or has ended counts nothing, and the
-- next order of the asset deletes it.
create table stock_claims (
  order_id bigint primary key,
  asset_id integer not null references currencies (id),
  units numeric(38, 0) not null check (units > 0)
);
create index stock_claims_of_asset on stock_claims (asset_id);

-- Sweeps, top-ups and rebalances have no payout intent that names their asset.
alter table chain_send_outputs add column asset_id integer references currencies (id);

-- Returns the coins of an asset that payouts can be made of, and null where the stock is unlimited.
create function stock_on_hand(asset integer) returns numeric language plpgsql stable as $$
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
    return coalesce((select units from wallet_balances where wallet_id = hot and asset_id = asset), 0);
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

-- Returns the coins of an asset that were promised and have not left the stock. The claim of the order is left out.
create function stock_promised(asset integer, own_order bigint) returns numeric language plpgsql stable as $$
declare
  hot text;
  hot_kind text;
  used bigint;
  owed numeric;
  settling numeric;
  claimed numeric;
begin
  select wallet.id, wallet.kind, balance.used_places into hot, hot_kind, used
    from currencies
      join live_networks using (network_code)
      join chain_wallets wallet on wallet.network_code = currencies.network_code
        and wallet.role = 'hot' and wallet.state = 'open'
      left join wallet_balances balance on balance.wallet_id = wallet.id and balance.asset_id = asset
    where currencies.id = asset;
  -- Payouts and refunds under way. Those at a used place are in the balance, or moved nothing. Those with coins of
  -- their own left the stock when they took the coins.
  if hot_kind = 'coins' then
    select coalesce(sum(intent.units), 0) into owed
      from payout_intents intent
      where intent.asset_id = asset and intent.rail = 'chain'
        and intent.state in ('created', 'signed', 'broadcast')
        and not exists (select from chain_send_outputs output
          join chain_coins coin on coin.send_id = output.send_id
          where output.intent_id = intent.id and not output.is_vacated);
  else
    select coalesce(sum(intent.units), 0) into owed
      from payout_intents intent
        left join chain_send_outputs output on output.intent_id = intent.id and not output.is_vacated
        left join chain_sends send on send.id = output.send_id and send.wallet_id = hot
      where intent.asset_id = asset and intent.rail = 'chain'
        and intent.state in ('created', 'signed', 'broadcast') and not coalesce(send.place < used, false);
  end if;
  -- Payouts that are done and not in the balance yet, and what else leaves the wallet.
  select coalesce(sum(output.units), 0) into settling
    from chain_sends send
      join chain_send_outputs output on output.send_id = send.id and not output.is_vacated
      left join payout_intents intent on intent.id = output.intent_id
    where send.wallet_id = hot and hot_kind = 'account' and send.place >= coalesce(used, 0)
      and coalesce(intent.asset_id, output.asset_id) = asset
      and case when intent.id is null then send.state in ('bound', 'signed', 'sent', 'final')
        else intent.state = 'confirmed' end;
  select coalesce(sum(coalesce(o.receive_units, claim.units)), 0) into claimed
    from stock_claims claim left join orders o on o.id = claim.order_id
    where claim.asset_id = asset and claim.order_id is distinct from own_order
      and coalesce(o.status, 'awaiting_payment')
        in ('awaiting_payment', 'payment_pending', 'in_review', 'processing', 'sending')
      and not exists (select from payout_intents intent
        where intent.order_id = claim.order_id and intent.purpose = 'payout' and intent.state <> 'void');
  return owed + settling + claimed;
end $$;

-- Promises of an asset are made one after the other. The locks are taken in the order of the assets.
create function lock_stock(assets integer[]) returns void language sql as $$
  select pg_advisory_xact_lock(48, sorted.asset)
  from (select distinct asset from unnest(assets) asset order by asset) sorted
$$;

-- Claims the coins of new orders, and raises EX003 when an asset would fall below its floor. The lock comes first, so
-- that the later statements see every earlier claim.
create function guard_stock(placed jsonb) returns boolean language plpgsql strict as $$
declare
  assets integer[];
begin
  select array_agg(distinct (p ->> 'receive_asset_id')::int) into assets
    from jsonb_array_elements(placed) p;
  perform lock_stock(assets);
  delete from stock_claims claim where asset_id = any(assets) and not exists (
    select from orders where orders.id = claim.order_id
      and orders.status in ('awaiting_payment', 'payment_pending', 'in_review', 'processing', 'sending'));
  insert into stock_claims (order_id, asset_id, units)
  select p.id, p.receive_asset_id, p.receive_units
  from jsonb_to_recordset(placed) as p(id bigint, receive_asset_id int, receive_units numeric);
  if exists (
    select from unnest(assets) asset
    where stock_on_hand(asset) - stock_promised(asset, null)
      < coalesce((select floor_units from treasury_limits where asset_id = asset), 0)
  ) then
    raise exception 'the stock does not cover the order' using errcode = 'EX003';
  end if;
  return true;
end $$;

-- Deposit addresses with coins that nothing has collected yet, since the first of them was final. Coins that we sent
-- there ourselves pay a sweep's fee.
create table unswept_deposits (
  network_code text not null,
  address text not null,
  asset_id integer not null references currencies (id),
  since timestamptz not null,
  primary key (network_code, address, asset_id)
);
insert into unswept_deposits (network_code, address, asset_id, since)
  select network_code, address, asset_id, min(recorded_at) from chain_movements
  where state = 'final' group by network_code, address, asset_id;

create function note_unswept_deposit() returns trigger language plpgsql as $$
begin
  insert into unswept_deposits (network_code, address, asset_id, since)
  select new.network_code, new.address, new.asset_id, new.recorded_at
  where not exists (select from chain_transactions where hash = new.transaction_hash)
  on conflict do nothing;
  return null;
end $$;
create trigger chain_movements_unswept after insert or update on chain_movements
  for each row when (new.state = 'final') execute function note_unswept_deposit();

create index chain_sends_house on chain_sends (created_at)
  where purpose in ('sweep', 'top_up') and state in ('bound', 'signed', 'sent');
-- An address is swept of one asset at a time.
create unique index chain_sends_one_sweep on chain_sends (wallet_id)
  where purpose = 'sweep' and state in ('bound', 'signed', 'sent');

-- Returns the coins of an asset that a deposit address has by the final movements: what reached it, and what left it.
create function unswept_units(network text, at_address text, asset integer) returns numeric
language sql stable as $$
  select coalesce(sum(units), 0) from (
    select units from chain_movements
    where network_code = network and address = at_address and asset_id = asset and state = 'final'
    union all
    select units from chain_wallet_movements
    where network_code = network and address = at_address and asset_id = asset and state = 'final') moved
$$;
