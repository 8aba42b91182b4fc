-- A payout on a chain is bound to a place of a wallet before it is signed. At most one transaction of a place is
-- mined. A send is everything that was ever signed at one place (docs/decisions/0056-bind-a-payout-to-a-place.md).

-- The owner of the accounts that belong to no merchant: network fees, capital, and their side of our wallets.
insert into merchants (id, name, disabled_at) values ('house', 'The house', business_now());

-- A wallet is one key on one network. A new key is a new wallet.
create table chain_wallets (
  id text primary key check (id <> ''),
  network_code text not null,
  kind text not null default 'account' check (kind in ('account', 'coins', 'expiring')),
  role text not null default 'hot' check (role in ('hot', 'deposits', 'cold')),
  -- The address or the extended public key. The wallets of the sandbox have none.
  address text,
  state text not null default 'open' check (state in ('open', 'draining', 'closed')),
  -- The next nonce of an account.
  next_place bigint default 0 check (next_place >= 0),
  created_at timestamptz not null default business_now(),
  unique (network_code, address),
  check ((kind = 'account') = (next_place is not null))
);
-- Payouts of a network are bound to its one open hot wallet.
create unique index chain_wallets_hot on chain_wallets (network_code)
  where role = 'hot' and state = 'open';

create table chain_sends (
  id uuid primary key,
  wallet_id text not null references chain_wallets (id),
  -- `cancel` moves nothing. It fills a place that a stopped payout left, because later places wait for it.
  purpose text not null check (purpose in ('payout', 'sweep', 'top_up', 'cancel', 'rebalance')),
  -- Null for a payout that the chain made before a restore.
  place bigint check (place >= 0),
  -- `vacated`: it was never signed, and another send has its place.
  state text not null default 'bound'
    check (state in ('bound', 'signed', 'sent', 'final', 'failed', 'dead', 'vacated')),
  is_vacated boolean not null generated always as (state = 'vacated') stored,
  settled_hash text,
  -- The transaction, not ours, that has the place.
  dead_by text,
  -- Whether the books have its network fee. Those of earlier versions have not.
  is_fee_booked boolean not null default true,
  created_at timestamptz not null default business_now(),
  updated_at timestamptz not null default business_now(),
  check ((state in ('final', 'failed')) = (settled_hash is not null)),
  check ((state = 'dead') = (dead_by is not null))
);
create unique index chain_sends_place on chain_sends (wallet_id, place)
  where place is not null and not is_vacated;
create index chain_sends_cancel on chain_sends (created_at) where purpose = 'cancel';

create table chain_send_outputs (
  send_id uuid not null references chain_sends (id),
  number integer not null check (number > 0),
  intent_id uuid references payout_intents (id),
  units numeric(38, 0) not null check (units > 0),
  address text not null,
  is_vacated boolean not null default false,
  primary key (send_id, number)
);
-- A payout has one send. It gets another only when the first was vacated.
create unique index chain_send_outputs_intent on chain_send_outputs (intent_id) where not is_vacated;

-- Every transaction that was ever signed for a send. They exclude each other.
create table chain_transactions (
  send_id uuid not null references chain_sends (id),
  number integer not null check (number > 0),
  hash text not null unique,
  bytes bytea not null,
  created_at timestamptz not null default business_now(),
  primary key (send_id, number)
);

insert into chain_wallets (id, network_code, next_place)
  select network_code || ':hot', network_code, coalesce(max(next), 0)
  from (select network_code, next from wallet_nonces
    union all select network_code, nonce + 1 from payout_intents where rail = 'chain') earlier
  where network_code is not null group by network_code;
insert into chain_sends (id, wallet_id, purpose, place, state, settled_hash, dead_by, is_fee_booked,
    created_at, updated_at)
  select id, network_code || ':hot', 'payout', nonce,
    case state when 'created' then 'bound' when 'broadcast' then 'sent' when 'confirmed' then 'final'
      when 'void' then case when transaction_hash is null then 'vacated' else 'dead' end
      else state end,
    case state when 'confirmed' then coalesce(settled_hash, transaction_hash) end,
    case when state = 'void' and transaction_hash is not null then 'unknown' end,
    state not in ('confirmed', 'void'), created_at, updated_at
  from payout_intents
  where rail = 'chain' and (nonce is not null or transaction_hash is not null);
