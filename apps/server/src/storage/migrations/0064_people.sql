-- People with accounts of the console: how they sign in, their sessions, and what they may do. Times are real: a
-- session must not end because a rehearsal moved its clock. See docs/decisions/0092-give-the-console-a-port-of-its-own.md
-- and 0093-sign-people-in-with-passkeys.md.

create table people (
  id uuid primary key,
  email text not null unique check (email = lower(email) and email ~ '^[a-z0-9][a-z0-9._+-]*@[a-z0-9.-]+$'
    and length(email) <= 64),
  name text not null check (name <> '' and length(name) <= 100),
  -- Null for a person of the operator.
  merchant_id text references merchants (id),
  roles text[] not null check (cardinality(roles) between 1 and 8),
  state text not null default 'invited' check (state in ('invited', 'active', 'disabled')),
  -- argon2id with its parameters, as PHC text. A person may have a passkey, a password with an authenticator, or both.
  password_hash text,
  totp_sealed bytea,
  -- The last step of the authenticator that was accepted. A code works once.
  totp_used_step bigint not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  check ((password_hash is null) = (totp_sealed is null)),
  -- A role belongs to the operator's people or to a merchant's, and its name says which.
  check ((merchant_id is not null) = (array_to_string(roles, ',') ~ '^merchant_[a-z]+(,merchant_[a-z]+)*$')),
  check ((merchant_id is null) = (array_to_string(roles, ',') !~ '(^|,)merchant_'))
);
create index people_of_merchant on people (merchant_id) where merchant_id is not null;

create table passkeys (
  id uuid primary key,
  person_id uuid not null references people (id),
  credential_id text not null unique check (credential_id <> ''),
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  is_backed_up boolean not null,
  name text not null check (name <> '' and length(name) <= 60),
  created_at timestamptz not null default clock_timestamp(),
  last_used_at timestamptz
);
create index passkeys_of_person on passkeys (person_id);

-- A code is deleted when it is used.
create table recovery_codes (
  person_id uuid not null references people (id),
  code_hash bytea not null,
  primary key (person_id, code_hash)
);

-- The link holds the token. A person has one open invitation at most: a new one replaces it.
create table invitations (
  id uuid primary key,
  person_id uuid not null unique references people (id),
  token_hash bytea not null unique,
  invited_by text not null,
  -- The authenticator's secret of somebody who is accepting with a password.
  totp_sealed bytea,
  expires_at timestamptz not null
);

-- Deleted when it is signed out or ended.
create table person_sessions (
  id uuid primary key,
  person_id uuid not null references people (id),
  token_hash bytea not null unique,
  signed_in_with text not null check (signed_in_with in ('passkey', 'password')),
  address text not null,
  browser text not null,
  created_at timestamptz not null default clock_timestamp(),
  last_seen_at timestamptz not null default clock_timestamp(),
  stepped_up_at timestamptz not null default clock_timestamp(),
  ends_at timestamptz not null
);
create index person_sessions_of_person on person_sessions (person_id);
create index person_sessions_ends on person_sessions (ends_at);

-- A question to a passkey. Its row is deleted with the answer, so no answer counts twice.
create table passkey_challenges (
  id uuid primary key,
  challenge text not null,
  purpose text not null check (purpose in ('sign_in', 'step_up', 'register')),
  -- Null for a sign-in, which names no account.
  person_id uuid references people (id),
  expires_at timestamptz not null,
  check ((purpose = 'sign_in') = (person_id is null))
);
create index passkey_challenges_ends on passkey_challenges (expires_at);

-- The log of changes names the account of the console, and where its request came from.
alter table control_log
  add column person_id uuid references people (id),
  add column address text check (address <> ''),
  -- The person's merchant. A merchant's people read these rows alone.
  add column merchant_id text references merchants (id),
  add constraint control_log_console check ((person_id is null) = (address is null));
create index control_log_by_person on control_log (person, id);
create index control_log_of_merchant on control_log (merchant_id, id) where merchant_id is not null;

-- The person of a stop may have an account of the console.
drop function put_stop(text, text, text, text, smallint, text, text, text, text);
create function put_stop(stop_kind text, stop_subject text, why text, person text, people smallint,
  log_subject text, os_user text, sudo_user text, account text, person_id uuid default null,
  address text default null) returns boolean language plpgsql as $$
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
      person_id, address)
    values (person, 'stop', log_subject, jsonb_build_object('reason', why), os_user, sudo_user, account, earlier,
      jsonb_build_object('reason', why, 'setBy', person, 'peopleToResume', people), person_id, address);
  return true;
end $$;

-- A backup holds sessions and links that were ended since. After a restore people sign in again and get new links.
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
  perform put_stop('all', '', 'the database is older than the world: ' || why, 'auditor', 2::smallint,
    'all payouts', null, null, null);
end $$;
