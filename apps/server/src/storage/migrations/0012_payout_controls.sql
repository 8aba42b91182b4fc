-- What keeps payouts safe: stops, limits, approvals by several people, and how far our own position
-- in an asset may go. Whoever changes any of it is told in control_log.

-- A stop lets nothing of it be signed. A pair's or a merchant's refuses new quotes and orders too.
create table stops (
  kind text not null check (kind in ('all', 'rail', 'pair', 'merchant')),
  -- chain:bitcoin, bank:sepa, card, or chain and bank for all of them; eur-btc; a merchant's id.
  subject text not null check ((kind = 'all') = (subject = '')),
  reason text not null check (reason <> ''),
  set_by text not null check (set_by <> ''),
  -- How many different people must agree before it ends: two for a stop that an audit has set.
  people_to_resume smallint not null default 1 check (people_to_resume in (1, 2)),
  since timestamptz not null default business_now(),
  primary key (kind, subject)
);

-- Who agreed that a stop may end.
create table stop_resumes (
  kind text not null,
  subject text not null,
  person text not null check (person <> ''),
  at timestamptz not null default business_now(),
  primary key (kind, subject, person),
  foreign key (kind, subject) references stops (kind, subject) on delete cascade
);

create function guard_stop() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if new.people_to_resume < old.people_to_resume then
      raise exception 'a stop cannot need fewer people than before'
        using errcode = 'check_violation', constraint = 'stops_people';
    end if;
    return new;
  end if;
  if (select count(*) from stop_resumes where kind = old.kind and subject = old.subject)
     < old.people_to_resume then
    raise exception 'a stop ends when % agreed', old.people_to_resume
      using errcode = 'check_violation', constraint = 'stops_people';
  end if;
  return old;
end $$;
create trigger stops_guarded before update or delete on stops
  for each row execute function guard_stop();
create trigger stops_changed after insert or update or delete on stops
  for each statement execute function bump_config_version();

-- In euro cents; null is no limit. A currency without a row of its own has the default's, each for
-- itself; `total` is over all currencies together.
create table payout_limits (
  kind text not null check (kind in ('default', 'currency', 'total')),
  -- The currency's reference.
  subject text not null check ((kind = 'currency') = (subject <> '')),
  payout_cents bigint check (payout_cents >= 0),
  hour_cents bigint check (hour_cents >= 0),
  day_cents bigint check (day_cents >= 0),
  -- A payout above it goes when two people approved it.
  approval_above_cents bigint check (approval_above_cents >= 0),
  set_by text not null check (set_by <> ''),
  set_at timestamptz not null default business_now(),
  primary key (kind, subject),
  check (kind <> 'total' or num_nonnulls(payout_cents, approval_above_cents) = 0)
);

create table payout_approvals (
  intent_id uuid not null references payout_intents (id),
  person text not null check (person <> ''),
  at timestamptz not null default business_now(),
  primary key (intent_id, person)
);
create trigger payout_approvals_insert_only before update or delete on payout_approvals
  for each row execute function refuse_change();

-- What a payout that is not released waits for, in words.
create table payout_waits (
  intent_id uuid primary key references payout_intents (id),
  outcome text not null check (outcome in ('wait', 'hold')),
  why text not null check (why <> ''),
  since timestamptz not null default business_now()
);

-- How far the liquidity accounts of an asset, all merchants' together, may go into debt.
create table liquidity_limits (
  asset_id integer primary key references currencies (id),
  debt_units numeric(38, 0) not null check (debt_units >= 0),
  set_by text not null check (set_by <> ''),
  set_at timestamptz not null default business_now()
);
create trigger liquidity_limits_changed after insert or update or delete on liquidity_limits
  for each statement execute function bump_config_version();

create table control_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default business_now(),
  person text not null check (person <> ''),
  action text not null check (action ~ '^[a-z_]+$'),
  subject text not null,
  details jsonb not null default '{}'
);
create trigger control_log_insert_only before update or delete on control_log
  for each row execute function refuse_change();
create trigger control_log_kept before truncate on control_log
  for each statement execute function refuse_change();

-- How a payout travels, as stops name it: a refund goes the way the money came.
create function rail_of_payout(payout payout_intents) returns text language sql stable as $$
  select case when payout.rail = 'chain' then 'chain:' || payout.network_code
    when method.type = 'card' then 'card' else 'bank:' || method.reference end
  from orders o
    join delivery_methods delivery on delivery.id = o.delivery_method_id
    join payment_methods method on method.id =
      case payout.purpose when 'payout' then delivery.rail_id else o.payment_method_id end
  where o.id = payout.order_id
$$;

-- The stops that concern a payout, the widest first.
create function stops_of_payout(payout payout_intents) returns setof stops language sql stable as $$
  select stop.* from stops stop
    join orders o on o.id = payout.order_id
    join currencies spend on spend.id = o.spend_asset_id
    join currencies receive on receive.id = o.receive_asset_id
  where case stop.kind
    when 'all' then true
    when 'merchant' then stop.subject = payout.merchant_id
    when 'pair' then stop.subject = spend.reference || '-' || receive.reference
    else stop.subject in (rail_of_payout(payout), split_part(rail_of_payout(payout), ':', 1)) end
  order by array_position(array['all', 'rail', 'pair', 'merchant'], stop.kind), stop.subject
$$;

-- Setting a stop takes this lock alone and waits for what is being released or signed, which share
-- it: so a stop that is committed was seen by everything that is released or signed after it.
create function await_signing() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(7265390128);
  return new;
end $$;
create trigger stops_await_signing before insert on stops
  for each row execute function await_signing();

create function refuse_stopped_payout(payout payout_intents) returns void language plpgsql as $$
declare
  stop stops;
begin
  perform pg_advisory_xact_lock_shared(7265390128);
  select * into stop from stops_of_payout(payout) limit 1;
  if found then
    raise exception 'payout % is stopped: %', payout.id, stop.reason
      using errcode = 'check_violation', constraint = 'payouts_stopped';
  end if;
end $$;

create function guard_payout_release() returns trigger language plpgsql as $$
begin
  if old.released_at is not null and new.released_at is distinct from old.released_at then
    raise exception 'a payout intent is released once' using errcode = 'check_violation';
  end if;
  perform refuse_stopped_payout(new);
  return new;
end $$;
create trigger payout_intents_release before update on payout_intents for each row
  -- A place in the wallet's sequence that is taken and not used would hold up whatever comes after it.
  when (new.released_at is distinct from old.released_at or new.nonce is distinct from old.nonce
    or (new.state = 'signed' and old.state = 'created'))
  execute function guard_payout_release();

create function guard_payout_replacement() returns trigger language plpgsql as $$
declare
  payout payout_intents;
begin
  select * into payout from payout_intents where id = new.intent_id;
  perform refuse_stopped_payout(payout);
  return new;
end $$;
create trigger payout_replacements_stopped before insert on payout_replacements
  for each row execute function guard_payout_replacement();

update payout_intents set released_at = created_at where released_at is null and state <> 'created';
alter table payout_intents add constraint payout_intents_released
  check (state in ('created', 'void') or released_at is not null);
-- What went out of a currency in the last hour and day.
create index payout_intents_released_of_asset on payout_intents (asset_id, released_at)
  include (euro_cents, state) where released_at is not null;

-- What an operator looks at: the latest orders, those that wait for a person, and payouts under way.
create index orders_recent on orders (created_at desc, id desc);
create index orders_in_review on orders (created_at desc, id desc) where status = 'in_review';
create index payout_intents_under_way on payout_intents (created_at desc, id desc)
  where state in ('created', 'signed', 'broadcast');
