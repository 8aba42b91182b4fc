-- Many small coins of a hot wallet become one: a rebalance without outputs, all of which is change
-- (docs/decisions/0101-consolidate-coins-at-a-low-fee.md).

-- A wallet consolidates one transaction at a time, so most of its coins stay free.
create unique index chain_sends_one_rebalance on chain_sends (wallet_id)
  where purpose = 'rebalance' and state in ('bound', 'signed', 'sent');

-- Whether nothing can spend the coins of a send any more: it is dead, or it was given up before anything was released.
-- The coins of a lost send are free for others when its payouts are signed with other coins. The signer refuses them
-- earlier. A raise or a rebalance is vacated only after the signer refused it.
create or replace function has_left_coins(send uuid) returns boolean stable language sql as $$
  select exists (select from chain_sends s where s.id = send and (
    s.state = 'dead' and not (is_lost_send(s.id) and exists (
      select from chain_send_outputs o join payout_intents intent on intent.id = o.intent_id
      where o.send_id = s.id and intent.state = 'created'))
    or s.purpose in ('raise', 'rebalance') and s.state = 'vacated'
    or s.state in ('bound', 'vacated')
      and not exists (select from payout_releases r where r.send_id = s.id and r.voided_at is null)
      and not exists (
        select from chain_send_outputs o join payout_intents intent on intent.id = o.intent_id
        where o.send_id = s.id and not o.is_vacated and intent.state <> 'void')
      and exists (select from chain_send_outputs o where o.send_id = s.id)))
$$;
