-- The coins of the hot wallets of the Bitcoin family: what the place of a payout is made of there
-- (docs/decisions/0061-read-coins-from-blocks.md).
create table chain_coins (
  network_code text not null references chain_cursors,
  -- The transaction and the number of its output.
  outpoint text not null check (outpoint ~ '^[0-9a-f]{64}:[0-9]+$'),
  -- The fingerprint of the wallet's account, and the path from it.
  account text not null,
  branch smallint not null check (branch in (0, 1)),
  key_index integer not null check (key_index >= 0),
  units numeric(38, 0) not null check (units > 0),
  -- Null while no block has its transaction.
  height bigint,
  -- The first block that may spend it: coins of a miner and from an extension block are young for a while.
  matures_at bigint not null,
  -- The send that may spend it. Others may not, until that send is proved dead or was given up unreleased.
  send_id uuid references chain_sends,
  -- The transaction in a block that spends it.
  spent_by text,
  spent_height bigint,
  primary key (network_code, outpoint),
  check ((spent_by is null) = (spent_height is null))
);
create index chain_coins_unspent on chain_coins (network_code, account, units desc) where spent_by is null;
create index chain_coins_send on chain_coins (send_id) where send_id is not null;
create index chain_coins_spent_by on chain_coins (spent_by) where spent_by is not null;

-- Whether nothing can spend the coins of a send any more: it is dead, or it was given up before anything was released.
create function has_left_coins(send uuid) returns boolean stable language sql as $$
  select exists (select from chain_sends s where s.id = send and (s.state = 'dead'
    or s.state in ('bound', 'vacated')
      and not exists (select from payout_releases r where r.send_id = s.id and r.voided_at is null)
      and not exists (
        select from chain_send_outputs o join payout_intents intent on intent.id = o.intent_id
        where o.send_id = s.id and not o.is_vacated and intent.state <> 'void')
      and exists (select from chain_send_outputs o where o.send_id = s.id)))
$$;

-- A coin that leaves a send which can still be mined would pay twice, or make the send impossible.
create function guard_chain_coin() returns trigger language plpgsql as $$
begin
  if (new.network_code, new.outpoint, new.account, new.branch, new.key_index, new.units)
     is distinct from (old.network_code, old.outpoint, old.account, old.branch, old.key_index, old.units) then
    raise exception 'what the coin % says cannot be changed', old.outpoint using errcode = 'check_violation';
  end if;
  if old.send_id is not null and new.send_id is distinct from old.send_id
     and not has_left_coins(old.send_id) then
    raise exception 'the coin % belongs to a send that is not dead', old.outpoint
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger chain_coins_guarded before update on chain_coins
  for each row execute function guard_chain_coin();
create trigger chain_coins_kept before delete on chain_coins
  for each row execute function refuse_change();
