-- Accounts of programs that call the console's interface with a key. Times are real, as those of sessions are. See
-- docs/decisions/0105-let-programs-use-the-consoles-interface.md.
create table service_accounts (
  -- It is a part of the key, so that one row is compared.
  id text primary key check (id ~ '^[a-z2-7]{12}$'),
  name text not null check (name ~ '^[a-z0-9][a-z0-9-]{0,39}$'),
  -- Null for an account of the operator.
  merchant_id text references merchants (id),
  role text not null check (role <> ''),
  -- The SHA-256 of the key, which has 256 random bits.
  digest bytea not null check (length(digest) = 32),
  -- The person who lent the rights. Null for an account that was created at the command line.
  created_by_id uuid references people (id),
  created_by text not null check (created_by <> ''),
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  last_used_at timestamptz,
  last_address text check (last_address <> ''),
  check (expires_at > created_at),
  check ((merchant_id is not null) = (role ~ '^merchant_'))
);
-- The log names an account by its name, so one of each name works at a time.
create unique index service_accounts_name on service_accounts (coalesce(merchant_id, ''), name) where revoked_at is null;
create index service_accounts_of_merchant on service_accounts (merchant_id) where merchant_id is not null;

-- The log of changes names the service account that acted, in place of a person.
alter table control_log
  add column service_account_id text references service_accounts (id),
  drop constraint control_log_console,
  add constraint control_log_console check (num_nonnulls(person_id, service_account_id) = num_nonnulls(address));

drop function put_stop(text, text, text, text, smallint, text, text, text, text, uuid, text);
create function put_stop(stop_kind text, stop_subject text, why text, person text, people smallint,
  log_subject text, os_user text, sudo_user text, account text, person_id uuid default null,
  address text default null, service_account_id text default null) returns boolean language plpgsql as $$
declare
  earlier jsonb;
begin
  select jsonb_build_object('reason', reason, 'setBy', set_by, 'peopleToResume', people_to_resume)
    into earlier from stops where kind = stop_kind and subject = stop_subject;
  insert into stops as stop (kind, subject, reason, set_by, people_to_resume)
    values (stop_kind, stop_subject, why, person, people)
    on conflict (kind, subject) do update set reason = excluded.reason,
      set_by = excluded.set_by, people_to_resume = excluded.people_to_resume
    where excluded.people_to_resume > stop.people_to_resume
      or (excluded.people_to_resume = stop.people_to_resume and excluded.reason <> stop.reason);
  if not found then
    return false;
  end if;
  delete from stop_resumes where kind = stop_kind and subject = stop_subject;
  insert into control_log (person, action, subject, details, os_user, sudo_user, account, before, after,
      person_id, address, service_account_id)
    values (person, 'stop', log_subject, jsonb_build_object('reason', why), os_user, sudo_user, account, earlier,
      jsonb_build_object('reason', why, 'setBy', person, 'peopleToResume', people), person_id, address,
      service_account_id);
  return true;
end $$;

-- A backup holds keys that were revoked since. After a restore an administrator creates new service accounts.
create or replace function declare_restored(why text, last_mark bigint) returns void
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform from history for update;
  perform setval('order_numbers', last_value + 1000000) from order_numbers;
  update history set restored_at = coalesce(restored_at, clock_timestamp()),
    restored_why = coalesce(restored_why, why),
    compared_until = coalesce(compared_until, (select rails_compared_at from audit_progress),
      (select created_at from installation), 'epoch'), cluster = ledger_cluster(),
    -- The marks of several processes may differ by some.
    mark = greatest(mark, last_mark) + 1000;
  delete from person_sessions;
  delete from invitations;
  update service_accounts set revoked_at = clock_timestamp() where revoked_at is null;
  perform put_stop('all', '', 'the database is older than the world: ' || why, 'auditor', 2::smallint,
    'all payouts', null, null, null);
end $$;
