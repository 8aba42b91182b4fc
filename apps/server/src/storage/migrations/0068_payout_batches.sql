-- Payouts of a network of coins that wait together go out in one transaction
-- (docs/decisions/0098-pay-several-payouts-in-one-transaction.md).

alter table chain_sends
  -- Until then other payouts may join the send. Null where none may.
  add column joins_until timestamptz;
create index chain_sends_joinable on chain_sends (wallet_id, joins_until)
  where joins_until is not null and state = 'bound';

-- A movement of the chain names an address and an amount, so no two payouts of a transaction have both in common.
create unique index chain_send_outputs_payment on chain_send_outputs (send_id, lower(address), units)
  where intent_id is not null and not is_vacated;

-- Whether the payout is the first of its send. Its job signs and sends for all of them, and books the network fee.
create function is_first_of_send(send uuid, output integer) returns boolean stable language sql as $$
  select not exists (select from chain_send_outputs o
    where o.send_id = send and o.number < output and not o.is_vacated)
$$;

-- A send ends with its first payout, whose step books the fee.
create or replace function end_chain_send() returns trigger language plpgsql as $$
begin
  update chain_sends send set state = 'final', updated_at = business_now(),
      settled_hash = coalesce(new.settled_hash, new.transaction_hash)
    from chain_send_outputs o
    where o.intent_id = new.id and not o.is_vacated and send.id = o.send_id and send.state <> 'final'
      and is_first_of_send(o.send_id, o.number);
  return null;
end $$;

-- A payout leaves its send only when that is lost, or before the signer was asked for it.
create or replace function guard_vacated_output() returns trigger language plpgsql as $$
begin
  if is_lost_send(new.send_id) then
    return new;
  end if;
  if not exists (select from chain_sends where id = new.send_id and state = 'bound') then
    raise exception 'a payout leaves a send that is lost or was never signed'
      using errcode = 'check_violation';
  end if;
  if exists (select from payout_releases release
      where release.send_id = new.send_id and release.intent_id = new.intent_id and release.voided_at is null) then
    raise exception 'the signer may have signed payout %', new.intent_id using errcode = 'check_violation';
  end if;
  return new;
end $$;