insert into chain_send_outputs (send_id, number, intent_id, units, address, is_vacated)
  select send.id, 1, intent.id, intent.units, intent.address, send.is_vacated
  from chain_sends send join payout_intents intent on intent.id = send.id;
insert into chain_transactions (send_id, number, hash, bytes, created_at)
  select id, 1, transaction_hash, coalesce(signed_bytes, ''), updated_at
  from payout_intents where rail = 'chain' and transaction_hash is not null
  union all
  select intent_id, number + 1, transaction_hash, signed_bytes, created_at from payout_replacements;

drop trigger payout_intents_release on payout_intents;
alter table payout_intents
  drop column nonce,
  drop constraint payout_intents_signed,
  drop constraint payout_intents_check1,
  drop constraint payout_intents_transaction_hash_key;
alter table payout_intents disable trigger user;
update payout_intents set signed_bytes = null where rail = 'chain' and signed_bytes is not null;
alter table payout_intents enable trigger user;
alter table payout_intents
  -- The bytes of a payout on a chain are in chain_transactions. Several payouts may share one transaction.
  add constraint payout_intents_signed check (
    case when rail = 'chain' then signed_bytes is null
      else (signed_bytes is null) = (transaction_hash is null) end
    and (state in ('created', 'void') or transaction_hash is not null)
    and (state <> 'created' or transaction_hash is null));
create unique index payout_intents_rail_reference on payout_intents (transaction_hash)
  where rail <> 'chain' and transaction_hash is not null;
drop table payout_replacements;
drop function guard_payout_replacement();
drop table wallet_nonces;

create function guard_chain_wallet() returns trigger language plpgsql as $$
begin
  if (new.id, new.network_code, new.kind, new.role) is distinct from
     (old.id, old.network_code, old.kind, old.role)
     or (old.address is not null and new.address is distinct from old.address) then
    raise exception 'a wallet keeps its network, kind, role and address' using errcode = 'check_violation';
  end if;
  if new.next_place < old.next_place then
    raise exception 'the next place of a wallet never goes back' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger chain_wallets_guarded before update on chain_wallets
  for each row execute function guard_chain_wallet();

create function guard_chain_send() returns trigger language plpgsql as $$
declare
  states constant text[] := array['bound', 'signed', 'sent', 'final', 'failed', 'dead'];
begin
  if (new.id, new.wallet_id, new.purpose) is distinct from (old.id, old.wallet_id, old.purpose)
     or new.place is distinct from old.place then
    raise exception 'a send keeps its wallet, purpose and place' using errcode = 'check_violation';
  end if;
  if new.state = old.state then
    return new;
  end if;
  if old.state in ('final', 'failed', 'dead', 'vacated') then
    raise exception 'a % send stays so', old.state using errcode = 'check_violation';
  end if;
  if new.state = 'vacated' then
    if old.state <> 'bound' then
      raise exception 'a % send keeps its place', old.state using errcode = 'check_violation';
    end if;
    update chain_send_outputs set is_vacated = true where send_id = old.id;
  elsif array_position(states, new.state) < array_position(states, old.state) then
    raise exception 'a send cannot go back from % to %', old.state, new.state
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger chain_sends_guarded before update on chain_sends
  for each row execute function guard_chain_send();
create trigger chain_sends_kept before delete on chain_sends
  for each row execute function refuse_change();

-- A place that is taken and not used holds up all later ones, so a stopped payout is not bound.
create function guard_chain_output() returns trigger language plpgsql as $$
declare
  payout payout_intents;
begin
  if tg_op = 'UPDATE' then
    if (new.send_id, new.number, new.intent_id, new.units, new.address) is distinct from
       (old.send_id, old.number, old.intent_id, old.units, old.address)
       or (old.is_vacated and not new.is_vacated) then
      raise exception 'an output of a send cannot be changed' using errcode = 'check_violation';
    end if;
    return new;
  end if;
  if new.intent_id is null then
    return new;
  end if;
  select * into payout from payout_intents where id = new.intent_id;
  if (new.units, new.address) is distinct from (payout.units, payout.address) then
    raise exception 'an output says what its payout intent says' using errcode = 'check_violation';
  end if;
  if payout.adopted_at is null then
    perform refuse_stopped_payout(payout);
  end if;
  return new;
end $$;
create trigger chain_send_outputs_guarded before insert or update on chain_send_outputs
  for each row execute function guard_chain_output();
create trigger chain_send_outputs_kept before delete on chain_send_outputs
  for each row execute function refuse_change();

