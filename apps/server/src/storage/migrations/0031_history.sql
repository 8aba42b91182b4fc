-- Whether this database is as old as the world. A database that was restored from a backup does not know what the
-- rails did since. Until an operator has reconciled it, payouts are stopped and webhooks are held.
create table history (
  singleton boolean primary key default true check (singleton),
  -- The database cluster. A copy that is restored elsewhere has another one.
  cluster bigint not null,
  -- Grows each second while the service runs. Each process keeps it in a file outside the database.
  mark bigint not null default 0 check (mark >= 0),
  restored_at timestamptz,
  restored_why text check (restored_why <> ''),
  -- Until when the books were compared with the rails, as the restored database has it.
  compared_until timestamptz,
  check ((restored_at is null) = (restored_why is null)),
  check ((restored_at is null) = (compared_until is null))
) with (fillfactor = 10);
insert into history (cluster)
  values (coalesce((select cluster from audit_progress), ledger_cluster()));

-- Where the auditor's comparison with the rails ended, so that the next process continues there.
alter table audit_progress
  add column rails_watermark xid8,
  add column rails_compared_at timestamptz;

-- A payout that the rail made already, as its statement says: it is followed and never signed.
alter table payout_intents add column adopted_at timestamptz;

create or replace function guard_payout_release() returns trigger language plpgsql as $$
begin
  if old.released_at is not null and new.released_at is distinct from old.released_at then
    raise exception 'a payout intent is released once' using errcode = 'check_violation';
  end if;
  -- Nothing is signed for an adopted payout, so a stop does not prevent it.
  if new.adopted_at is not null and old.adopted_at is null and new.signed_bytes = '' then
    return new;
  end if;
  perform refuse_stopped_payout(new);
  return new;
end $$;

-- Movements of the rails that belong to orders which a restore lost. Each is booked against `suspense`.
create table restored_lines (
  kind text not null check (kind in ('capture', 'payout', 'deposit')),
  source text not null,
  reference text not null,
  rail_reference text not null,
  merchant_id text not null references merchants (id),
  asset_id integer not null references currencies (id),
  units numeric(38, 0) not null check (units > 0),
  booked_by text not null check (booked_by <> ''),
  booked_at timestamptz not null default business_now(),
  primary key (kind, source, reference, rail_reference)
);
create trigger restored_lines_insert_only before update or delete on restored_lines
  for each row execute function refuse_change();
