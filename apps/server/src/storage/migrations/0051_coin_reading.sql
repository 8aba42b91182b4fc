-- The audit of wallets of coins (docs/decisions/0073-account-for-coins-by-transaction.md). Their books before it are the opening, without the
-- deposits that the books have.
insert into chain_books as books (network_code, asset_id, opening_units, chain_units)
select wallet.network_code, asset.id,
  coalesce((select sum(posting.units) from ledger_postings posting
      join ledger_accounts account on account.id = posting.account_id
    where account.purpose = 'chain_wallet' and account.asset_id = asset.id), 0)
  - coalesce((select sum(d.units) from deposits d
    where d.rail = 'chain' and d.source = wallet.network_code and d.asset_id = asset.id and d.state = 'final'
      and exists (select from chain_movements m
        where m.network_code = d.source and m.id = d.external_id and m.state = 'final')), 0),
  coalesce((select sum(m.units) from chain_movements m
    where m.network_code = wallet.network_code and m.asset_id = asset.id and m.state = 'final'), 0)
from chain_wallets wallet
  join chain_cursors using (network_code)
  join currencies asset on asset.network_code = wallet.network_code and asset.contract_address is null
where wallet.kind = 'coins' and wallet.role = 'hot' and wallet.state = 'open'
on conflict (network_code, asset_id) do update set opening_units = excluded.opening_units;

-- Payouts that have not ended and are in blocks that were read: nothing reads those blocks again.
insert into chain_wallet_movements
  (network_code, id, address, asset_id, units, height, block_hash, transaction_hash, source, state)
select moved.network_code, moved.network_code || ':' || moved.hash || ':net:' || moved.units, moved.address, asset.id,
  moved.units, moved.height, coalesce(block.hash, ''), moved.hash, 'value', 'seen'
from (
    select wallet.network_code, wallet.address, t.hash, max(coin.spent_height) filter (where coin.spent_by = t.hash) as height,
      sum(case when coin.spent_by = t.hash then -coin.units else coin.units end) as units
    from chain_wallets wallet
      join chain_sends send on send.wallet_id = wallet.id and send.state in ('bound', 'signed', 'sent')
      join chain_transactions t on t.send_id = send.id
      join chain_coins coin on coin.network_code = wallet.network_code
        and (coin.spent_by = t.hash or coin.height is not null and split_part(coin.outpoint, ':', 1) = t.hash)
    where wallet.kind = 'coins' and wallet.role = 'hot'
    group by wallet.network_code, wallet.address, t.hash) moved
  join currencies asset on asset.network_code = moved.network_code and asset.contract_address is null
  left join chain_blocks block on block.network_code = moved.network_code and block.height = moved.height
where moved.height is not null and moved.units <> 0;

-- Payments to our addresses that nodes have and no block has. Nothing is credited for them.
create table chain_pending (
  network_code text not null references chain_cursors,
  -- The id of the movement that a block makes of it.
  id text not null,
  address text not null,
  asset_id integer not null references currencies,
  units numeric(38, 0) not null check (units > 0),
  transaction_hash text not null,
  seen_at timestamptz not null default clock_timestamp(),
  -- No node has it any more: a block has it, or another transaction took its place.
  is_gone boolean not null default false,
  primary key (network_code, id)
);
create index chain_pending_by_address on chain_pending (network_code, address);