-- Nothing is signed at a place that was given up or has ended, nor for a stopped payout. A cancel moves nothing,
-- so no stop prevents it.
create function guard_chain_transaction() returns trigger language plpgsql as $$
declare
  send chain_sends;
  payout payout_intents;
begin
  select * into send from chain_sends where id = new.send_id;
  if send.state not in ('bound', 'signed', 'sent') then
    raise exception 'a % send is not signed', send.state using errcode = 'check_violation';
  end if;
  for payout in select intent.* from chain_send_outputs o join payout_intents intent on intent.id = o.intent_id
    where o.send_id = new.send_id and intent.adopted_at is null
  loop
    if payout.released_at is null then
      raise exception 'payout % was not released', payout.id
        using errcode = 'check_violation', constraint = 'payout_intents_released';
    end if;
    perform refuse_stopped_payout(payout);
  end loop;
  return new;
end $$;
create trigger chain_transactions_guarded before insert on chain_transactions
  for each row execute function guard_chain_transaction();
create trigger chain_transactions_kept before update or delete on chain_transactions
  for each row execute function refuse_change();

create or replace function guard_payout_release() returns trigger language plpgsql as $$
begin
  if old.released_at is not null and new.released_at is distinct from old.released_at then
    raise exception 'a payout intent is released once' using errcode = 'check_violation';
  end if;
  -- Nothing is signed for an adopted payout, so a stop does not prevent it.
  if new.adopted_at is not null and old.adopted_at is null
     and coalesce(new.signed_bytes, '') = '' then
    return new;
  end if;
  perform refuse_stopped_payout(new);
  return new;
end $$;
create trigger payout_intents_release before update on payout_intents for each row
  when (new.released_at is distinct from old.released_at
    or (new.state = 'signed' and old.state = 'created'))
  execute function guard_payout_release();

create function end_chain_send() returns trigger language plpgsql as $$
begin
  update chain_sends send set state = 'final', updated_at = business_now(),
      settled_hash = coalesce(new.settled_hash, new.transaction_hash)
    from chain_send_outputs o
    where o.intent_id = new.id and not o.is_vacated and send.id = o.send_id and send.state <> 'final';
  return null;
end $$;
create trigger payout_intents_end_send after update on payout_intents for each row
  when (new.rail = 'chain' and new.state = 'confirmed' and old.state <> 'confirmed')
  execute function end_chain_send();

create or replace function guard_payout_intent() returns trigger language plpgsql as $$
declare
  states constant text[] := array['created', 'signed', 'broadcast', 'confirmed'];
begin
  if (new.id, new.order_id, new.merchant_id, new.asset_id, new.units, new.purpose, new.rail)
     is distinct from
     (old.id, old.order_id, old.merchant_id, old.asset_id, old.units, old.purpose, old.rail)
     or (new.network_code, new.address, new.memo, new.attempt_id, new.deposit_id)
     is distinct from
     (old.network_code, old.address, old.memo, old.attempt_id, old.deposit_id) then
    raise exception 'what a payout intent says cannot be changed' using errcode = 'check_violation';
  end if;
  if old.state in ('confirmed', 'void') and new.state <> old.state then
    raise exception 'a % payout intent stays so', old.state using errcode = 'check_violation';
  end if;
  -- Void after signing only where the rail proves that nothing was paid and nothing will be.
  if new.state = 'void' and old.state in ('signed', 'broadcast') then
    if (new.rail = 'chain') <> (new.void_reason in ('failed', 'dead'))
       or new.void_reason = 'withdrawn' then
      raise exception 'a signed payout intent is void only when its rail rejected it'
        using errcode = 'check_violation';
    end if;
    if new.rail = 'chain' and not exists (
      select from chain_send_outputs o join chain_sends send on send.id = o.send_id
      where o.intent_id = new.id and send.state = new.void_reason
    ) then
      raise exception 'payout % is void only when its send is %', new.id, new.void_reason
        using errcode = 'check_violation';
    end if;
  end if;
  if new.state <> 'void'
     and array_position(states, new.state) < array_position(states, old.state) then
    raise exception 'a payout intent cannot go back from % to %', old.state, new.state
      using errcode = 'check_violation';
  end if;
  if old.transaction_hash is not null and (new.signed_bytes, new.transaction_hash)
     is distinct from (old.signed_bytes, old.transaction_hash) then
    raise exception 'a payout intent is signed once' using errcode = 'check_violation';
  end if;
  return new;
end $$;
