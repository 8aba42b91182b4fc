-- A payout may go to the deposit address of another order, whose customer named it. Its coins are a deposit, as those of
-- anybody else are. Only coins that we bring there for the fee of a sweep are not.
create or replace function note_unswept_deposit() returns trigger language plpgsql as $$
begin
  insert into unswept_deposits (network_code, address, asset_id, since)
  select new.network_code, new.address, new.asset_id, new.recorded_at
  where new.address not like '%?%'
    and not exists (select from chain_transactions t join chain_sends send on send.id = t.send_id
      where t.hash = new.transaction_hash and send.purpose <> 'payout')
  on conflict do nothing;
  return null;
end $$;

-- The coins of earlier payouts are collected too.
insert into unswept_deposits (network_code, address, asset_id, since)
  select m.network_code, m.address, m.asset_id, min(m.recorded_at)
  from chain_transactions t join chain_sends send on send.id = t.send_id and send.purpose = 'payout'
    join chain_movements m on m.transaction_hash = t.hash
  where m.state = 'final' and m.address not like '%?%'
  group by m.network_code, m.address, m.asset_id
  on conflict do nothing;
