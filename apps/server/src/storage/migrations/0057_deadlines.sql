-- Payouts on networks where a transaction has a deadline and excludes no other
-- (docs/decisions/0075-pay-on-tron-by-deadlines.md).

-- A send there has one transaction. Another one needs another send, after this one is proved dead.
create function guard_deadline() returns trigger language plpgsql as $$
begin
  if exists (select from chain_sends send join chain_wallets wallet on wallet.id = send.wallet_id
    where send.id = new.send_id and wallet.kind = 'expiring') then
    raise exception 'a send with a deadline has one transaction' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger chain_transactions_deadline before insert on chain_transactions
  for each row when (new.number > 1) execute function guard_deadline();

-- Whether a send is dead because its deadline passed. `dead_by` names the final block that was beyond it.
create function is_expired_send(send uuid) returns boolean stable language sql as $$
  select exists (select from chain_sends s join chain_wallets wallet on wallet.id = s.wallet_id
    where s.id = send and s.state = 'dead' and wallet.kind = 'expiring' and s.dead_by like 'deadline:%'
      and not exists (select from chain_fee_terms terms where terms.send_id = s.id
        and (terms.terms ->> 'expiration')::bigint > extract(epoch from clock_timestamp()) * 1000))
$$;

-- Whether a send is dead because a final transaction of ours made it impossible, or its deadline passed.
create or replace function is_lost_send(send uuid) returns boolean stable language sql as $$
  select is_expired_send(send) or exists (
    select from chain_sends s join chain_transactions t on t.hash = s.dead_by
    where s.id = send and s.state = 'dead')
$$;
