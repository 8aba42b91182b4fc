-- Sweeps and top-ups on networks where a transaction has a deadline (docs/decisions/0119-sweep-tron-by-deadlines.md).

-- Returns the coins of an asset that were promised and have not left the stock. The claim of the order is left out.
create or replace function stock_promised(asset integer, own_order bigint) returns numeric language plpgsql stable
  security definer set search_path = pg_catalog, public, pg_temp as $$
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
  -- Payouts that are done and not in the balance yet, and what else leaves the wallet. A send with a deadline ends once the
  -- balance is without it.
  select coalesce(sum(output.units), 0) into settling
    from chain_sends send
      join chain_send_outputs output on output.send_id = send.id and not output.is_vacated
      left join payout_intents intent on intent.id = output.intent_id
    where send.wallet_id = hot and coalesce(intent.asset_id, output.asset_id) = asset
      and case hot_kind
        when 'account' then send.place >= coalesce(used, 0)
          and case when intent.id is null then send.state in ('bound', 'signed', 'sent', 'final')
            else intent.state = 'confirmed' end
        when 'expiring' then intent.id is null and send.state in ('bound', 'signed', 'sent')
        else false end;
  select coalesce(sum(coalesce(o.receive_units, claim.units)), 0) into claimed
    from stock_claims claim left join orders o on o.id = claim.order_id
    where claim.asset_id = asset and claim.order_id is distinct from own_order
      and coalesce(o.status, 'awaiting_payment')
        in ('awaiting_payment', 'payment_pending', 'in_review', 'processing', 'sending')
      and not exists (select from payout_intents intent
        where intent.order_id = claim.order_id and intent.purpose = 'payout' and intent.state <> 'void');
  return owed + settling + claimed;
end $$;
